// Guard, ledger and workspace on a real device. Without one every test is skipped, and the program
// ends with 77. The last test prints host times and their ratios.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "stridelock/capture_guard.h"
#include "stridelock/cuda/capture_backend.h"
#include "stridelock/persistent_buffer.h"
#include "stridelock/workspace.h"

namespace stridelock {
namespace {

constexpr device gpu{device_kind::cuda, 0};
constexpr int rows = 2, width = 256, capacity = 1024;

inline constexpr auto pack = make_contract(
    "pack", arg("from").type(types::int32).shape(sym("T"), sym("W")).layout(notion::inner_contiguous),
    arg("to").type(types::int32).shape(sym("T"), sym("W")).layout(notion::dense).output());

#define CUDA_OK(call) ASSERT_EQ(cudaSuccess, (call))

struct capture_gpu : testing::Test {
  registry all;
  cudaStream_t stream = nullptr;
  const capture_backend& calls = cuda::capture_calls();

  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      cudaGetLastError();
      GTEST_SKIP() << "no CUDA device";
    }
    CUDA_OK(cudaStreamCreate(&stream));
  }
  void TearDown() override {
    if (stream != nullptr) {
      EXPECT_EQ(cudaSuccess, cudaStreamDestroy(stream));
    }
  }

  using buffer = persistent_buffer<int, 2>;
  buffer device_buffer(std::string_view name, index_t n, index_t columns, int** data = nullptr) {
    int* memory = nullptr;
    EXPECT_EQ(cudaSuccess, cudaMalloc(reinterpret_cast<void**>(&memory),
                                      static_cast<std::size_t>(n * columns) * sizeof(int)));
    if (data != nullptr) *data = memory;
    return buffer::own(name, {memory, {{n, columns}}}, [](void* p) { cudaFree(p); }, gpu, all);
  }
  cudaStreamCaptureStatus status() {
    cudaStreamCaptureStatus s = cudaStreamCaptureStatusInvalidated;
    EXPECT_EQ(cudaSuccess, cudaStreamIsCapturing(stream, &s));
    return s;
  }
  // The stream still runs work, and can be captured again.
  void expect_usable() {
    EXPECT_EQ(status(), cudaStreamCaptureStatusNone);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
    capture_guard again(calls, stream, "again", capture_mode::thread_local_, all);
    EXPECT_TRUE(again.active()) << text(again.fault());
    EXPECT_TRUE(again.finish().ok());
  }
};

struct executable {
  cudaGraphExec_t exec = nullptr;
  explicit executable(const captured_graph& captured) {
    EXPECT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, static_cast<cudaGraph_t>(captured.graph()), 0));
  }
  ~executable() { cudaGraphExecDestroy(exec); }
  executable(const executable&) = delete;
  executable& operator=(const executable&) = delete;
};

// Copies a pitched view densely: what the graph knows of the view is its address, its width and its pitch.
template <class From>
cudaError_t copy_rows(const view<int, 2>& to, const From& from, cudaStream_t stream) {
  return cudaMemcpy2DAsync(to.data, static_cast<std::size_t>(to.extent(1)) * sizeof(int), from.data,
                           static_cast<std::size_t>(from.stride(0)) * sizeof(int),
                           static_cast<std::size_t>(from.extent(1)) * sizeof(int),
                           static_cast<std::size_t>(from.extent(0)), cudaMemcpyDeviceToDevice, stream);
}

TEST_F(capture_gpu, a_finished_capture_replays_and_its_ledger_is_current) {
  const buffer from = device_buffer("from", 64, capacity), to = device_buffer("to", rows, width);
  capture_guard guard(calls, stream, "pack[2]", capture_mode::thread_local_, all);
  ASSERT_TRUE(guard.active()) << text(guard.fault());
  EXPECT_EQ(status(), cudaStreamCaptureStatusActive);
  const auto narrow = from.full().rows(0, rows).columns(0, width);
  guard.boundary<pack>(narrow, to.full()).at(STRIDELOCK_HERE);
  guard.checked("cudaMemcpy2DAsync", copy_rows(to.full(), narrow, stream), STRIDELOCK_HERE);
  captured_graph captured = guard.finish();
  ASSERT_TRUE(captured.ok()) << text(captured.fault());
  EXPECT_EQ(status(), cudaStreamCaptureStatusNone);
  std::size_t nodes = 0;
  EXPECT_EQ(cudaSuccess, cudaGraphGetNodes(static_cast<cudaGraph_t>(captured.graph()), nullptr, &nodes));
  EXPECT_EQ(nodes, 1u);
  const executable exec(captured);
  ASSERT_TRUE(captured.book().owners_current());
  EXPECT_EQ(calls.launch(calls.self, exec.exec, stream), 0);
  CUDA_OK(cudaStreamSynchronize(stream));
}

TEST_F(capture_gpu, an_exception_ends_the_capture_and_leaves_the_stream_usable) {
  const buffer from = device_buffer("from", 64, capacity);
  int* loose = nullptr;
  CUDA_OK(cudaMalloc(reinterpret_cast<void**>(&loose), rows * capacity * sizeof(int)));
  try {
    capture_guard guard(calls, stream, "g", capture_mode::thread_local_, all);
    guard.checked("cudaMemsetAsync", cudaMemsetAsync(from.full().data, 0, 64, stream));
    guard.boundary<pack>(from.full().rows(0, rows), view<int, 2>{loose, {{rows, capacity}}});
    ADD_FAILURE() << "unregistered memory was accepted";
  } catch (const contract_violation& e) {
    EXPECT_NE(std::strstr(e.what(), "'to' cannot be captured"), nullptr) << e.what();
  }
  expect_usable();
  CUDA_OK(cudaFree(loose));
}

TEST_F(capture_gpu, an_invalidated_capture_is_recovered_and_the_refused_call_named) {
  const buffer from = device_buffer("from", 64, capacity), to = device_buffer("to", rows, width);
  {
    capture_guard guard(calls, stream, "g", capture_mode::thread_local_, all);
    guard.boundary<pack>(from.full().rows(0, rows).columns(0, width), to.full());
    void* memory = nullptr;
    EXPECT_EQ(guard.checked("cudaMalloc", cudaMalloc(&memory, 1 << 20)), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(status(), cudaStreamCaptureStatusInvalidated);
    capture_info info;
    EXPECT_EQ(calls.info(calls.self, stream, &info), 0);
    std::printf("id of an invalidated capture: %s\n", info.id == 0 ? "none" : "given");
    const captured_graph captured = guard.finish();
    EXPECT_FALSE(captured.ok());
    EXPECT_EQ(captured.fault().call.view(), "cudaMalloc");
    EXPECT_EQ(captured.fault().code, 900);
    std::printf("%s", text(captured.fault()).c_str());
  }
  expect_usable();
  {  // nobody reported it: the driver's last error, or the place between boundaries
    capture_guard guard(calls, stream, "g", capture_mode::thread_local_, all);
    void* memory = nullptr;
    (void)cudaMalloc(&memory, 1 << 20);
    guard.boundary<pack>(from.full().rows(0, rows).columns(0, width), to.full());
    EXPECT_FALSE(guard.active());
    EXPECT_EQ(guard.fault().before.view(), "pack");
    std::printf("%s", text(guard.fault()).c_str());
  }
  expect_usable();
}

TEST_F(capture_gpu, attached_it_never_ends_the_capture) {
  const buffer from = device_buffer("from", 64, capacity), to = device_buffer("to", rows, width);
  CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  {
    capture_guard guard = capture_guard::attach(calls, stream, "framework", all);
    ASSERT_TRUE(guard.active());
    const auto narrow = from.full().rows(0, rows).columns(0, width);
    boundary<pack>(narrow, to.full());
    guard.checked("cudaMemcpy2DAsync", copy_rows(to.full(), narrow, stream));
    captured_graph captured = guard.finish();
    EXPECT_TRUE(captured.ok());
    EXPECT_EQ(captured.book().boundary_count(), 1);
    EXPECT_TRUE(captured.book().owners_current());
  }
  EXPECT_EQ(status(), cudaStreamCaptureStatusActive);
  cudaGraph_t graph = nullptr;
  CUDA_OK(cudaStreamEndCapture(stream, &graph));
  CUDA_OK(cudaGraphDestroy(graph));
}

TEST_F(capture_gpu, refused_begins_and_wrong_threads_are_as_the_fake_has_them) {
  const capture_guard legacy(calls, nullptr, "legacy", capture_mode::thread_local_, all);
  EXPECT_EQ(legacy.fault().code, cudaErrorStreamCaptureUnsupported) << text(legacy.fault());
  capture_guard guard(calls, stream, "outer", capture_mode::thread_local_, all);
  const capture_guard nested(calls, stream, "inner", capture_mode::thread_local_, all);
  EXPECT_FALSE(nested.active());
  std::printf("begin on a capturing stream: %d\n", nested.fault().code);
  EXPECT_EQ(status(), cudaStreamCaptureStatusActive) << "the outer capture is whole";
  std::thread([&] { EXPECT_EQ(guard.finish().fault().code, cudaErrorStreamCaptureWrongThread); }).join();
  cudaGraph_t graph = nullptr;
  int raw = 0;
  std::thread([&] { raw = cudaStreamEndCapture(stream, &graph); }).join();
  std::printf("end from another thread, thread-local: %d, status afterwards %d\n", raw,
              static_cast<int>(status()));
  EXPECT_EQ(raw, cudaErrorStreamCaptureWrongThread);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(status(), cudaStreamCaptureStatusNone);
  (void)guard.finish();
  expect_usable();
}

TEST_F(capture_gpu, destroyed_by_another_thread_it_frees_the_stream_and_says_so) {
  capture_fault told;
  auto guard = std::make_unique<capture_guard>(calls, stream, "g", capture_mode::thread_local_, all);
  guard->on_failure([](const capture_fault& f, void* to) noexcept { *static_cast<capture_fault*>(to) = f; },
                    &told);
  std::thread([&] { guard = nullptr; }).join();
  EXPECT_EQ(told.code, cudaErrorStreamCaptureWrongThread);
  expect_usable();
}

TEST_F(capture_gpu, a_workspace_that_moved_is_found_before_replay) {
  const buffer from = device_buffer("from", 64, capacity);
  workspace scratch("mla", cuda::device_memory(0), calls, all);
  const auto block = [&](const workspace_block& b) {
    return view<int, 2>{static_cast<int*>(b.data), {{rows, width}}};
  };
  const workspace_block small = scratch.reserve("split", rows * width * sizeof(int), stream);
  ASSERT_TRUE(small.ok());
  capture_guard guard(calls, stream, "pack[2]", capture_mode::thread_local_, all);
  const auto narrow = from.full().rows(0, rows).columns(0, width);
  guard.boundary<pack>(narrow, block(small));
  guard.checked("cudaMemcpy2DAsync", copy_rows(block(small), narrow, stream));
  EXPECT_EQ(scratch.reserve("split", 1 << 20, stream).fault.what, workspace_error::grows_in_capture);
  EXPECT_EQ(status(), cudaStreamCaptureStatusActive) << "refused before the driver was asked";
  captured_graph captured = guard.finish();
  ASSERT_TRUE(captured.ok()) << text(captured.fault());
  EXPECT_TRUE(captured.book().owners_current());
  ASSERT_TRUE(scratch.reserve("split", 1 << 20, stream).ok());
  EXPECT_FALSE(captured.book().owners_current());
  const drift_report r = captured.book().verify_owners();
  ASSERT_GE(r.size(), 1);
  EXPECT_EQ(r[0].captured_place.owner, "mla/split");
  std::printf("%s", text(r, "replay 2").c_str());
}

// The rows are packed at the width of the batch, the captured reader keeps its pitch: row 0 is right, row 1 is stale.
TEST_F(capture_gpu, a_pitch_that_changed_between_capture_and_replay_is_found) {
  const buffer from = device_buffer("c128a_decode", 64, capacity), to = device_buffer("to", rows, width);
  CUDA_OK(cudaMemset(from.full().data, 0xff, 64 * capacity * sizeof(int)));  // -1 everywhere
  capture_guard guard(calls, stream, "pack[2]", capture_mode::thread_local_, all);
  const auto captured_view = from.full().rows(0, rows).columns(0, width);
  guard.boundary<pack>(captured_view, to.full()).at(STRIDELOCK_HERE);
  guard.checked("cudaMemcpy2DAsync", copy_rows(to.full(), captured_view, stream));
  captured_graph captured = guard.finish();
  ASSERT_TRUE(captured.ok()) << text(captured.fault());
  const executable exec(captured);

  const view<int, 2> packed{from.full().data, {{rows, width}}};
  std::vector<int> values(rows * width);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i);
  CUDA_OK(cudaMemcpy(packed.data, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice));
  EXPECT_TRUE(captured.book().owners_current()) << "the buffer itself is where it was";
  const drift_report r = captured.book().expect("pack", "from", packed);
  ASSERT_EQ(r.size(), 1);
  EXPECT_EQ(r[0].kind, drift_kind::restrided);
  EXPECT_FALSE(captured.book().expectation_of("pack", "from").holds(packed));
  std::printf("%s", text(r, "replay 1").c_str());

  CUDA_OK(cudaGraphLaunch(exec.exec, stream));
  std::vector<int> out(rows * width);
  CUDA_OK(
      cudaMemcpyAsync(out.data(), to.full().data, out.size() * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CUDA_OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(out[width - 1], width - 1) << "row 0 is right";
  EXPECT_EQ(out[width], -1) << "row 1 is stale: what the ledger said";
}

// ---- costs -----------------------------------------------------------------------------------------------------------

// Median over batches of the host time of one call, in nanoseconds.
template <class Call, class Between>
double host_time(int calls_a_batch, Call one, Between between) {
  std::vector<double> batches;
  for (int b = 0; b < 61; ++b) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls_a_batch; ++i) one();
    const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - begin;
    batches.push_back(passed.count() / calls_a_batch);
    between();
  }
  std::nth_element(batches.begin(), batches.begin() + 30, batches.end());
  return batches[30];
}

TEST_F(capture_gpu, prints_what_the_check_costs_beside_a_launch) {
  int device = 0, driver = 0, runtime = 0;
  cudaDeviceProp properties{};
  CUDA_OK(cudaGetDevice(&device));
  CUDA_OK(cudaGetDeviceProperties(&properties, device));
  CUDA_OK(cudaDriverGetVersion(&driver));
  CUDA_OK(cudaRuntimeGetVersion(&runtime));
  std::printf("%s, driver API %d, runtime %d\n", properties.name, driver, runtime);

  int* memory = nullptr;
  const buffer whole = device_buffer("whole", 65, capacity, &memory);
  std::vector<registered_buffer> parts;
  capture_guard guard(calls, stream, "sixty-four owners", capture_mode::thread_local_, all);
  for (int i = 0; i < 64; ++i) {
    const index_t extents[] = {1, capacity};
    const tensor_ref part{memory + i * capacity, types::int32, 2, gpu, extents, nullptr};
    parts.push_back(registered_buffer::part_of(whole.registration(), "owner " + std::to_string(i), part));
    const auto d = describe(whole.full().rows(i, i + 1), gpu);
    static constexpr auto fill = make_contract("fill", arg("x"));
    const argument_value values[] = {argument_value(d.ref())};
    guard.boundary(fill.view(), values, 1);
    guard.checked("cudaMemsetAsync",
                  cudaMemsetAsync(memory + i * capacity, 0, capacity * sizeof(int), stream));
  }
  captured_graph captured = guard.finish();
  ASSERT_TRUE(captured.ok()) << text(captured.fault());
  const ledger& book = captured.book();
  ASSERT_EQ(book.owner_count(), 64);
  ASSERT_TRUE(book.owners_current());
  const executable large(captured);

  capture_guard small_guard(calls, stream, "one node", capture_mode::thread_local_, all);
  small_guard.checked("cudaMemsetAsync", cudaMemsetAsync(memory, 0, 64, stream));
  captured_graph small_captured = small_guard.finish();
  const executable small(small_captured);

  std::vector<expectation> expected;
  for (int i = 0; i < 6; ++i) expected.push_back(book.expectation_of("fill", "x", i));
  const auto remade = whole.full();
  volatile bool sink = false;
  int disturbed = 0;
  const auto nothing = [] {};
  const auto drain = [&] { cudaStreamSynchronize(stream); };
  const double owners = host_time(10000, [&] { sink = book.owners_current(); }, nothing);
  const double arguments = host_time(
      10000,
      [&] {
        bool same = true;
        for (int i = 0; i < 6; ++i)
          same = expected[static_cast<std::size_t>(i)].holds(remade.rows(i, i + 1)) && same;
        sink = same;
      },
      nothing);
  auto moving = device_buffer("moving", 1, 64);
  // Another buffer moved in between: every owner is looked at again. The move itself is timed alone and subtracted.
  const view<int, 2> same_place = moving.full();
  const double move_alone =
      host_time(2000, [&] { disturbed += moving.moved(same_place).ok() ? 1 : 0; }, nothing);
  const double move_and_check = host_time(
      2000,
      [&] {
        disturbed += moving.moved(same_place).ok() ? 1 : 0;
        sink = book.owners_current();
      },
      nothing);
  const double expect_cold =
      host_time(500, [&] { sink = book.expect("fill", "x", remade.rows(0, 1), 0).ok(); }, nothing);
  const double launch_one = host_time(20, [&] { cudaGraphLaunch(small.exec, stream); }, drain);
  const double launch_many = host_time(20, [&] { cudaGraphLaunch(large.exec, stream); }, drain);
  EXPECT_TRUE(sink);
  std::printf("owners_current, 64 owners, nothing moved      %8.1f ns\n", owners);
  std::printf("owners_current, 64 owners, looked at all      %8.1f ns (difference of two timings)\n",
              move_and_check - move_alone);
  std::printf("expectation::holds, 6 arguments               %8.1f ns\n", arguments);
  std::printf("ledger::expect, one argument, cold            %8.1f ns\n", expect_cold);
  std::printf("cudaGraphLaunch, 1 node                       %8.1f ns\n", launch_one);
  std::printf("cudaGraphLaunch, 64 nodes                     %8.1f ns\n", launch_many);
  std::printf("whole check (owners and 6 arguments) / launch %8.2f %% of 1 node, %.2f %% of 64 nodes\n",
              100 * (owners + arguments) / launch_one, 100 * (owners + arguments) / launch_many);
}

}  // namespace
}  // namespace stridelock

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int code = RUN_ALL_TESTS();
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  const bool nothing_ran = all.test_to_run_count() > 0 && all.skipped_test_count() == all.test_to_run_count();
  return nothing_ran ? 77 : code;
}
