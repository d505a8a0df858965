#include "stridelock/capture_guard.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "fake_cuda.h"
#include "stridelock/message.h"
#include "stridelock/persistent_buffer.h"

namespace stridelock {
namespace {

using stridelock_test::fake_cuda;
using buffer = persistent_buffer<int, 2>;

constexpr device gpu{device_kind::cuda, 0};

int* at(std::uintptr_t address) {
  return reinterpret_cast<int*>(address);
}

inline constexpr auto gather = make_contract(
    "gather", arg("indices").type(types::int32).shape(sym("T"), sym("W")).layout(notion::inner_contiguous),
    arg("out").type(types::int32).shape(sym("T"), sym("W")).layout(notion::inner_contiguous).output(),
    arg("sink").type(types::int32).optional());

struct capture_guard_test : testing::Test {
  registry all;
  fake_cuda cuda;
  fake_cuda::stream* const stream = cuda.make_stream();
  buffer indices = buffer::told("c128a_decode", {at(0x100000), {{512, 1024}}}, gpu, all);
  buffer out = buffer::told("out", {at(0x800000), {{512, 1024}}}, gpu, all);

  capture_guard begin(std::string_view name = "decode[bs=2]",
                      capture_mode mode = capture_mode::thread_local_) {
    return capture_guard(cuda.backend(), stream, name, mode, all);
  }
  captured_boundary enter(capture_guard& guard, index_t rows = 2) {
    return guard.boundary<gather>(indices.full().rows(0, rows), out.full().rows(0, rows), absent);
  }
  capture_status status(fake_cuda::stream* s) { return cuda.look(s).status; }
};

TEST_F(capture_guard_test, gives_the_graph_and_its_ledger) {
  capture_guard guard = begin();
  ASSERT_TRUE(guard.active());
  EXPECT_EQ(capture_guard::current(), &guard);
  enter(guard).scalar("scale", 0.5);
  cuda.kernel(stream);
  EXPECT_EQ(enter(guard).occurrence(), 1);
  cuda.kernel(stream);
  captured_graph captured = guard.finish();
  ASSERT_TRUE(captured.ok()) << text(captured.fault());
  EXPECT_EQ(static_cast<fake_cuda::graph*>(captured.graph())->nodes.size(), 2u);
  EXPECT_EQ(status(stream), capture_status::none);
  EXPECT_EQ(capture_guard::current(), nullptr);
  const ledger book = captured.take_ledger();
  EXPECT_EQ(book.graph(), "decode[bs=2]");
  EXPECT_EQ(book.boundary_count(), 2);
  EXPECT_EQ(book.argument_count(), 7);
  EXPECT_EQ(book.owner_count(), 2);
  EXPECT_TRUE(book.owners_current());
  EXPECT_EQ(cuda.live_graphs(), 1);
  captured = {};
  EXPECT_EQ(cuda.live_graphs(), 0);
}

TEST_F(capture_guard_test, a_released_graph_is_the_callers) {
  void* graph = nullptr;
  {
    capture_guard guard = begin();
    graph = guard.finish().release();
  }
  EXPECT_EQ(cuda.live_graphs(), 1);
  cuda.backend().destroy_graph(cuda.backend().self, graph);
  EXPECT_EQ(cuda.live_graphs(), 0);
}

TEST_F(capture_guard_test, a_graph_that_was_moved_from_is_not_ok) {
  capture_guard guard = begin();
  captured_graph first = guard.finish();
  ASSERT_TRUE(first.ok());
  captured_graph second = std::move(first);
  EXPECT_FALSE(first.ok());
  EXPECT_TRUE(second.ok());
  first = std::move(second);
  EXPECT_TRUE(first.ok());
  EXPECT_FALSE(second.ok());
}

TEST_F(capture_guard_test, names_in_a_ledger_are_unique_and_forge_no_line) {
  capture_guard guard = begin("g\xff\n");
  enter(guard).scalar("scale", 0.5).scalar("scale", 2.0).scalar("a\nb", ~std::uint64_t{0});
  captured_graph captured = guard.finish();
  const ledger& book = captured.book();
  EXPECT_TRUE(book.expect_scalar("gather", "scale", 0.5).ok());
  EXPECT_TRUE(book.expect_scalar("gather", "scale#1", 2.0).ok());
  EXPECT_FALSE(book.expect_scalar("gather", "a\nb", std::int64_t{-1}).ok());
  const std::string shown = text(book), as_json = json(book);
  EXPECT_EQ(shown.find("ledger of 'g\xef\xbf\xbd?': "), 0u) << shown;
  EXPECT_NE(shown.find("a?b"), std::string::npos) << shown;
  EXPECT_NE(shown.find("18446744073709551615 (scalar)"), std::string::npos) << shown;
  EXPECT_NE(as_json.find("\"graph\":\"g\xef\xbf\xbd\\u000a\""), std::string::npos) << as_json;
  const std::string drifted = text(book.expect_scalar("gather", "a\nb", 1));
  EXPECT_NE(drifted.find("'a?b' is 1, the graph has 18446744073709551615 baked in"), std::string::npos)
      << drifted;
}

// ---- refusing ---------------------------------------------------------------------------------------------------------

TEST_F(capture_guard_test, refuses_memory_that_nobody_answers_for) {
  capture_guard guard = begin();
  const tensor_desc whole = tensor_desc::dense("c128a_decode", types::int32, {512, 1024}, gpu, at(0x7000000));
  const tensor_desc packed = whole.rows(0, 66).columns(0, 256, source_line("engine/metadata.cpp", 88));
  try {
    guard.boundary<gather>(packed, out.full().rows(0, 66).columns(0, 256), absent);
    FAIL() << "expected contract_violation";
  } catch (const contract_violation& e) {
    EXPECT_STREQ(e.what(),
                 "gather: argument 'indices' cannot be captured: its memory is neither registered nor "
                 "private to this graph\n"
                 "  got   int32 (66,256):(1024,1), cuda:0\n"
                 "  from  a view of 'c128a_decode' (512,1024) (engine/metadata.cpp:88)\n"
                 "  when  graph 'decode[bs=2]' is being captured (thread-local mode): every replay reads "
                 "this address, whatever "
                 "is there by then\n"
                 "  fix   pass a view of a persistent buffer, refilled in place before replay\n"
                 "        or, for memory that this capture allocated, guard.pool().note(…). Not "
                 ".contiguous(): outside the capture\n"
                 "        it makes a block that moves at every step\n");
    ASSERT_EQ(e.violations().size(), 1);
    EXPECT_EQ(e.violations()[0].kind, violation_kind::stable);
    EXPECT_EQ(e.violations()[0].argument, 0);
    EXPECT_EQ(e.violations().result(), verdict::refused);
  }
  EXPECT_TRUE(guard.active()) << "the capture itself is whole";
  EXPECT_EQ(guard.finish().book().boundary_count(), 0);
}

TEST_F(capture_guard_test, one_report_holds_what_the_contract_and_what_the_capture_refuse) {
  capture_guard guard = begin();
  const view<int, 2> elsewhere{at(0x7000000), {{3, 1024}}};
  try {
    guard.boundary<gather>(indices.full().rows(0, 2), elsewhere, absent);
    FAIL() << "expected contract_violation";
  } catch (const contract_violation& e) {
    ASSERT_EQ(e.violations().size(), 2);
    EXPECT_EQ(e.violations()[0].kind, violation_kind::extent);
    EXPECT_EQ(e.violations()[1].kind, violation_kind::stable);
    const std::string message = e.what();
    EXPECT_NE(message.find("shape[0] is 3, needs T = 2"), std::string::npos) << message;
    EXPECT_NE(message.find("'out' cannot be captured"), std::string::npos) << message;
    EXPECT_EQ(e.violations().symbol_count(), 2);
  }
}

TEST_F(capture_guard_test, a_hook_that_returns_lets_the_call_be_recorded_as_it_is) {
  int seen = 0;
  const scoped_failure_hook count([](const report& r, void* n) { *static_cast<int*>(n) += r.size(); }, &seen);
  capture_guard guard = begin();
  const view<int, 2> elsewhere{at(0x7000000), {{2, 1024}}};
  EXPECT_TRUE(guard.boundary<gather>(elsewhere, out.full().rows(0, 2), absent).recorded());
  EXPECT_EQ(seen, 1);
  captured_graph captured = guard.finish();
  EXPECT_EQ(captured.book().unregistered_count(), 1);
  EXPECT_FALSE(captured.book().owners_current()) << "nobody can say";
  EXPECT_EQ(captured.book().verify_owners().current(), tri::unknown);
}

TEST_F(capture_guard_test, memory_of_the_graphs_own_pool_is_accepted_and_recorded) {
  capture_guard guard = begin();
  ASSERT_TRUE(guard.pool().note(at(0x7000000), 0x10000).ok());
  const view<int, 2> temporary{at(0x7000000), {{2, 1024}}};
  guard.boundary<gather>(indices.full().rows(0, 2), temporary, absent);
  const private_pool pool = guard.pool();
  captured_graph captured = guard.finish();
  EXPECT_TRUE(captured.book().owners_current());

  capture_guard other = begin("other");
  try {
    other.boundary<gather>(temporary, out.full().rows(0, 2), absent);
    FAIL() << "expected contract_violation";
  } catch (const contract_violation& e) {
    const std::string message = e.what();
    EXPECT_NE(message.find(
                  "'indices' cannot be captured: its memory belongs to the private pool of 'decode[bs=2]'"),
              std::string::npos)
        << message;
    EXPECT_NE(message.find("guard.share(pool)"), std::string::npos) << message;
  }
  other.share(pool);
  EXPECT_NO_THROW(other.boundary<gather>(temporary, out.full().rows(0, 2), absent));
}

TEST_F(capture_guard_test, empty_tensors_have_nothing_that_could_move) {
  capture_guard guard = begin();
  const view<int, 2> nothing{nullptr, {{0, 1024}}};
  EXPECT_NO_THROW(guard.boundary<gather>(nothing, nothing, absent));
  EXPECT_TRUE(guard.finish().book().owners_current());
}

TEST_F(capture_guard_test, host_memory_must_be_registered_too) {
  std::vector<int> pinned(64), stack(64);
  const persistent_buffer<int, 1> staging =
      persistent_buffer<int, 1>::told("staging", {pinned.data(), {{64}}}, {device_kind::cuda_host, 0}, all);
  capture_guard guard = begin();
  enter(guard).host("lengths", pinned.data(), 64);
  try {
    enter(guard).host("lengths", stack.data(), 256);
    FAIL() << "expected contract_violation";
  } catch (const contract_violation& e) {
    EXPECT_STREQ(
        e.what(),
        "gather: host memory 'lengths' cannot be captured: it is not registered\n"
        "  got   256 bytes of host memory\n"
        "  from  not recorded\n"
        "  when  graph 'decode[bs=2]' is being captured (thread-local mode): every replay reads this "
        "address, "
        "whatever is there by then\n"
        "  fix   a persistent pinned buffer, registered and refilled in place; never the stack, never memory "
        "that an allocator takes back\n");
  }
}

TEST_F(capture_guard_test, contracts_of_run_time_work_too) {
  capture_guard guard = begin();
  const auto d = describe(indices.full().rows(0, 2), gpu);
  const argument_value values[] = {argument_value(d.ref())};
  static constexpr auto one = make_contract("one", arg("x"));
  EXPECT_TRUE(guard.boundary(one.view(), values, 1).recorded());
  EXPECT_THROW(guard.boundary(one.view(), values, 0), contract_violation);
}

// ---- the thread's guard ----------------------------------------------------------------------------------------------

TEST_F(capture_guard_test, boundary_without_a_guard_is_require) {
  const view<int, 2> elsewhere{at(0x7000000), {{2, 1024}}};
  EXPECT_FALSE(boundary<gather>(elsewhere, out.full().rows(0, 2), absent).scalar("x", 1).recorded());
  EXPECT_THROW(boundary<gather>(elsewhere, out.full().rows(0, 3), absent), contract_violation);
  capture_guard guard = begin();
  EXPECT_THROW(boundary<gather>(elsewhere, out.full().rows(0, 2), absent), contract_violation);
  EXPECT_TRUE(boundary<gather>(indices.full().rows(0, 2), out.full().rows(0, 2), absent).recorded());
  std::thread([&] { EXPECT_EQ(capture_guard::current(), nullptr); }).join();
}

TEST_F(capture_guard_test, two_streams_have_two_guards_told_apart_by_capture) {
  fake_cuda::stream* const second = cuda.make_stream();
  capture_guard first = begin("first");
  capture_guard inner(cuda.backend(), second, "second", capture_mode::thread_local_, all);
  ASSERT_TRUE(inner.active());
  EXPECT_EQ(capture_guard::current(), &inner);
  EXPECT_EQ(capture_guard::of(cuda.backend(), stream), &first);
  EXPECT_EQ(capture_guard::of(cuda.backend(), second), &inner);
  fake_cuda::stream* const fork = cuda.make_stream();
  cuda.fork(stream, fork);
  EXPECT_EQ(capture_guard::of(cuda.backend(), fork), &first) << "forks take part in the capture";
  cuda.join(fork, stream);
  EXPECT_EQ(capture_guard::of(cuda.backend(), fork), nullptr);
  enter(first);
  EXPECT_TRUE(first.finish().ok());
  EXPECT_EQ(capture_guard::current(), &inner);
  EXPECT_TRUE(inner.finish().ok());
}

// ---- states ----------------------------------------------------------------------------------------------------------

TEST_F(capture_guard_test, nested_capture_is_refused_and_leaves_the_outer_one_alone) {
  capture_guard outer = begin("outer");
  {
    capture_guard inner = begin("inner");
    EXPECT_FALSE(inner.active());
    EXPECT_EQ(text(inner.fault()),
              "capture of 'inner' could not begin: 401\n"
              "  got   thread-local mode, capture active\n"
              "  fix   the stream is already capturing: end that capture first, or attach to it\n");
    EXPECT_FALSE(inner.finish().ok());
    EXPECT_EQ(capture_guard::current(), &outer);
  }
  EXPECT_EQ(status(stream), capture_status::active);
  enter(outer);
  EXPECT_TRUE(outer.finish().ok());
}

TEST_F(capture_guard_test, the_legacy_stream_cannot_capture) {
  capture_guard guard(cuda.backend(), nullptr, "g", capture_mode::thread_local_, all);
  EXPECT_FALSE(guard.active());
  EXPECT_EQ(text(guard.fault()),
            "capture of 'g' could not begin: 900 (the call is not permitted while the stream is capturing)\n"
            "  got   thread-local mode, capture none\n"
            "  fix   capture on a stream of its own; the legacy stream cannot capture\n");
  EXPECT_EQ(cuda.last_error(false), 0);
  EXPECT_FALSE(guard.finish().ok());
}

TEST_F(capture_guard_test, an_exception_ends_the_capture) {
  EXPECT_THROW(
      {
        capture_guard guard = begin();
        enter(guard);
        cuda.kernel(stream);
        throw std::runtime_error("model");
      },
      std::runtime_error);
  EXPECT_EQ(status(stream), capture_status::none);
  EXPECT_EQ(cuda.live_graphs(), 0);
  EXPECT_EQ(cuda.last_error(false), 0);
  EXPECT_EQ(capture_guard::current(), nullptr);
  EXPECT_TRUE(begin().finish().ok()) << "the stream is usable";
}

TEST_F(capture_guard_test, an_invalidated_capture_is_ended_and_the_first_refused_call_named) {
  capture_guard guard = begin();
  enter(guard);
  EXPECT_EQ(guard.checked("cudaMalloc", cuda.malloc(), source_line("engine/scratch.cpp", 31)), 900);
  EXPECT_EQ(guard.checked("launch", cuda.kernel(stream)), 901);
  enter(guard);
  EXPECT_FALSE(guard.active());
  const captured_graph captured = guard.finish();
  EXPECT_FALSE(captured.ok());
  EXPECT_EQ(captured.graph(), nullptr);
  EXPECT_FALSE(captured.book().owners_current());
  EXPECT_EQ(text(captured.fault()),
            "capture of 'decode[bs=2]' failed: cudaMalloc returned 900 (the call is not permitted while the "
            "stream is "
            "capturing)\n"
            "  got   thread-local mode, capture invalidated\n"
            "  from  engine/scratch.cpp:31, after boundary 'gather', before 'gather'\n"
            "  fix   make the call before the capture, or allocate under a relaxed scoped_capture_mode if it "
            "must be "
            "here\n");
  EXPECT_EQ(status(stream), capture_status::none);
  EXPECT_EQ(cuda.last_error(false), 0);
  EXPECT_EQ(cuda.live_graphs(), 0);
  EXPECT_TRUE(begin().finish().ok());
}

TEST_F(capture_guard_test, a_failure_nobody_reported_is_placed_between_boundaries) {
  capture_guard guard = begin();
  cuda.synchronize(stream);
  enter(guard);
  const capture_fault fault = guard.finish().fault();
  EXPECT_EQ(fault.code, 900) << "the last error of the thread, better than 901";
  EXPECT_EQ(
      text(fault),
      "capture of 'decode[bs=2]' failed: 900 (the call is not permitted while the stream is capturing)\n"
      "  got   thread-local mode, capture invalidated\n"
      "  from  before the first boundary, before 'gather'\n"
      "  fix   make the call before the capture, or allocate under a relaxed scoped_capture_mode if it must "
      "be "
      "here\n");
}

TEST_F(capture_guard_test, an_exception_in_an_invalidated_capture_ends_it_too) {
  capture_fault told;
  EXPECT_THROW(
      {
        capture_guard guard = begin();
        guard.on_failure(
            [](const capture_fault& f, void* to) noexcept { *static_cast<capture_fault*>(to) = f; }, &told);
        cuda.malloc();
        throw std::runtime_error("model");
      },
      std::runtime_error);
  EXPECT_EQ(told.code, 900);
  EXPECT_EQ(status(stream), capture_status::none);
  EXPECT_EQ(cuda.last_error(false), 0);
}

// A call that fails without breaking the capture has lost its work: the graph is not whole.
TEST_F(capture_guard_test, a_refused_call_spoils_the_graph_even_if_the_capture_stays_valid) {
  capture_guard guard = begin();
  guard.checked("cudaMemcpyBatchAsync", 900);
  const captured_graph captured = guard.finish();
  EXPECT_FALSE(captured.ok());
  EXPECT_EQ(captured.fault().call.view(), "cudaMemcpyBatchAsync");
  EXPECT_EQ(cuda.live_graphs(), 0);
  EXPECT_EQ(status(stream), capture_status::none);
}

TEST_F(capture_guard_test, an_unjoined_fork_is_an_end_that_fails) {
  fake_cuda::stream* const fork = cuda.make_stream();
  capture_guard guard = begin();
  cuda.fork(stream, fork);
  const capture_fault fault = guard.finish().fault();
  EXPECT_EQ(text(fault),
            "capture of 'decode[bs=2]' could not end: 904 (a forked stream was not joined)\n"
            "  got   thread-local mode, capture invalidated\n"
            "  from  before the first boundary\n"
            "  fix   let the capturing stream wait for an event of every stream that was forked from it\n");
  EXPECT_EQ(status(stream), capture_status::none);
}

TEST_F(capture_guard_test, another_thread_cannot_finish_unless_relaxed) {
  {
    capture_guard guard = begin();
    enter(guard);
    std::thread([&] {
      const captured_graph refused = guard.finish();
      EXPECT_EQ(text(refused.fault()),
                "capture of 'decode[bs=2]' could not end: 908 (the capture was begun by another thread)\n"
                "  got   thread-local mode, capture active\n"
                "  from  after boundary 'gather'\n"
                "  fix   finish on the thread that began the capture, or begin it relaxed\n");
    }).join();
    EXPECT_EQ(status(stream), capture_status::active);
    EXPECT_TRUE(guard.finish().ok()) << "its own thread still can";
  }
  capture_guard relaxed = begin("relaxed", capture_mode::relaxed);
  std::thread([&] { EXPECT_TRUE(relaxed.finish().ok()); }).join();
  EXPECT_EQ(capture_guard::current(), nullptr);
}

TEST_F(capture_guard_test, destroyed_by_another_thread_it_gives_up_and_says_so) {
  capture_fault told;
  auto guard = std::unique_ptr<capture_guard>(
      new capture_guard(cuda.backend(), stream, "g", capture_mode::thread_local_, all));
  guard->on_failure([](const capture_fault& f, void* to) noexcept { *static_cast<capture_fault*>(to) = f; },
                    &told);
  std::thread([&] { guard = nullptr; }).join();
  EXPECT_EQ(told.code, capture_code::wrong_thread);
  EXPECT_EQ(status(stream), capture_status::none);
  EXPECT_EQ(cuda.live_graphs(), 0);
  EXPECT_EQ(capture_guard::current(), nullptr) << "no dangling guard on the thread that made it";
}

TEST_F(capture_guard_test, finish_without_a_capture_is_a_fault) {
  capture_guard guard = begin();
  EXPECT_TRUE(guard.finish().ok());
  const captured_graph again = guard.finish();
  EXPECT_FALSE(again.ok());
  EXPECT_EQ(again.fault().code, capture_code::unmatched);
}

TEST_F(capture_guard_test, a_capture_ended_behind_it_is_lost_and_nobody_elses_is_ended) {
  const capture_backend& table = cuda.backend();
  capture_guard guard = begin();
  void* stolen = nullptr;
  EXPECT_EQ(table.end(table.self, stream, &stolen), 0);
  EXPECT_EQ(table.begin(table.self, stream, capture_mode::relaxed), 0);
  const std::uint64_t other = cuda.look(stream).id;
  const captured_graph captured = guard.finish();
  EXPECT_EQ(text(captured.fault()),
            "capture of 'decode[bs=2]' is lost: the stream was ended and begun again by someone else\n"
            "  got   thread-local mode, capture active\n"
            "  from  before the first boundary\n"
            "  fix   leave the stream to the guard until finish()\n");
  EXPECT_EQ(cuda.look(stream).id, other) << "still capturing";
  table.destroy_graph(table.self, stolen);
}

TEST_F(capture_guard_test, a_capture_only_ended_behind_it_is_lost) {
  const capture_backend& table = cuda.backend();
  capture_guard guard = begin();
  enter(guard);
  void* stolen = nullptr;
  table.end(table.self, stream, &stolen);
  const captured_graph captured = guard.finish();
  EXPECT_EQ(text(captured.fault()),
            "capture of 'decode[bs=2]' is lost: it was ended by someone else\n"
            "  got   thread-local mode, capture none\n"
            "  from  after boundary 'gather'\n"
            "  fix   leave the stream to the guard until finish()\n");
  table.destroy_graph(table.self, stolen);
}

// ---- attaching -------------------------------------------------------------------------------------------------------

TEST_F(capture_guard_test, attached_it_watches_and_never_ends) {
  const capture_backend& table = cuda.backend();
  ASSERT_EQ(table.begin(table.self, stream, capture_mode::global), 0);
  {
    capture_guard guard = capture_guard::attach(table, stream, "torch", all);
    ASSERT_TRUE(guard.active());
    EXPECT_EQ(capture_guard::current(), &guard);
    enter(guard);
    captured_graph captured = guard.finish();
    EXPECT_TRUE(captured.ok());
    EXPECT_EQ(captured.graph(), nullptr);
    EXPECT_TRUE(captured.book().owners_current());
    EXPECT_EQ(status(stream), capture_status::active);
  }
  {
    const capture_guard dropped = capture_guard::attach(table, stream, "torch", all);
  }
  EXPECT_EQ(status(stream), capture_status::active);

  capture_guard late = capture_guard::attach(table, stream, "torch", all);
  enter(late);
  void* graph = nullptr;
  EXPECT_EQ(table.end(table.self, stream, &graph), 0);
  captured_graph captured = late.finish();
  EXPECT_TRUE(captured.ok()) << "the framework may end first: " << text(captured.fault());
  EXPECT_TRUE(captured.book().owners_current());
  table.destroy_graph(table.self, graph);
}

TEST_F(capture_guard_test, attached_it_keeps_a_fault_after_the_framework_ended_its_capture) {
  const capture_backend& table = cuda.backend();
  table.begin(table.self, stream, capture_mode::global);
  capture_guard guard = capture_guard::attach(table, stream, "torch", all);
  enter(guard);
  cuda.malloc();
  enter(guard);
  void* graph = nullptr;
  EXPECT_EQ(table.end(table.self, stream, &graph), capture_code::invalidated);
  const captured_graph captured = guard.finish();
  EXPECT_EQ(captured.fault().code, 900) << text(captured.fault());
  EXPECT_FALSE(captured.book().owners_current());
}

TEST_F(capture_guard_test, attached_it_keeps_a_fault_after_somebody_elses_capture) {
  const capture_backend& table = cuda.backend();
  table.begin(table.self, stream, capture_mode::relaxed);
  capture_guard guard = capture_guard::attach(table, stream, "torch", all);
  enter(guard);
  void *first = nullptr, *second = nullptr;
  table.end(table.self, stream, &first);
  table.begin(table.self, stream, capture_mode::relaxed);
  EXPECT_FALSE(enter(guard).recorded()) << "what is captured now is not this guard's";
  EXPECT_EQ(capture_guard::current(), nullptr);
  table.end(table.self, stream, &second);
  const captured_graph captured = guard.finish();
  EXPECT_TRUE(captured.fault().other_capture) << text(captured.fault());
  EXPECT_FALSE(captured.book().owners_current());
  table.destroy_graph(table.self, first);
  table.destroy_graph(table.self, second);
}

TEST_F(capture_guard_test, after_the_frameworks_end_a_boundary_is_plain_require) {
  const capture_backend& table = cuda.backend();
  table.begin(table.self, stream, capture_mode::global);
  capture_guard guard = capture_guard::attach(table, stream, "torch", all);
  enter(guard);
  void* graph = nullptr;
  EXPECT_EQ(table.end(table.self, stream, &graph), 0);
  const view<int, 2> elsewhere{at(0x7000000), {{2, 1024}}};
  EXPECT_FALSE(guard.boundary<gather>(elsewhere, elsewhere, absent).scalar("scale", 0.5).recorded())
      << "eager code may use any memory";
  EXPECT_FALSE(guard.active());
  EXPECT_EQ(capture_guard::current(), nullptr);
  EXPECT_THROW(guard.boundary<gather>(elsewhere, view<int, 2>{at(0x7000000), {{3, 1024}}}, absent),
               contract_violation);
  const captured_graph captured = guard.finish();
  EXPECT_TRUE(captured.ok()) << text(captured.fault());
  EXPECT_EQ(captured.book().boundary_count(), 1);
  EXPECT_TRUE(captured.book().owners_current());
  table.destroy_graph(table.self, graph);
}

TEST_F(capture_guard_test, the_code_of_the_frameworks_end_counts_where_it_is_reported) {
  const capture_backend& table = cuda.backend();
  table.begin(table.self, stream, capture_mode::global);
  capture_guard guard = capture_guard::attach(table, stream, "torch", all);
  enter(guard);
  cuda.malloc();
  void* graph = nullptr;
  guard.checked("cudaStreamEndCapture", table.end(table.self, stream, &graph));
  const captured_graph captured = guard.finish();
  EXPECT_EQ(captured.fault().code, capture_code::invalidated);
  EXPECT_EQ(captured.fault().call.view(), "cudaStreamEndCapture");
}

TEST_F(capture_guard_test, a_boundary_after_its_capture_was_ended_behind_it_is_not_recorded) {
  const capture_backend& table = cuda.backend();
  capture_guard guard = begin();
  cuda.malloc();
  enter(guard);
  EXPECT_EQ(guard.fault().code, 900);
  void* stolen = nullptr;
  table.end(table.self, stream, &stolen);
  table.begin(table.self, stream, capture_mode::relaxed);
  EXPECT_FALSE(enter(guard).recorded());
  EXPECT_EQ(guard.finish().fault().code, 900) << "the first fault";
  EXPECT_EQ(status(stream), capture_status::active) << "nobody else's capture is ended";
  table.end(table.self, stream, &stolen);
  table.destroy_graph(table.self, stolen);
}

// What counts is the capture, on whichever of its streams one looks.
TEST_F(capture_guard_test, a_fork_is_the_same_capture) {
  const capture_backend& table = cuda.backend();
  fake_cuda::stream* const fork = cuda.make_stream();
  table.begin(table.self, stream, capture_mode::relaxed);
  const std::uint64_t id = cuda.look(stream).id;
  cuda.fork(stream, fork);
  capture_guard guard = capture_guard::attach(table, fork, "torch", all);
  EXPECT_EQ(guard.capture_id(), id);
  EXPECT_EQ(capture_guard::of(table, stream), &guard);
  void* graph = nullptr;
  EXPECT_EQ(table.end(table.self, fork, &graph), capture_code::unmatched) << "it began on the other stream";
  enter(guard);
  EXPECT_TRUE(guard.finish().ok());
  cuda.join(fork, stream);
  EXPECT_EQ(table.end(table.self, stream, &graph), 0);
  table.destroy_graph(table.self, graph);
}

TEST_F(capture_guard_test, attaching_needs_a_capture) {
  capture_guard guard = capture_guard::attach(cuda.backend(), stream, "torch", all);
  EXPECT_FALSE(guard.active());
  EXPECT_EQ(text(guard.finish().fault()),
            "capture of 'torch' cannot be watched: the stream is not capturing\n"
            "  got   global mode, capture none\n"
            "  fix   attach after the framework began its capture\n");
}

TEST_F(capture_guard_test, an_invalidated_capture_that_was_attached_is_a_fault) {
  const capture_backend& table = cuda.backend();
  table.begin(table.self, stream, capture_mode::global);
  capture_guard guard = capture_guard::attach(table, stream, "torch", all);
  cuda.malloc();
  EXPECT_FALSE(guard.finish().ok());
  EXPECT_EQ(status(stream), capture_status::invalidated) << "ending it is the framework's business";
}

// ---- modes -----------------------------------------------------------------------------------------------------------

TEST_F(capture_guard_test, modes_decide_whose_calls_are_refused) {
  int elsewhere = 0;
  {
    capture_guard guard = begin("thread-local");
    std::thread([&] { elsewhere = cuda.malloc(); }).join();
    EXPECT_EQ(elsewhere, 0);
    EXPECT_TRUE(guard.finish().ok());
  }
  {
    capture_guard guard = begin("global", capture_mode::global);
    std::thread([&] { elsewhere = cuda.malloc(); }).join();
    EXPECT_EQ(elsewhere, 900);
    EXPECT_FALSE(guard.finish().ok());
  }
  {
    capture_guard guard = begin("thread-local");
    {
      const scoped_capture_mode relaxed(cuda.backend(), capture_mode::relaxed);
      EXPECT_EQ(cuda.malloc(), 0);
    }
    EXPECT_EQ(cuda.malloc(), 900);
    EXPECT_FALSE(guard.finish().ok());
  }
  capture_guard guard = begin("legacy");
  EXPECT_EQ(guard.checked("kernel without a stream", cuda.kernel(nullptr)), 906);
  EXPECT_EQ(guard.finish().fault().code, 906);
}

TEST_F(capture_guard_test, an_observer_sees_every_boundary_before_its_nodes) {
  struct seen {
    std::vector<std::string> names;
    std::vector<std::size_t> nodes;
  } all_seen;
  capture_guard guard = begin();
  guard.observe(
      {[](void* state, const capture_info& capture, std::string_view name, int occurrence) noexcept {
         auto* const s = static_cast<seen*>(state);
         s->names.push_back(std::string(name) + "#" + std::to_string(occurrence));
         s->nodes.push_back(static_cast<fake_cuda::graph*>(capture.graph)->nodes.size());
       },
       &all_seen});
  enter(guard);
  cuda.kernel(stream);
  cuda.kernel(stream);
  enter(guard);
  cuda.kernel(stream);
  EXPECT_TRUE(guard.finish().ok());
  EXPECT_EQ(all_seen.names, (std::vector<std::string>{"gather#0", "gather#1", "#0"}));
  EXPECT_EQ(all_seen.nodes, (std::vector<std::size_t>{0, 2, 3}));
}

TEST_F(capture_guard_test, queries_the_driver_only_at_boundaries) {
  capture_guard guard = begin();
  const std::size_t before = cuda.queries();
  enter(guard);
  EXPECT_LE(cuda.queries() - before, 2u);
  captured_graph captured = guard.finish();
  const std::size_t after = cuda.queries();
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(captured.book().owners_current());
  EXPECT_EQ(cuda.queries(), after);
}

}  // namespace
}  // namespace stridelock
