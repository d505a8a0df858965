// Times the boundary in every form. The descriptions are made before and read by the compiler's back only.
#include <benchmark/benchmark.h>

#include "boundary_forms.h"
#include "stridelock/failure.h"

namespace stridelock::benchmarks {
namespace {

constexpr index_t m = 66, n = 512, k = 256, pitch = 1024;
void* const memory = reinterpret_cast<void*>(std::uintptr_t{1} << 32);

struct call {
  index_t a_extents[2] = {m, k}, a_strides[2] = {pitch, 1};
  index_t b_extents[2] = {n, k}, b_strides[2] = {k, 1};
  index_t c_extents[2] = {m, n}, c_strides[2] = {n, 1};
  tensor_ref a = ref(a_extents, a_strides), b = ref(b_extents, b_strides), c = ref(c_extents, c_strides);

  static tensor_ref ref(const index_t* extents, const index_t* strides) {
    tensor_ref r;
    r.data = memory;
    r.type = types::bfloat16;
    r.rank = 2;
    r.where = {device_kind::cuda, 0};
    r.extents = extents;
    r.strides = strides;
    r.read_only = tri::no;
    return r;
  }
  static plain_tensor plain(const tensor_ref& r, bool dense) {
    return {memory, 2, 0, r.rank, 4, 16, 1, r.extents, r.strides, 0, dense};
  }
};

template <class F>
void time_calls(benchmark::State& state, call& c, F f) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(&c);
    benchmark::ClobberMemory();
    f(c);
  }
}

void holds_of_refs(benchmark::State& state) {
  call c;
  time_calls(state, c, [](call& x) { benchmark::DoNotOptimize(holds_refs(x.a, x.b, x.c)); });
}
void require_of_refs(benchmark::State& state) {
  call c;
  time_calls(state, c, [](call& x) { require_refs(x.a, x.b, x.c); });
}
void check_of_refs(benchmark::State& state) {
  call c;
  time_calls(state, c, [](call& x) { benchmark::DoNotOptimize(check_refs(x.a, x.b, x.c).ok()); });
}
void require_of_views(benchmark::State& state) {
  call c;
  float* p = static_cast<float*>(memory);
  time_calls(state, c, [p](call& x) {
    require_views(p, x.a_strides[0], p, p, x.a_extents[0], x.b_extents[0], x.a_extents[1]);
  });
}
void require_of_dispatch_of_two(benchmark::State& state) {
  call c;
  time_calls(state, c, [](call& x) { require_dispatch(x.a, x.b, x.c); });
}
void asks_one_row_with_a_free_stride(benchmark::State& state) {  // it need not ask
  call c;
  c.a_extents[0] = c.c_extents[0] = 1;
  c.a_strides[0] = 4608;
  time_calls(state, c, [](call& x) { require_refs(x.a, x.b, x.c); });
}
void asks_inner_extent_of_one(benchmark::State& state) {
  call c;
  c.b_extents[0] = c.c_extents[1] = c.c_strides[0] = 1;
  c.c_strides[1] = 7;
  time_calls(state, c, [](call& x) { require_refs(x.a, x.b, x.c); });
}
void asks_empty(benchmark::State& state) {
  call c;
  c.a_extents[0] = c.c_extents[0] = 0;
  time_calls(state, c, [](call& x) { require_refs(x.a, x.b, x.c); });
}
void asks_absent(benchmark::State& state) {
  call c;
  time_calls(state, c, [](call& x) { require_refs_and_optional(x.a, x.b, x.c, nullptr); });
}
void exact_evaluator(benchmark::State& state) {
  call c;
  time_calls(state, c, [](call& x) { benchmark::DoNotOptimize(evaluate_refs(x.a, x.b, x.c).ok()); });
}
void exact_evaluator_refuses(benchmark::State& state) {
  call c;
  c.b_strides[0] = pitch;
  time_calls(state, c, [](call& x) { benchmark::DoNotOptimize(evaluate_refs(x.a, x.b, x.c).ok()); });
}
void ladder_tvm_style(benchmark::State& state) {
  call c;
  plain_tensor a = call::plain(c.a, false), b = call::plain(c.b, true), d = call::plain(c.c, true);
  time_calls(state, c, [&](call&) { tvm_style_ladder(a, b, d); });
}
void ladder_torch_style(benchmark::State& state) {
  call c;
  plain_tensor a = call::plain(c.a, false), b = call::plain(c.b, true), d = call::plain(c.c, true);
  time_calls(state, c, [&](call&) { torch_style_ladder(a, b, d); });
}

BENCHMARK(holds_of_refs);
BENCHMARK(require_of_refs);
BENCHMARK(check_of_refs);
BENCHMARK(require_of_views);
BENCHMARK(require_of_dispatch_of_two);
BENCHMARK(asks_one_row_with_a_free_stride);
BENCHMARK(asks_inner_extent_of_one);
BENCHMARK(asks_empty);
BENCHMARK(asks_absent);
BENCHMARK(exact_evaluator);
BENCHMARK(exact_evaluator_refuses);
BENCHMARK(ladder_tvm_style);
BENCHMARK(ladder_torch_style);

}  // namespace
}  // namespace stridelock::benchmarks

BENCHMARK_MAIN();
