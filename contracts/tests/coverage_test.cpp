#include "stridelock/coverage.h"

#include <gtest/gtest.h>

namespace stridelock {
namespace {

constexpr index_t pairs[][2] = {{64, 512}, {128, 512}};

constexpr auto small =
    make_contract("small", arg("x").shape(sym("T"), sym("H"))).when(sym("T") <= parameter("limit"));
constexpr auto large =
    make_contract("large", arg("x").shape(sym("T"), sym("H"))).when(sym("T") > parameter("limit"));
constexpr auto larger =
    make_contract("larger", arg("x").shape(sym("T"), sym("H"))).when(sym("T") > parameter("limit") + 1);
constexpr auto as_large =
    make_contract("as_large", arg("x").shape(sym("T"), sym("H"))).when(sym("T") >= parameter("limit"));

TEST(coverage, complementary_conditions_are_complete_for_every_parameter_value) {
  constexpr static auto d = make_dispatch("d", small, large).with(library_parameter("limit", {8, 64}));
  const coverage_result r = find_coverage_fault(d.view());
  EXPECT_TRUE(r.complete());
  EXPECT_TRUE(r.exact);
  EXPECT_EQ(text(r), "every case is covered once");
}

TEST(coverage, a_gap_is_shown_by_its_smallest_case) {
  constexpr static auto d = make_dispatch("d", small, larger).with(library_parameter("limit", {64}));
  EXPECT_EQ(text(find_coverage_fault(d.view())), "no branch covers limit = 64, T = 65");
}

TEST(coverage, an_overlap_names_both_branches) {
  constexpr static auto d = make_dispatch("d", small, as_large).with(library_parameter("limit", {64}));
  EXPECT_EQ(text(find_coverage_fault(d.view())), "'small' and 'as_large' both cover limit = 64, T = 64");
}

TEST(coverage, a_refusal_fills_a_gap_and_cannot_hide_an_overlap) {
  constexpr static auto filled =
      make_dispatch("d", small).with(library_parameter("limit", {64})).otherwise_refused();
  EXPECT_TRUE(find_coverage_fault(filled.view()).complete());
  constexpr static auto doubled =
      make_dispatch("d", small, as_large).with(library_parameter("limit", {64})).otherwise_refused();
  EXPECT_EQ(find_coverage_fault(doubled.view()).kind, coverage_kind::overlap);
}

TEST(coverage, tuples_presence_and_capability) {
  constexpr static auto in = make_contract("in", arg("x").shape(sym("T"), sym("H")), arg("extra").optional())
                                 .when(one_of({sym("T"), sym("H")}, pairs))
                                 .when(on_capability(12, 0));
  constexpr static auto out =
      make_contract("out", arg("x").shape(sym("T"), sym("H")), arg("extra").optional())
          .when(none_of({sym("T"), sym("H")}, pairs));
  constexpr static auto d = make_dispatch("d", in, out);
  EXPECT_EQ(text(find_coverage_fault(d.view())), "no branch covers T = 64, H = 512, capability 11.9");
  constexpr static auto elsewhere =
      make_contract("elsewhere", arg("x").shape(sym("T"), sym("H")), arg("extra").optional())
          .when(one_of({sym("T"), sym("H")}, pairs))
          .when(capability_between({0, 1}, {11, 9}));
  constexpr static auto above =
      make_contract("above", arg("x").shape(sym("T"), sym("H")), arg("extra").optional())
          .when(one_of({sym("T"), sym("H")}, pairs))
          .when(capability_between({12, 1}, {99, 9}));
  constexpr static auto full = make_dispatch("d", in, out, elsewhere, above).otherwise_refused();
  EXPECT_TRUE(find_coverage_fault(full.view()).complete());
  constexpr static auto with =
      make_contract("with", arg("x"), arg("extra").optional()).when(is_present("extra"));
  constexpr static auto always = make_contract("always", arg("x"), arg("extra").optional());
  constexpr static auto twice = make_dispatch("d", with, always);
  EXPECT_EQ(text(find_coverage_fault(twice.view())), "'with' and 'always' both cover 'extra' present");
}

TEST(coverage, what_is_only_sampled_says_so) {
  constexpr static auto fits =
      make_contract("fits", arg("x").shape(sym("T"), sym("H"))).when(sym("T") <= sym("H"));
  constexpr static auto not_fits =
      make_contract("not_fits", arg("x").shape(sym("T"), sym("H"))).when(sym("T") > sym("H"));
  constexpr static auto d = make_dispatch("d", fits, not_fits);
  const coverage_result r = find_coverage_fault(d.view());
  EXPECT_TRUE(r.complete());
  EXPECT_FALSE(r.exact);
  EXPECT_EQ(find_coverage_fault(d.view(), 1).kind, coverage_kind::limited);
}

TEST(coverage, a_parameter_that_is_not_declared_is_a_gap) {
  constexpr static auto d = make_dispatch("d", small, large);
  EXPECT_EQ(find_coverage_fault(d.view()).kind, coverage_kind::gap);
}

// The compiler runs the same search. What it refuses is in runtime/tests/misuse.
constexpr index_t heads[][2] = {{64, 512}, {128, 512}};
constexpr auto fast =
    make_contract("fast", arg("x").shape(sym("T"), sym("H"), sym("D")), arg("extra").optional())
        .when(sym("T") <= parameter("limit"))
        .when(one_of({sym("H"), sym("D")}, heads))
        .when(is_absent("extra"))
        .when(capability_between({12, 0}, {12, 1}));
constexpr auto slow = make_contract("slow", arg("x").shape(sym("T"), any, any), arg("extra").optional())
                          .when(sym("T") > parameter("limit"));
constexpr auto planned =
    make_dispatch("planned", fast, slow).with(library_parameter("limit", {8, 24, 64})).otherwise_refused();
static_assert(covers_every_case<planned>());

TEST(coverage, more_variables_than_have_a_place_are_not_called_covered) {
  const dispatch_view what = planned.view();
  detail::coverage_search<1, 64> search(what);
  EXPECT_NE(search.run(1000000).kind, coverage_kind::complete);
  detail::coverage_search<12, 2> few_values(what);
  EXPECT_NE(few_values.run(1000000).kind, coverage_kind::complete);
}

TEST(coverage, numbers_at_the_limits_do_not_wrap) {
  constexpr static auto low =
      make_contract("low", arg("x").shape(sym("T"))).when(2 * sym("T") < checked::highest);
  constexpr static auto high =
      make_contract("high", arg("x").shape(sym("T"))).when(2 * sym("T") >= checked::highest);
  constexpr static auto d = make_dispatch("d", low, high);
  const coverage_result r = find_coverage_fault(d.view());
  EXPECT_EQ(r.kind, coverage_kind::gap);  // where 2 * T does not fit, neither comparison holds
}

}  // namespace
}  // namespace stridelock
