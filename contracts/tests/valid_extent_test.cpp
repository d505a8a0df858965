// Active and full width: what a kernel reads beyond this step's data, and what it must find there.
#include "stridelock/valid_extent.h"

#include <gtest/gtest.h>

#include "contracts/tests/judging.h"

namespace stridelock {
namespace {

using namespace testing;

const tensor_desc buffer = tensor_desc::dense("indices", types::int32, {8, 16}, gpu, base);

constexpr auto whole = make_contract("whole", arg("i").whole_row());
constexpr auto whole_sentinel =
    make_contract("whole_sentinel", arg("i").whole_row(stale_policy::must_be_cleared));
constexpr auto whole_valid = make_contract("whole_valid", arg("i").whole_row(stale_policy::any_valid_value));
constexpr auto whole_ignored = make_contract("whole_ignored", arg("i").whole_row(stale_policy::ignored));
constexpr auto bounded = make_contract("bounded", arg("i").bounded_outside("lengths"));
constexpr auto tiled = make_contract("tiled", arg("i").up_to_tile(3, stale_policy::ignored, unchecked()));
constexpr auto tiled_sentinel =
    make_contract("tiled_sentinel", arg("i").up_to_tile(8, stale_policy::must_be_cleared));

TEST(valid_extent, a_tile_that_goes_beyond_the_view_is_a_violation) {
  const tensor_desc five = tensor_desc::dense("indices", types::int32, {2, 5}, gpu, base);
  for (const tensor_desc& view : {five, five.activated_columns(5)}) {
    const report r = judge(tiled, view);
    ASSERT_EQ(kinds(r), list{violation_kind::reads_beyond});
    EXPECT_EQ(r[0].found, 6);
    EXPECT_EQ(r[0].needed, 5);
    EXPECT_EQ(r.result(), verdict::silent);
  }
  EXPECT_TRUE(
      judge(tiled, tensor_desc::dense("indices", types::int32, {2, 6}, gpu, base).activated_columns(5)));
}

TEST(valid_extent, more_columns_than_were_captured) {
  for (const report& r :
       {judge(whole_ignored, buffer.activated_columns(17)), judge(bounded, buffer.activated_columns(17))}) {
    ASSERT_EQ(kinds(r), list{violation_kind::active_extent});
    EXPECT_EQ(r[0].dim, 1);
    EXPECT_EQ(r[0].found, 17);
    EXPECT_EQ(r[0].needed, 16);
  }
  // A width is checked inside a capture and for fake tensors like everywhere else: it needs no data.
  evaluation_context fake;
  fake.without_data = true;
  EXPECT_EQ(kinds(judge_in(fake, whole_ignored, buffer.activated_columns(17))),
            list{violation_kind::active_extent});
  EXPECT_EQ(kinds(judge_in(fake, tiled, tensor_desc::dense("i", types::int32, {2, 5}, gpu))),
            list{violation_kind::reads_beyond});
}

TEST(valid_extent, shrinking_without_clearing_breaks_the_sentinel_policy_alone) {
  const tensor_desc shrunk = buffer.cleared().activated_columns(16).activated_columns(4);
  const report r = judge(whole_sentinel, shrunk);
  ASSERT_EQ(kinds(r), list{violation_kind::stale_read});
  EXPECT_EQ(r[0].found, 4);
  EXPECT_EQ(r[0].needed, 16);
  EXPECT_TRUE(judge(whole_valid, shrunk));
  EXPECT_TRUE(judge(whole_ignored, shrunk));
  EXPECT_TRUE(judge(bounded, shrunk));
  EXPECT_TRUE(judge(whole_sentinel, shrunk.cleared()));
}

TEST(valid_extent, what_is_not_said_is_not_allowed) {
  EXPECT_TRUE(judge(whole, buffer));  // everything is active
  EXPECT_TRUE(judge(whole, buffer.activated_columns(16)));
  EXPECT_EQ(kinds(judge(whole, buffer.activated_columns(4))), list{violation_kind::stale_read});
  EXPECT_EQ(kinds(judge(whole, buffer.cleared().activated_columns(4))), list{violation_kind::stale_read});
  // Nobody said what the rest holds: no policy but `ignored` passes.
  EXPECT_FALSE(judge(whole_sentinel, buffer.activated_columns(4)));
  EXPECT_FALSE(judge(whole_valid, buffer.activated_columns(4)));
  EXPECT_TRUE(judge(whole_ignored, buffer.activated_columns(4)));
  // The sentinel is not a valid index.
  EXPECT_FALSE(judge(whole_valid, buffer.cleared().activated_columns(4)));
}

TEST(valid_extent, a_tile_reads_stale_columns_up_to_its_end) {
  const tensor_desc dirty = buffer.cleared().activated_columns(8).activated_columns(5);
  const report r = judge(tiled_sentinel, dirty);
  ASSERT_EQ(kinds(r), list{violation_kind::stale_read});
  EXPECT_EQ(r[0].found, 5);
  EXPECT_EQ(r[0].needed, 8);
  EXPECT_TRUE(judge(tiled_sentinel, buffer.cleared().activated_columns(5)));
  EXPECT_TRUE(judge(tiled_sentinel, dirty.activated_columns(8)));  // a whole tile: nothing stale is read
}

TEST(valid_extent, lengths_that_are_absent_bound_nothing) {
  constexpr static auto maybe =
      make_contract("maybe", arg("i").bounded("lengths"), arg("lengths").optional().shape(sym("T")));
  const tensor_desc lengths = tensor_desc::dense("l", types::int32, {8}, gpu, base);
  const tensor_desc partial = buffer.activated_columns(4);
  EXPECT_TRUE(judge(maybe, partial, lengths));
  const argument_value without[] = {argument_value(partial.ref()), argument_value()};
  EXPECT_EQ(kinds(evaluate(maybe.view(), without, 2)), list{violation_kind::stale_read});
}

TEST(valid_extent, rows_can_be_stale_too) {
  EXPECT_EQ(kinds(judge(whole, buffer.activated(0, 6))), list{violation_kind::stale_read});
  EXPECT_TRUE(judge(bounded, buffer.activated(0, 6)));
  EXPECT_TRUE(judge(whole, buffer.activated(0, 6).rows(0, 6)));
}

TEST(valid_extent, narrowing_keeps_or_clamps_it) {
  const tensor_desc five = buffer.activated_columns(5);
  EXPECT_EQ(five.rows(2, 4).active(1), 5);
  EXPECT_EQ(five.rows(2, 4).active(0), 2);
  EXPECT_EQ(five.columns(0, 3).active(1), 3);
  EXPECT_EQ(five.columns(2, 10).active(1), 3);
  EXPECT_EQ(five.columns(8, 16).active(1), 0);
  EXPECT_EQ(five.slice(1, 0, 16, 2).active(1), 3);  // columns 0, 2, 4
  EXPECT_EQ(five.slice(1, 1, 16, 2).active(1), 2);  // columns 1, 3
  EXPECT_EQ(five.transpose(0, 1).active(0), 5);
  EXPECT_EQ(five.transpose(0, 1).active(1), 8);
  EXPECT_EQ(five.select(0, 3).active(0), 5);
  EXPECT_EQ(five.select(1, 4).active(0), 8);
  EXPECT_EQ(five.select(1, 5).active(0), 0);  // a stale column
  EXPECT_FALSE(buffer.rows(0, 2).is_partial());
  EXPECT_EQ(buffer.columns(3, 5).active(1), 2);
  const tensor_desc cleared = five.cleared();
  const tensor_desc copy = tensor_desc::copy_of(cleared.ref());
  EXPECT_EQ(copy.active(1), 5);
  EXPECT_EQ(copy.stale(), stale_content::cleared);
  EXPECT_EQ(buffer.ref().active, nullptr);
}

TEST(valid_extent, limits) {
  const index_t most = checked::highest;
  EXPECT_FALSE(columns_read(reads::up_to_tile, most, most, 8).ok);
  EXPECT_EQ(columns_read(reads::up_to_tile, 0, 16, 8).value, 0);
  EXPECT_EQ(columns_read(reads::whole_row, 4, 16, 8).value, 16);
  EXPECT_EQ(columns_read(reads::bounded, 4, 16, 8).value, 4);
  EXPECT_FALSE(buffer.activated(2, 1).valid());
  EXPECT_FALSE(buffer.activated(0, -1).valid());
  constexpr static auto tile = make_contract("tile", arg("x").up_to_tile(8));
  EXPECT_EQ(kinds(judge(tile, tensor_desc::strided("x", types::int8, {most}, {1}, {device_kind::vulkan, 0}))),
            list{violation_kind::reads_beyond});
  EXPECT_TRUE(judge(whole, tensor_desc::dense("x", types::int8, {0, 16}, gpu).activated_columns(4)));
}

// A compile error; a contract that is made at run time reads whole rows then: a misspelt name never hides stale columns.
TEST(valid_extent, lengths_that_are_no_argument_bound_nothing) {
  const auto verdict_of = [](argument reader) {
    const auto misspelt = make_contract("misspelt", reader, arg("lengths").optional());
    const auto d = make_dispatch("misspelt", misspelt);
    const tensor_desc part = buffer.activated_columns(4);
    const argument_value values[] = {argument_value(part.ref()), argument_value()};
    return kinds(evaluate(d.view(), values, 2, {}));
  };
  EXPECT_EQ(verdict_of(arg("i").bounded("lenghts")), list{violation_kind::stale_read});
  EXPECT_EQ(verdict_of(arg("i").bounded_outside("lenghts")), list{});
}

}  // namespace
}  // namespace stridelock
