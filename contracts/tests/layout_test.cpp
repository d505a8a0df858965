#include "stridelock/layout.h"

#include <gtest/gtest.h>

#include <limits>

#include "contracts/tests/small_layouts.h"
#include "stridelock/descriptor.h"

namespace stridelock {
namespace {

using testing::make;
using testing::small_layout;

constexpr index_t huge = std::numeric_limits<index_t>::max();
constexpr index_t lowest = std::numeric_limits<index_t>::min();

// ---- every small layout: implications and brute force
// ------------------------------------------------------------

TEST(layout, implications_hold_for_every_small_layout) {
  std::vector<index_t> strides;
  for (index_t s = -4; s <= 8; ++s) strides.push_back(s);
  std::uint64_t seen = 0;
  for (int rank = 0; rank <= 3; ++rank) {
    testing::for_each_layout(rank, {0, 1, 2, 3}, strides, [&](const small_layout& l) {
      ++seen;
      const layout_facts f = facts_of(l);
      const bool dense = f.dense == tri::yes;
      const bool pitched = f.row_pitched == tri::yes;
      const bool permutation = f.permutation_dense == tri::yes;
      bool good = dense == testing::truly_dense(l);
      good = good && (!is_canonical(l) || dense);
      good = good && (!dense || (pitched && permutation));
      good = good && (!pitched || f.inner_contiguous == tri::yes);
      good = good && (!(pitched || permutation) || f.injective == tri::yes);
      good =
          good && (f.injective == tri::unknown || (f.injective == tri::yes) == testing::truly_injective(l));
      good = good && is_suffix_dense(l, rank) == dense;
      good = good && (!dense || is_collapsible(l, 0, rank - 1));
      good = good && with_implications(f) == f;
      if (!good) ADD_FAILURE() << l.text();
    });
  }
  EXPECT_EQ(seen, 1u + 52u + 52u * 52u + 52u * 52u * 52u);
}

// Strides of size-1 extents and of empty tensors are noise for everything except the canonical notion.
TEST(layout, scrambling_unused_strides_changes_nothing) {
  testing::for_each_layout(3, {0, 1, 2, 3}, {-2, 0, 1, 2, 3, 4, 6}, [](const small_layout& l) {
    small_layout scrambled = l;
    for (int i = 0; i < l.rank; ++i)
      if (l.extents[i] == 1 || is_empty(l)) scrambled.strides[i] = 99 + 7 * i;
    if (facts_of(l) != facts_of(scrambled)) ADD_FAILURE() << l.text() << " against " << scrambled.text();
  });
}

TEST(layout, reach_is_what_indexing_reaches) {
  testing::for_each_layout(3, {0, 1, 3}, {-3, 0, 1, 4}, [](const small_layout& l) {
    const std::vector<index_t> offsets = testing::offsets_in_order(l);
    const reach r = offsets_of(l);
    ASSERT_TRUE(r.ok);
    ASSERT_EQ(r.empty, offsets.empty());
    if (offsets.empty()) return;
    EXPECT_EQ(r.low, *std::min_element(offsets.begin(), offsets.end())) << l.text();
    EXPECT_EQ(r.high, *std::max_element(offsets.begin(), offsets.end())) << l.text();
  });
}

// ---- the corners
// -------------------------------------------------------------------------------------------------

TEST(layout, rank_zero_has_every_notion) {
  const layout_ref scalar{};
  EXPECT_TRUE(is_dense(scalar));
  EXPECT_TRUE(is_canonical(scalar));
  EXPECT_TRUE(is_row_pitched(scalar));
  EXPECT_TRUE(is_permutation_dense(scalar));
  EXPECT_EQ(injectivity(scalar), tri::yes);
  EXPECT_EQ(element_count(scalar).value, 1);
  EXPECT_EQ(bytes_of(scalar, 8).high, 8);
}

TEST(layout, rank_eight_works_and_nine_has_no_notion) {
  EXPECT_TRUE(is_canonical(make({2, 2, 2, 2, 2, 2, 2, 2}, {128, 64, 32, 16, 8, 4, 2, 1})));
  EXPECT_EQ(injectivity(make({2, 2, 2, 2, 2, 2, 2, 2}, {1, 2, 4, 8, 16, 32, 64, 128})), tri::yes);
  const index_t ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_FALSE(is_dense(layout_ref{9, ones, ones}));
  EXPECT_EQ(injectivity(layout_ref{9, ones, ones}), tri::unknown);
}

TEST(layout, overflow_is_a_violation_and_never_wraps) {
  // 2^32 * 2^32 wraps to 0 in 64 bits: a wrapped product would call these empty, dense or tiny.
  const index_t half = index_t{1} << 32;
  EXPECT_FALSE(is_addressable(make({half, half}, {half, 1})));
  EXPECT_FALSE(is_dense(make({half, half}, {half, 1})));
  EXPECT_FALSE(is_canonical(make({half, half}, {half, 1})));
  EXPECT_FALSE(is_row_pitched(make({2, half}, {huge, 1})));
  EXPECT_FALSE(is_collapsible(make({2, 4, 2}, {0, index_t{1} << 62, 1}), 0, 1));
  EXPECT_FALSE(bytes_of(make({2}, {huge}), 8).ok);
  EXPECT_FALSE(fits_index_bits(make({2, 2}, {huge, huge}), 32));
  EXPECT_FALSE(is_dense(make({-1}, {1})));
  // The lowest integer has no absolute value.
  EXPECT_FALSE(is_addressable(make({2}, {lowest})));
  EXPECT_EQ(injectivity(make({2}, {lowest})), tri::unknown);
  // An extent of 0 beside an enormous one is empty, not an overflow.
  EXPECT_TRUE(is_dense(make({half, half, 0}, {huge, huge, huge})));
  // Strides of size-1 extents are never multiplied.
  EXPECT_TRUE(is_dense(make({1, 4}, {lowest, 1})));
}

TEST(layout, suffix_and_collapsible) {
  const small_layout l = make({4, 3, 8}, {100, 8, 1});
  EXPECT_TRUE(is_suffix_dense(l, 2));
  EXPECT_FALSE(is_suffix_dense(l, 3));
  EXPECT_FALSE(is_suffix_dense(l, 4));
  EXPECT_TRUE(is_collapsible(l, 1, 2));
  EXPECT_FALSE(is_collapsible(l, 0, 2));
}

TEST(layout, alignment) {
  EXPECT_TRUE(is_aligned(256, 16, 16));
  EXPECT_FALSE(is_aligned(256, 2, 16));  // A1: the offset is part of the address
  EXPECT_TRUE(is_aligned(8, 8, 16));     // the sum counts
  EXPECT_TRUE(is_aligned(~std::uint64_t{0} - 15, 16, 16));
  EXPECT_TRUE(is_rows_aligned(make({4, 8}, {16, 1}), 4, 64));
  EXPECT_FALSE(is_rows_aligned(make({4, 8}, {17, 1}), 4, 16));
  EXPECT_TRUE(is_rows_aligned(make({1, 8}, {17, 1}), 4, 16));
}

TEST(descriptor, names_the_first_fault) {
  descriptor_rule rule;
  rule.element_bytes = 2;
  const small_layout good = make({4, 64}, {64, 1});
  EXPECT_EQ(check_descriptor(good, 16, rule).kind, descriptor_fault_kind::none);
  EXPECT_EQ(check_descriptor(good, 8, rule).kind, descriptor_fault_kind::address);
  EXPECT_EQ(check_descriptor(make({4, 0}, {64, 1}), 16, rule).kind, descriptor_fault_kind::extent_range);
  EXPECT_EQ(check_descriptor(make({4, 64}, {64, 2}), 16, rule).kind, descriptor_fault_kind::inner_stride);
  EXPECT_EQ(check_descriptor(make({}, {}), 16, rule).kind, descriptor_fault_kind::rank);
  EXPECT_EQ(check_descriptor(make({1, 1, 1, 1, 1, 8}, {8, 8, 8, 8, 8, 1}), 16, rule).kind,
            descriptor_fault_kind::rank);
  rule.has_box = true;
  rule.box[0] = 4;
  rule.box[1] = 64;
  rule.element_strides[0] = 1;
  rule.swizzled = swizzle::bytes_128;
  EXPECT_EQ(check_descriptor(good, 16, rule).kind, descriptor_fault_kind::none);
  rule.swizzled = swizzle::bytes_64;
  EXPECT_EQ(check_descriptor(good, 16, rule).kind, descriptor_fault_kind::box_swizzle);
  rule.box[1] = 257;
  EXPECT_EQ(check_descriptor(good, 16, rule).kind, descriptor_fault_kind::box_range);
  rule.box[1] = 4;
  EXPECT_EQ(check_descriptor(good, 16, rule).kind, descriptor_fault_kind::box_bytes);
  rule.box[1] = 64;
  rule.element_strides[0] = 9;
  EXPECT_EQ(check_descriptor(good, 16, rule).kind, descriptor_fault_kind::element_stride);
  rule = {};
  rule.packed = packing::u4_align_16;
  EXPECT_EQ(check_descriptor(make({4, 64}, {64, 1}), 32, rule).kind, descriptor_fault_kind::extent_multiple);
  EXPECT_EQ(check_descriptor(make({4, 128}, {80, 1}), 32, rule).kind, descriptor_fault_kind::stride_multiple);
  EXPECT_EQ(check_descriptor(make({4, 128}, {128, 1}), 16, rule).kind, descriptor_fault_kind::address);
  rule = {};
  rule.interleaved = interleave::bytes_16;
  EXPECT_EQ(check_descriptor(make({4, 128}, {128, 1}), 16, rule).kind, descriptor_fault_kind::rank);
}

}  // namespace
}  // namespace stridelock
