// Defects seen in matchers, group B: what symbols bind to.
//   B1  a wildcard is not remembered                 B4  forward references, both paths named
//   B2  the stride of a single row never binds       B5  declared guards are enforced
//   B3  -1 is a stride like any other
#include <gtest/gtest.h>

#include <limits>

#include "contracts/tests/judging.h"
#include "contracts/tests/small_contracts.h"
#include "contracts/tests/small_layouts.h"
#include "stridelock/descriptor.h"
#include "stridelock/layout.h"

namespace stridelock {
namespace {

using namespace testing;

constexpr auto wildcard =
    make_contract("wildcard", arg("x").shape(any, sym("D")), arg("y").shape(any, sym("D")));

TEST(defect, B1_a_wildcard_is_not_remembered) {
  EXPECT_TRUE(judge(wildcard, tensor("x", types::float32, {3, 128}, {128, 1}),
                    tensor("y", types::float32, {5, 128}, {128, 1})));
  EXPECT_FALSE(judge(wildcard, tensor("x", types::float32, {3, 128}, {128, 1}),
                     tensor("y", types::float32, {5, 64}, {64, 1})));
}

TEST(defect, B2_the_stride_of_a_single_row_never_binds) {
  const tensor_desc one_row = tensor("A", types::float32, {1, 128}, {4608, 1});
  const tensor_desc rows = tensor("B", types::float32, {4, 128}, {256, 1});
  evaluation_context context;
  context.is_stable = nullptr;
  for (const bool swapped : {false, true}) {
    const report r = swapped ? judge(pitched_pair, rows, one_row) : judge(pitched_pair, one_row, rows);
    EXPECT_TRUE(r) << text(r);
  }
  // What it was bound to shows as soon as a third fact fails: a pitch of 300 is compared with 256 both times.
  constexpr static auto three = make_contract("three", arg("a").shape(any, 128).strides(sym("P"), 1),
                                              arg("b").shape(any, 128).strides(sym("P"), 1),
                                              arg("c").shape(any, 128).strides(sym("P"), 1));
  const tensor_desc other = tensor("C", types::float32, {4, 128}, {300, 1});
  for (const bool swapped : {false, true}) {
    const report r = swapped ? judge(three, rows, one_row, other) : judge(three, one_row, rows, other);
    ASSERT_EQ(kinds(r), list{violation_kind::stride});
    EXPECT_EQ(r[0].found, 300);
    EXPECT_EQ(r[0].needed, 256);
    EXPECT_EQ(r.symbol(0).value, 256);
    EXPECT_TRUE(r.symbol(0).by_stride);
  }
}

TEST(defect, B2_a_stride_that_nothing_binds_is_reported_unbound) {
  constexpr static auto one =
      make_contract("one", arg("a").type(types::int8).shape(any, 128).strides(sym("P"), 1));
  const report r = judge(one, tensor("A", types::float32, {1, 128}, {4608, 1}));
  ASSERT_EQ(kinds(r), list{violation_kind::type});
  ASSERT_EQ(r.symbol_count(), 1);
  EXPECT_FALSE(r.symbol(0).bound);
}

TEST(defect, B3_minus_one_is_a_stride_like_any_other) {
  constexpr static auto reversed = make_contract("reversed", arg("a").shape(sym("n")).strides(sym("S")),
                                                 arg("b").shape(any).strides(sym("S")));
  const report r =
      judge(reversed, tensor("a", types::int32, {4}, {-1}), tensor("b", types::int32, {4}, {-2}));
  ASSERT_EQ(kinds(r), list{violation_kind::stride});
  EXPECT_EQ(r[0].found, -2);
  EXPECT_EQ(r[0].needed, -1);
  EXPECT_TRUE(judge(reversed, tensor("a", types::int32, {4}, {-1}), tensor("b", types::int32, {4}, {-1})));
}

TEST(defect, B4_forward_references_name_both_paths) {
  constexpr static auto forward =
      make_contract("forward", arg("first").shape(sym("n") + 1), arg("second").shape(sym("n")));
  EXPECT_TRUE(judge(forward, tensor("a", types::int32, {5}, {1}), tensor("b", types::int32, {4}, {1})));
  const report r = judge(forward, tensor("a", types::int32, {6}, {1}), tensor("b", types::int32, {4}, {1}));
  ASSERT_EQ(kinds(r), list{violation_kind::extent});
  EXPECT_EQ(r[0].found, 6);
  EXPECT_EQ(r[0].needed, 5);
  EXPECT_NE(
      text(r).find("argument 'first' breaks its contract: shape[0] is 6, needs n+1 = 5 from second.shape[0]"),
      std::string::npos)
      << text(r);
}

TEST(defect, B5_declared_guards_are_enforced) {
  constexpr static auto guarded =
      make_contract("guarded", arg("x").shape(any, sym("k"))).needs(divisible(sym("k"), 16));
  EXPECT_TRUE(judge(guarded, tensor("x", types::int32, {2, 32}, {32, 1})));
  const report r = judge(guarded, tensor("x", types::int32, {2, 24}, {24, 1}));
  ASSERT_EQ(kinds(r), list{violation_kind::guard});
  EXPECT_EQ(r.result(), verdict::refused);
}

}  // namespace
}  // namespace stridelock
