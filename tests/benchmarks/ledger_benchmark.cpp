// What a replay pays for its ledger, and what a registry costs beside it. Ratios are printed by the test on a device.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/tests/fake_cuda.h"
#include "stridelock/capture_guard.h"
#include "stridelock/persistent_buffer.h"

namespace {

using namespace stridelock;
using stridelock_test::fake_cuda;
using buffer = persistent_buffer<int, 2>;

constexpr device gpu{device_kind::cuda, 0};
inline constexpr auto gather = make_contract("gather", arg("x").type(types::int32).shape(sym("T"), sym("W")));

view<int, 2> matrix(int i) {
  return {reinterpret_cast<int*>(std::uintptr_t{0x100000} * static_cast<std::uintptr_t>(i + 1)), {{64, 256}}};
}

struct captured_engine {
  registry all;
  fake_cuda cuda;
  std::vector<buffer> buffers;
  buffer other = buffer::told("other", matrix(5000), gpu, all);
  captured_graph captured;

  explicit captured_engine(int owners) {
    capture_guard guard(cuda.backend(), cuda.make_stream(), "graph", capture_mode::thread_local_, all);
    for (int i = 0; i < owners; ++i) {
      buffers.push_back(buffer::told("buffer " + std::to_string(i), matrix(i), gpu, all));
      guard.boundary<gather>(buffers.back().full());
    }
    captured = guard.finish();
  }
};

// Nothing moved since the last check.
void owners_current(benchmark::State& state) {
  const captured_engine engine(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(engine.captured.book().owners_current());
}
BENCHMARK(owners_current)->Arg(8)->Arg(64)->Arg(512);

// An unrelated buffer moved, so each owner is looked at again; the move itself is the row below.
void owners_current_after_another_moved(benchmark::State& state) {
  captured_engine engine(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    engine.other.moved(matrix(5000));
    benchmark::DoNotOptimize(engine.captured.book().owners_current());
  }
}
BENCHMARK(owners_current_after_another_moved)->Arg(8)->Arg(64)->Arg(512);

void moving_a_buffer(benchmark::State& state) {
  captured_engine engine(1);
  for (auto _ : state) engine.other.moved(matrix(5000));
}
BENCHMARK(moving_a_buffer);

void expectation_holds(benchmark::State& state) {
  const captured_engine engine(1);
  const expectation e = engine.captured.book().expectation_of("gather", "x");
  view<int, 2> now = engine.buffers[0].full();
  for (auto _ : state) {
    benchmark::DoNotOptimize(now);
    benchmark::DoNotOptimize(e.holds(now));
  }
}
BENCHMARK(expectation_holds);

void expect_one_argument(benchmark::State& state) {
  const captured_engine engine(64);
  for (auto _ : state)
    benchmark::DoNotOptimize(engine.captured.book().expect("gather", "x", engine.buffers[7].full(), 7));
}
BENCHMARK(expect_one_argument);

void registry_find(benchmark::State& state) {
  const captured_engine engine(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(engine.all.find(engine.buffers[7].full().data, 64));
}
BENCHMARK(registry_find)->Arg(64)->Arg(512);

}  // namespace

BENCHMARK_MAIN();
