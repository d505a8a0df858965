// Times preflight: the example's dispatch over the sizes of its plan, with contracts in code. One item is one evaluation: a cell
// under one set of parameter values.
#include <benchmark/benchmark.h>

#include "stridelock/preflight.h"

namespace stridelock::benchmarks {
namespace {

constexpr index_t heads_and_widths[][2] = {
    {16, 128}, {16, 256}, {16, 512}, {16, 1024}, {32, 128},  {32, 256},  {32, 512},  {32, 1024},
    {64, 128}, {64, 256}, {64, 512}, {64, 1024}, {128, 128}, {128, 256}, {128, 512}, {128, 1024}};

constexpr argument query =
    arg("q").type(types::bfloat16).shape(sym("T"), sym("H"), sym("D")).layout(notion::dense);
constexpr argument cache =
    arg("kv_cache").type(types::bfloat16).shape(sym("blocks"), sym("page"), sym("D")).layout(notion::dense);
constexpr argument indices =
    arg("extra_indices").type(types::int32).shape(sym("T"), sym("W")).bounded("extra_topk_length", "scratch");
constexpr argument lengths = arg("extra_topk_length").type(types::int32).shape(sym("T")).optional();
constexpr argument out =
    arg("out").type(types::bfloat16).shape(sym("T"), sym("H"), sym("D")).layout(notion::dense).output();

constexpr auto decode = make_contract("decode", query, cache,
                                      indices.layout(notion::dense, unchecked("decode.cuh")), lengths, out)
                            .when(capability_between({12, 0}, {12, 1}))
                            .when(sym("T") <= parameter("decode_max_tokens"))
                            .when(sym("D") == 512)
                            .when(sym("page") == 64)
                            .when(one_of({sym("H"), sym("W")}, heads_and_widths));
constexpr auto paged = make_contract("paged", query, cache,
                                     indices.layout(notion::dense, checked_at("binding.cu")), lengths, out)
                           .when(capability_between({12, 0}, {12, 1}))
                           .when(sym("T") > parameter("decode_max_tokens"))
                           .when(sym("D") == 512)
                           .when(sym("page") == 64)
                           .when(one_of({sym("H"), sym("W")}, heads_and_widths));
constexpr auto pitched =
    make_contract("pitched", query, cache, indices.layout(notion::row_pitched), lengths, out)
        .when(capability_between({9, 0}, {10, 3}))
        .when(sym("D") == 512);
constexpr auto sparse_mla = make_dispatch("sparse_mla", decode, paged, pitched)
                                .with(library_parameter("decode_max_tokens", {64}))
                                .otherwise_refused("no kernel for these sizes");

preflight_plan plan() {
  preflight_plan p;
  p.capabilities = {{10, 0}, {12, 0}, {12, 1}};
  p.tables = {{"captured", {}}, {"padded_heads", {16, 32, 64, 128}}};
  for (index_t i = 1; i <= 512; ++i) p.tables[0].values.push_back(i);
  p.variables = {{"K", {"5"}},
                 {"requests", {"1..85"}},
                 {"rows", {"1", "next_in(requests * (1 + K), captured, 1 + K)"}},
                 {"tp", {"1", "2", "4", "8"}},
                 {"heads", {"next_in(128 / tp, padded_heads)"}},
                 {"width", {"128", "256", "512"}}};
  const auto buffer = [](std::string name, dtype type, std::vector<std::string> extents) {
    plan_buffer b;
    b.name = std::move(name);
    b.type = type;
    b.extents = std::move(extents);
    return b;
  };
  p.buffers = {buffer("query", types::bfloat16, {"rows", "heads", "512"}),
               buffer("output", types::bfloat16, {"rows", "heads", "512"}),
               buffer("cache", types::bfloat16, {"4096", "64", "512"}),
               buffer("c128a_decode", types::int32, {"512", "1024"}),
               buffer("lengths", types::int32, {"512"})};
  p.views = {{"indices", "c128a_decode.rows(0, rows).columns(0, width)", "metadata.cpp:8"}};
  p.calls = {{"verify",
              "sparse_mla",
              "rows",
              {"capability", "K", "tp", "width"},
              {{"q", {{"query", "", ""}}},
               {"kv_cache", {{"cache", "", ""}}},
               {"extra_indices", {{"indices", "", ""}}},
               {"extra_topk_length", {{"lengths.rows(0, rows)", "", ""}}},
               {"out", {{"output", "", ""}}}}}};
  return p;
}

void time_plan(benchmark::State& state, const preflight_plan& p) {
  preflight_contracts contracts;
  contracts.dispatches = {sparse_mla.view()};
  std::int64_t evaluations = 0;
  for (auto _ : state) {
    const preflight_report r = preflight(p, contracts);
    if (!r.error.empty()) return state.SkipWithError(r.error.c_str());
    evaluations += r.evaluations;
  }
  state.SetItemsProcessed(evaluations);
}

// All of it: plan compiled, every cell judged, the report made.
void the_seeds_plan(benchmark::State& state) {
  time_plan(state, plan());
}
// Every width, so that nearly all of the work is cells; and three values of the parameter.
void a_large_plan(benchmark::State& state) {
  preflight_plan p = plan();
  p.variables.back().values = {"1..128"};
  p.calls[0].by = {"capability", "tp"};
  time_plan(state, p);
}
void a_large_plan_and_three_parameter_values(benchmark::State& state) {
  preflight_plan p = plan();
  p.variables.back().values = {"1..128"};
  p.calls[0].by = {"capability", "tp"};
  p.parameters = {{"decode_max_tokens", {8, 24, 64}}};
  time_plan(state, p);
}
// The row count changes with every cell, so every argument but the cache is cut and judged again.
void rows_innermost(benchmark::State& state) {
  preflight_plan p = plan();
  p.variables = {{"K", {"5"}},
                 {"tp", {"1", "2", "4", "8"}},
                 {"heads", {"next_in(128 / tp, padded_heads)"}},
                 {"width", {"128", "256", "512"}},
                 {"rows", {"1..512"}}};
  time_plan(state, p);
}

BENCHMARK(the_seeds_plan)->Unit(benchmark::kMillisecond);
BENCHMARK(a_large_plan)->Unit(benchmark::kMillisecond);
BENCHMARK(a_large_plan_and_three_parameter_values)->Unit(benchmark::kMillisecond);
BENCHMARK(rows_innermost)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stridelock::benchmarks

BENCHMARK_MAIN();
