// Preflight: the seed's plan, agreement with the exact evaluator on every cell, and what bad plans get.
#include "stridelock/preflight.h"

#include <gtest/gtest.h>

#include <random>

#include "contracts/src/planned_call.h"
#include "stridelock/message.h"

namespace stridelock {
namespace {

constexpr index_t heads_and_widths[][2] = {{64, 512}, {128, 512}};

constexpr auto decode = make_contract("decode", arg("q").type(types::bfloat16).shape(sym("T"), sym("H"), 512),
                                      arg("indices")
                                          .type(types::int32)
                                          .shape(sym("T"), sym("W"))
                                          .layout(notion::dense, unchecked("decode.cuh:9"))
                                          .bounded("lengths"),
                                      arg("lengths").type(types::int32).shape(sym("T")).optional())
                            .when(on_capability(12, 0))
                            .when(sym("T") <= parameter("decode_max_tokens"))
                            .when(one_of({sym("H"), sym("W")}, heads_and_widths));
constexpr auto paged = make_contract("paged", arg("q").type(types::bfloat16).shape(sym("T"), sym("H"), 512),
                                     arg("indices")
                                         .type(types::int32)
                                         .shape(sym("T"), sym("W"))
                                         .layout(notion::dense, checked_at("binding.cu:225"))
                                         .aligned(16)
                                         .bounded("lengths"),
                                     arg("lengths").type(types::int32).shape(sym("T")).optional())
                           .when(on_capability(12, 0))
                           .when(sym("T") > parameter("decode_max_tokens"));
constexpr auto other =
    make_contract("pitched", arg("q"), arg("indices").shape(sym("T"), any).layout(notion::row_pitched),
                  arg("lengths").optional())
        .when(capability_between({9, 0}, {10, 3}));
constexpr auto attention =
    make_dispatch("attention", decode, paged, other)
        .with(library_parameter("decode_max_tokens", {64}, "flashinfer", "1", "a.py:74"));

preflight_contracts contracts() {
  preflight_contracts c;
  c.library = "flashinfer";
  c.version = "1";
  c.dispatches = {attention.view()};
  return c;
}

preflight_plan seed() {
  preflight_plan p;
  p.library = "flashinfer";
  p.version = "1";
  p.capabilities = {{10, 0}, {12, 0}};
  p.variables = {{"K", {"5"}}, {"rows", {"1", "1 + K..510 by 1 + K"}}, {"W", {"512"}}, {"H", {"64", "128"}}};
  p.buffers = {{"q", types::bfloat16, {"rows", "H", "512"}, {}, {device_kind::cuda, 0}, 256, true, ""},
               {"buffer", types::int32, {"512", "1024"}, {}, {device_kind::cuda, 0}, 256, true, ""},
               {"lengths", types::int32, {"512"}, {}, {device_kind::cuda, 0}, 256, true, ""}};
  p.calls = {{"verify",
              "attention",
              "rows",
              {},
              {{"q", {{"q", "", ""}}},
               {"indices", {{"buffer.rows(0, rows).columns(0, W)", "", "engine/metadata.cpp:88"}}},
               {"lengths", {{"lengths.rows(0, rows)", "", ""}}}}}};
  return p;
}

TEST(preflight, TheSeedsPlan) {
  const preflight_report r = preflight(seed(), contracts());
  ASSERT_EQ(r.error, "");
  EXPECT_FALSE(r.ok());
  EXPECT_EQ(text(r), R"(verify (attention): capability = 10.0; K = 5; W = 512; H = 64, 128
  rows 1..510  ok  pitched
  T <= decode_max_tokens = 64: 60 is 4 under it, 66 is 2 over it
  the same for every value of decode_max_tokens = 64

verify (attention): capability = 12.0; K = 5; W = 512; H = 64, 128
  rows 1        ok       decode
       6..60    silent   decode: argument 'indices' breaks its contract: row pitch is 1024, needs 512 (dense rows) (unchecked, decode.cuh:9)
       66..510  refused  paged: argument 'indices' breaks its contract: row pitch is 1024, needs 512 (dense rows) (checked, binding.cu:225)
  last that passes 1, first that fails 6
  T <= decode_max_tokens = 64: 60 is 4 under it, 66 is 2 over it
  the same for every value of decode_max_tokens = 64
)" + text(r).substr(text(r).find("    attention: argument")));
  EXPECT_EQ(r.cells, 2 * 86 * 2);
  EXPECT_EQ(r.by_verdict[static_cast<int>(cell_verdict::ok)], 86 * 2 + 2);
  EXPECT_EQ(r.by_verdict[static_cast<int>(cell_verdict::silent)], 10 * 2);
  EXPECT_EQ(r.by_verdict[static_cast<int>(cell_verdict::refused)], 75 * 2);
  ASSERT_EQ(r.rows.size(), 2u);
  EXPECT_NE(r.rows[1].message.find("from  columns [0, 512) of 'buffer' (512,1024) (engine/metadata.cpp:88)"),
            std::string::npos)
      << r.rows[1].message;
}

TEST(preflight, DraftLengthsAndTheirThresholds) {
  preflight_plan p = seed();
  p.capabilities = {{12, 0}};
  p.variables[0].values = {"1..7"};
  p.variables[1].values = {"1 + K..512 by 1 + K"};
  p.variables[3].values = {"64"};
  const preflight_report r = preflight(p, contracts());
  ASSERT_EQ(r.error, "");
  ASSERT_EQ(r.rows.size(), 7u);
  const index_t expected[7][2] = {{64, 66}, {63, 66}, {64, 68}, {60, 65}, {60, 66}, {63, 70}, {64, 72}};
  for (std::size_t k = 0; k < 7; ++k) {
    ASSERT_EQ(r.rows[k].thresholds.size(), 1u);
    EXPECT_EQ(r.rows[k].thresholds[0].below, expected[k][0]) << "K = " << k + 1;
    EXPECT_EQ(r.rows[k].thresholds[0].above, expected[k][1]) << "K = " << k + 1;
  }
}

TEST(preflight, ATunedParameterThatMatters) {
  preflight_plan p = seed();
  p.capabilities = {{12, 0}};
  p.parameters = {{"decode_max_tokens", {8, 24, 64}}};
  const preflight_report r = preflight(p, contracts());
  ASSERT_EQ(r.error, "");
  ASSERT_EQ(r.rows.size(), 1u);
  EXPECT_TRUE(r.rows[0].depends_on_parameter);
  EXPECT_EQ(r.rows[0].parameters, "decode_max_tokens in {8, 24, 64}");
  EXPECT_EQ(r.depending, 9 * 2);
  ASSERT_EQ(r.rows[0].ranges.size(), 5u);
  EXPECT_EQ(r.rows[0].ranges[2].first, 12);
  EXPECT_EQ(r.rows[0].ranges[2].last, 24);
  EXPECT_EQ(r.rows[0].ranges[2].by_parameter,
            (std::vector<std::string>{"decode_max_tokens = 8: refused", "decode_max_tokens = 24: silent",
                                      "decode_max_tokens = 64: silent"}));
  EXPECT_EQ(r.rows[0].thresholds.size(), 3u);
}

TEST(preflight, AVerdictThatDoesNotDependSaysSo) {
  preflight_plan p = seed();
  p.capabilities = {{10, 0}};
  p.parameters = {{"decode_max_tokens", {8, 24, 64}}};
  const preflight_report r = preflight(p, contracts());
  EXPECT_TRUE(r.ok()) << text(r);
  EXPECT_NE(text(r).find("the same for every value of decode_max_tokens in {8, 24, 64}"), std::string::npos);
}

TEST(preflight, WhatStaleColumnsHoldDecides) {
  constexpr auto reader = make_contract(
      "reader",
      arg("x").shape(sym("T"), sym("W")).whole_row(stale_policy::must_be_cleared, checked_at("r.cu:1")));
  preflight_contracts c;
  const contract_view view = reader.view();
  c.dispatches = {{"read", &view, 1, nullptr, 0}};
  const auto verdict_with = [&](const std::string& steps) {
    preflight_plan p;
    p.variables = {{"T", {"1..4"}}};
    p.buffers = {{"x", types::int32, {"T", "8"}, {}, {device_kind::cuda, 0}, 256, true, ""}};
    p.calls = {{"c", "read", "T", {}, {{"x", {{"x.active(1, 5)" + steps, "", ""}}}}}};
    const preflight_report r = preflight(p, c);
    return r.error.empty() ? std::string(to_string(r.rows.at(0).ranges.at(0).verdict)) : r.error;
  };
  EXPECT_EQ(verdict_with(""), "refused");
  EXPECT_EQ(verdict_with(".stale_holds(cleared)"), "ok");
  EXPECT_EQ(verdict_with(".stale_holds(earlier_step)"), "refused");
  EXPECT_EQ(verdict_with(".stale_holds(cleared).columns(0, 4)"), "ok");
  EXPECT_EQ(verdict_with(".stale_holds(unknown)"), "refused");
}

TEST(preflight, PlansBeyondALimitAreRefusedAtOnce) {
  const auto error_with = [](std::vector<plan_variable> more, std::vector<std::string> only) {
    preflight_plan p = seed();
    p.variables[1].values = {"1"};
    p.variables.insert(p.variables.end(), more.begin(), more.end());
    p.only = std::move(only);
    p.most_cells = 300'000;
    return preflight(p, contracts()).error;
  };
  const plan_variable a{"a", {"1..1000000"}}, b{"b", {"1..1000000"}};
  EXPECT_EQ(error_with({a, b}, {}), "expected at most 300000 cells");
  EXPECT_EQ(error_with({{"a", {"1..1000000000000 by 1000"}}}, {}),
            "variable 'a': more than 1000000 values of 'a' where K = 5, rows = 1, W = 512, H = 64");
  const std::string looks =
      "expected at most 3000000 combinations of values, with those that `only` leaves out";
  EXPECT_EQ(error_with({a, b}, {"a == b"}), looks);
  EXPECT_EQ(error_with({a, {"b", {"2..1"}}}, {}), looks);
  EXPECT_EQ(error_with({{"a", {"1..60000"}}}, {}),
            "expected at most 100000 combinations of the variables in `by`: name fewer");
  EXPECT_EQ(error_with({a, a}, {}), "expected each variable once, found a second");

  preflight_plan p = seed();
  for (int i = 0; i < 70; ++i) p.variables.push_back({"v" + std::to_string(i), {"1"}});
  EXPECT_EQ(preflight(p, contracts()).error, "expected at most 63 variables");
  p = seed();
  p.most_cells = 344;
  p.parameters = {{"decode_max_tokens", {}}};
  for (index_t i = 0; i < 11; ++i) p.parameters[0].values.push_back(i);
  EXPECT_EQ(preflight(p, contracts()).error,
            "'verify': expected at most 3440 evaluations: cells by combinations of parameter values");
  p.parameters[0].values.assign(5000, 1);
  EXPECT_EQ(preflight(p, contracts()).error,
            "'verify': expected at most 4096 combinations of parameter values");
}

TEST(preflight, UncoveredAndUndefinedCellsAreCounted) {
  preflight_plan p = seed();
  p.capabilities = {{12, 1}};  // no branch
  p.variables[1].values = {"1", "600"};
  const preflight_report r = preflight(p, contracts());
  ASSERT_EQ(r.error, "");
  EXPECT_FALSE(r.ok());
  EXPECT_EQ(r.by_verdict[static_cast<int>(cell_verdict::uncovered)], 2);
  EXPECT_EQ(r.by_verdict[static_cast<int>(cell_verdict::undefined)], 2);
  EXPECT_NE(
      text(r).find("600  undefined  a view does not fit into 'buffer' (512,1024): rows [0, 600) of 512\n"),
      std::string::npos)
      << text(r);
  EXPECT_NE(text(r).find("uncovered  no branch of its contract covers this case"), std::string::npos)
      << text(r);
}

TEST(preflight, ABufferOfNegativeExtentIsUndefinedNotJudged) {
  preflight_plan p = seed();
  p.buffers[0].extents = {"rows", "H - 100", "512"};
  const preflight_report r = preflight(p, contracts());
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.by_verdict[static_cast<int>(cell_verdict::undefined)], r.cells / 2);  // H = 64
  EXPECT_NE(text(r).find("'q' (1,-36,512): its sizes are negative or beyond 64 bits"), std::string::npos)
      << text(r);
}

// What reads like a plan and is none: each is refused with the text it is about, which the command turns into a line.
TEST(preflight, MistakesAreRefusedWithTheirText) {
  const auto fault = [](auto change) {
    preflight_plan p = seed();
    change(p);
    const preflight_report r = preflight(p, contracts());
    const plan_fault checked = check_plan(p, contracts());
    EXPECT_EQ(r.fault.error, checked.error);
    EXPECT_EQ(r.fault.where, checked.where);
    return std::pair(checked.error, checked.where);
  };
  using text_pair = std::pair<std::string, std::string>;
  EXPECT_EQ(fault([](preflight_plan& p) { p.only = {"rows"}; }),
            text_pair("expected a comparison, such as rows <= 64, found 'rows'", "rows"));
  EXPECT_EQ(fault([](preflight_plan& p) { p.calls[0].arguments[0].choices[0].when = "1"; }),
            text_pair("expected a comparison, such as rows <= 64, found '1'", "1"));
  EXPECT_EQ(fault([](preflight_plan& p) { p.views.push_back({"buffer", "q", ""}); }),
            text_pair("expected another name: a buffer has it", "buffer"));
  EXPECT_EQ(fault([](preflight_plan& p) {
              p.views.push_back({"v", "q", ""});
              p.views.push_back({"v", "buffer", ""});
            }),
            text_pair("expected each view once, found a second", "v"));
  EXPECT_EQ(fault([](preflight_plan& p) {
              p.capabilities.clear();
              p.only = {"capability >= 120"};
            }),
            text_pair("expected `capabilities` in the plan: 'capability' has no value without",
                      "capability >= 120"));
  EXPECT_EQ(fault([](preflight_plan& p) {
              p.capabilities.clear();
              p.calls[0].by = {"capability", "K"};
            }),
            text_pair("expected `capabilities` in the plan, which `by` names", "capability"));
  EXPECT_EQ(fault([](preflight_plan& p) { p.variables[0].values = {"1..oops"}; }).second, "1..oops");
}

TEST(preflight, TheRoundingOfAnEngine) {
  preflight_plan p = seed();
  p.capabilities = {{12, 0}};
  p.tables = {{"captured", {1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80}}};
  p.variables = {{"K", {"5"}},
                 {"n", {"1..13"}},
                 {"rows", {"next_in(n * (1 + K), captured, 1 + K)"}},
                 {"W", {"512"}},
                 {"H", {"64"}}};
  p.calls[0].by = {"K"};
  const preflight_report r = preflight(p, contracts());
  ASSERT_EQ(r.error, "");
  ASSERT_EQ(r.rows.size(), 1u);
  ASSERT_EQ(r.rows[0].ranges.size(), 2u);
  EXPECT_EQ(r.rows[0].ranges[0].last, 60);   // 56 captured, rounded up to a multiple of 6
  EXPECT_EQ(r.rows[0].ranges[1].first, 66);  // 64 captured, rounded up; 80 becomes 84
  EXPECT_EQ(r.rows[0].ranges[1].last, 84);
}

// Every combination of parameter values, in the cell that was set.
void expect_as_exact(detail::planned_call& call, const std::vector<index_t>& slots, int (&seen)[6]) {
  std::string cell;
  for (index_t v : slots) cell += " " + std::to_string(v);
  for (std::size_t c = 0; c < call.combinations(); ++c) {
    const detail::cell_outcome fast = call.judge(c);
    const report exact = call.explain(slots.data(), c);
    ++seen[static_cast<int>(fast.verdict)];
    const verdict as_exact =
        fast.verdict == cell_verdict::ok       ? verdict::ok
        : fast.verdict == cell_verdict::silent ? verdict::silent
        : fast.verdict == cell_verdict::uncovered || fast.verdict == cell_verdict::no_kernel
            ? verdict::no_kernel
            : verdict::refused;
    ASSERT_EQ(as_exact, exact.result()) << cell << "\n" << text(exact);
    if (exact.ok()) continue;
    const violation& headline = exact[exact.headline()];
    ASSERT_EQ(headline.kind, fast.first.kind) << cell << "\n" << text(exact);
    ASSERT_EQ(headline.how, fast.first.how) << cell;
    ASSERT_EQ(headline.where, fast.first.where) << cell;
    ASSERT_EQ(headline.argument, fast.first.argument) << cell;
    ASSERT_EQ(headline.dim, fast.first.dim) << cell;
    ASSERT_EQ(headline.other, fast.first.other) << cell;
    ASSERT_EQ(headline.symbol, fast.first.symbol) << cell;
    ASSERT_EQ(headline.found, fast.first.found) << cell;
    ASSERT_EQ(headline.needed, fast.first.needed) << cell;
  }
}

TEST(preflight, AgreesWithTheExactEvaluatorOnEveryCell) {
  preflight_plan p = seed();
  p.capabilities = {{9, 0}, {12, 0}, {12, 1}};
  p.variables = {{"rows", {"0..9", "63..67"}}, {"W", {"1", "256", "512", "1024"}}, {"H", {"64", "128", "96"}},
                 {"shift", {"0", "1", "4"}},   {"has_lengths", {"0", "1"}},        {"other", {"0", "1"}}};
  p.parameters = {{"decode_max_tokens", {8, 64}}};
  p.buffers[0].extents = {"rows + other", "H", "512"};
  p.buffers[1].alignment = 16;
  p.calls[0].arguments[1].choices[0].cut =
      "buffer.slice(0, shift, shift + rows).slice(1, 0, W).transpose(1, 1)";
  p.calls[0].arguments[1].choices.insert(
      p.calls[0].arguments[1].choices.begin(),
      plan_choice{"buffer.columns(shift, 512).rows(0, rows)", "other == 1", ""});
  p.calls[0].arguments[2].choices[0].when = "has_lengths == 1";

  const detail::planned_world world(p);
  detail::planned_call call(p, world, p.calls[0], attention.view());
  int seen[6] = {}, cells = 0;
  std::vector<index_t> slots(7);
  for (index_t cap : {90, 120, 121})
    for (index_t rows : {0, 1, 2, 7, 8, 9, 63, 64, 65, 66})
      for (index_t W : {1, 256, 512, 1024})
        for (index_t H : {64, 128, 96})
          for (index_t shift : {0, 1, 4})
            for (index_t lengths : {0, 1})
              for (index_t another : {0, 1}) {
                slots = {cap, rows, W, H, shift, lengths, another};
                ASSERT_TRUE(call.set(slots.data()));
                cells += static_cast<int>(call.combinations());
                ASSERT_NO_FATAL_FAILURE(expect_as_exact(call, slots, seen));
              }
  EXPECT_EQ(cells, 3 * 10 * 4 * 3 * 3 * 2 * 2 * 2);
  for (cell_verdict v :
       {cell_verdict::ok, cell_verdict::silent, cell_verdict::refused, cell_verdict::uncovered})
    EXPECT_GT(seen[static_cast<int>(v)], 100) << to_string(v);
}

// A contract in which every way to keep an answer is tempted: symbols bound by strides, by another argument, or not at all,
// parameters in a shape, memory shared, presence, device and tensor maps.
constexpr auto first_kernel =
    make_contract("first", arg("a").shape(sym("M"), sym("K")).layout(notion::row_pitched).aligned(16),
                  arg("b").shape(sym("N"), sym("K")).or_shape(sym("N"), sym("G"), 4).stable().optional(),
                  arg("c")
                      .type(types::float32)
                      .shape(2 * sym("M"), parameter("split"))
                      .same_view_or_disjoint("a", unchecked("c.cu:1"))
                      .output()
                      .whole_row(stale_policy::must_be_cleared, unchecked("c.cu:2")),
                  arg("d").on(device_kind::cpu, checked_at("d.cu:1")).bounded("b").optional())
        .when(is_present("b"))
        .when(sym("M") <= 4)
        .when(sym("N") >= 0)
        .needs(divisible(sym("K"), 2), checked_at("g.cu:1"));
constexpr auto second_kernel =
    make_contract("second", arg("a").shape(sym("M"), sym("K")).strides(sym("P"), 1), arg("b").optional(),
                  arg("c").disjoint_from("a", checked_at("c.cu:3")), arg("d").optional())
        .when(capability_between({9, 0}, {12, 0}))
        .when(is_absent("b"));
constexpr auto many_ways = make_dispatch("many_ways", first_kernel, second_kernel)
                               .with(library_parameter("split", {2, 3}))
                               .otherwise_refused();

TEST(preflight, AgreesWithTheExactEvaluatorInAnyOrderOfCells) {
  preflight_plan p;
  p.variables = {{"m", {"0"}}, {"k", {"0"}}, {"s", {"0"}}, {"way", {"0"}}, {"there", {"0"}}};
  const auto buffer = [](std::string name, dtype type, std::vector<std::string> extents, device where) {
    plan_buffer b{std::move(name), type, std::move(extents), {}, where, 16, true, ""};
    b.is_stable = b.name != "loose";
    return b;
  };
  const device gpu{device_kind::cuda, 0};
  p.buffers = {buffer("x", types::float32, {"8", "s"}, gpu), buffer("y", types::float32, {"8", "6"}, gpu),
               buffer("loose", types::float32, {"k - 1", "2", "4"}, gpu),
               buffer("far", types::float16, {"m", "k"}, {device_kind::cuda, 1}),
               buffer("host", types::int32, {"m"}, {device_kind::cpu, 0})};
  p.calls = {{"any",
              "many_ways",
              "m",
              {},
              {{"a",
                {{"x.rows(0, m).columns(0, k)", "way == 0", ""},
                 {"x.transpose(0, 1)", "way == 1", ""},
                 {"far", "way == 2", ""},
                 {"y.rows(there % 3, m + there % 3).columns(0, k)", "way == 3", ""}}},
               {"b", {{"y.rows(0, k).columns(0, s)", "there % 4 == 1", ""}, {"loose", "there % 4 == 2", ""}}},
               {"c",
                {{"x.rows(0, 2 * m).columns(0, 2).active(1, k)", "way < 2", ""},
                 {"y.rows(m, 3 * m).columns(0, 3)", "way == 2", ""},
                 {"y.rows(0, m).columns(0, k)", "", ""}}},
               {"d", {{"host", "there < 4", ""}, {"far", "there > 6", ""}}}}}};
  const detail::planned_world world(p);
  detail::planned_call call(p, world, p.calls[0], many_ways.view());
  std::mt19937_64 random(1);
  std::vector<index_t> slots(6);
  int seen[6] = {}, computed = 0;
  constexpr int tries = 40000;
  for (int i = 0; i < tries; ++i) {
    // One or two variables change at a time, as they do in a plan, or all of them.
    const int changes = i % 16 == 0 ? 6 : 1 + static_cast<int>(random() % 2);
    for (int n = 0; n < changes; ++n) {
      constexpr index_t most[] = {0, 6, 7, 8, 4, 9};
      const std::size_t at = changes == 6 ? static_cast<std::size_t>(n) : random() % 6;
      slots[at] =
          at == 0 ? index_t{random() % 3 == 0 ? 121 : 120} : static_cast<index_t>(random() % most[at]);
    }
    if (!call.set(slots.data())) continue;  // a view outside its buffer
    ++computed;
    ASSERT_NO_FATAL_FAILURE(expect_as_exact(call, slots, seen));
  }
  EXPECT_GT(computed, tries / 4);
  EXPECT_GT(seen[static_cast<int>(cell_verdict::ok)], 10);
  for (cell_verdict v : {cell_verdict::silent, cell_verdict::refused, cell_verdict::no_kernel})
    EXPECT_GT(seen[static_cast<int>(v)], 100) << to_string(v);
}

std::string error_of(void (*spoil)(preflight_plan&)) {
  preflight_plan p = seed();
  spoil(p);
  return preflight(p, contracts()).error;
}

TEST(preflight, ErrorsNameTheThing) {
  EXPECT_EQ(error_of([](preflight_plan& p) { p.version = "2"; }),
            "the plan runs flashinfer 2, the contracts are of version '1': infer or write them for 2");
  EXPECT_EQ(error_of([](preflight_plan& p) { p.library = "other"; }),
            "the plan runs 'other', the contracts are of 'flashinfer'");
  EXPECT_EQ(error_of([](preflight_plan& p) { p.variables[1].values = {"n * 2"}; }),
            "'n * 2': unknown variable 'n'. Known here: capability, K");
  EXPECT_EQ(error_of([](preflight_plan& p) { p.variables[1].values = {"next_in(K, sizes)"}; }),
            "'next_in(K, sizes)': unknown table 'sizes'");
  EXPECT_EQ(error_of([](preflight_plan& p) { p.variables[1].values = {"K / (K - K)"}; }),
            "variable 'rows': 'K / (K - K)' divides by zero, or a negative number where K = 5");
  EXPECT_EQ(error_of([](preflight_plan& p) { p.calls[0].dispatch = "attn"; }),
            "unknown dispatch 'attn'. The contracts have: attention");
  EXPECT_EQ(error_of([](preflight_plan& p) { p.calls[0].over = "row"; }),
            "'row': expected a variable of the plan in `over`");
  EXPECT_EQ(error_of([](preflight_plan& p) { p.calls[0].arguments[0].name = "query"; }),
            "'attention' has no argument 'query'. It has: q, indices, lengths");
  EXPECT_EQ(error_of([](preflight_plan& p) { p.calls[0].arguments[0].choices[0].cut = "buffers"; }),
            "unknown buffer or view 'buffers'. Known: q, buffer, lengths");
  EXPECT_EQ(error_of([](preflight_plan& p) { p.calls[0].arguments[0].choices[0].cut = "q.row(0, 1)"; }),
            "'q.row(0, 1)': expected rows(a, b), columns(a, b), slice(dim, a, b), select(dim, i), "
            "transpose(a, b), active(dim, count) or stale_holds(word) at 'row(0, 1)'");
  EXPECT_EQ(
      error_of([](preflight_plan& p) { p.calls[0].arguments[0].choices[0].cut = "q.stale_holds(zero)"; }),
      "'q.stale_holds(zero)': expected cleared, earlier_step or unknown in stale_holds, found 'zero'");
  EXPECT_EQ(error_of([](preflight_plan& p) { p.parameters = {{"limit", {1}}}; }),
            "unknown parameter 'limit'. The contracts have: decode_max_tokens");
  EXPECT_EQ(error_of([](preflight_plan& p) { p.only = {"rows > 1000"}; }),
            "'rows > 1000': the plan has no cell: `only` leaves nothing");
  EXPECT_EQ(error_of([](preflight_plan& p) { p.variables[1].values = {"0..9223372036854775807"}; }),
            "variable 'rows': more than 1000000 values of 'rows' where K = 5");
  EXPECT_EQ(error_of([](preflight_plan& p) { p.most_cells = 3; }), "expected at most 3 cells");
}

TEST(preflight, ExpressionsNeverWrap) {
  detail::plan_names names;
  const std::vector<plan_table> tables = {{"t", {8, 1, 4}}};
  names.tables = &tables;
  names.has_capability = true;
  names.slots = {"capability", "x"};
  const index_t slots[] = {120, 7};
  index_t v = 0;
  const auto value = [&](std::string_view text) {
    return detail::plan_expression::compile(text, names).value(slots, v) ? v : -12345;
  };
  EXPECT_EQ(value("1 + 2 * 3 - 4"), 3);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("x % 4 + x / 2"), 6);
  EXPECT_EQ(value("ceil_div(x, 2)"), 4);
  EXPECT_EQ(value("round_up(x, 4)"), 8);
  EXPECT_EQ(value("pow2(x)"), 8);
  EXPECT_EQ(value("next_in(2, t)"), 4);
  EXPECT_EQ(value("next_in(5, t, 3)"), 6);
  EXPECT_EQ(value("next_in(9, t)"), -12345);
  EXPECT_EQ(value("min(x, 3) + max(x, 9)"), 12);
  EXPECT_EQ(value("capability >= 120"), 1);
  EXPECT_EQ(value("x == 8"), 0);
  EXPECT_EQ(value("9223372036854775807 + x"), -12345);
  EXPECT_EQ(value("9223372036854775807 * x"), -12345);
  EXPECT_EQ(value("-9223372036854775808 - x"), -12345);
  EXPECT_EQ(value("x / 0"), -12345);
  EXPECT_EQ(value("round_up(9223372036854775807, 2)"), -12345);
  EXPECT_EQ(value("pow2(9223372036854775807)"), -12345);
}

}  // namespace
}  // namespace stridelock
