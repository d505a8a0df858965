#include "stridelock/layout.h"

#include <gtest/gtest.h>

#include <limits>

#include "contracts/tests/small_layouts.h"
#include "stridelock/descriptor.h"

namespace stridelock {
namespace {

using testing::small_layout;

small_layout make(std::initializer_list<index_t> extents, std::initializer_list<index_t> strides) {
  small_layout l;
  l.rank = static_cast<int>(extents.size());
  std::copy(extents.begin(), extents.end(), l.extents);
  std::copy(strides.begin(), strides.end(), l.strides);
  return l;
}

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

// ---- the rows of the defect table that are about layouts alone
// ------------------------------------------------------

TEST(layout, S1_size_one_stride_is_free) {
  EXPECT_TRUE(is_dense(make({1, 128}, {4608, 1})));
  EXPECT_TRUE(is_row_pitched(make({1, 128}, {4608, 1})));
  EXPECT_FALSE(row_pitch(make({1, 128}, {4608, 1})).has_pitch);
}

TEST(layout, S2_dense_but_not_canonical) {
  const small_layout l = make({1, 32, 128}, {4608, 128, 1});
  EXPECT_TRUE(is_dense(l));
  EXPECT_FALSE(is_canonical(l));
}

TEST(layout, S3_size_one_in_the_middle_is_dense_but_no_descriptor) {
  descriptor_rule fp16;
  fp16.element_bytes = 2;
  const small_layout l = make({8, 1, 128}, {128, 1, 1});
  EXPECT_TRUE(is_dense(l));
  const descriptor_fault fault = check_descriptor(l, 0, fp16);
  EXPECT_EQ(fault.kind, descriptor_fault_kind::stride_multiple);
  EXPECT_EQ(fault.dim, 1);
  EXPECT_EQ(fault.found, 2);
  EXPECT_EQ(fault.needed, 16);
  const small_layout repaired = make({8, 1, 128}, {128, canonical_stride(l, 1).value, 1});
  EXPECT_EQ(check_descriptor(repaired, 0, fp16).kind, descriptor_fault_kind::none);
}

TEST(layout, S4_later_dimensions_are_compared_after_a_size_one) {
  EXPECT_FALSE(is_dense(make({1, 4, 8}, {7, 16, 1})));
}

TEST(layout, S5_size_one_between_pitch_and_rows) {
  const small_layout l = make({1, 128, 1, 192}, {49152, 384, 384, 1});
  EXPECT_TRUE(is_row_pitched(l));
  EXPECT_TRUE(row_pitch(l).has_pitch);
  EXPECT_EQ(row_pitch(l).pitch, 384);
}

TEST(layout, E1_empty_is_dense_and_judged_by_formula_for_canonical) {
  for (const auto& l : {make({3, 0}, {1, 1}), make({3, 0}, {0, 1}), make({3, 0}, {99, 5})}) {
    EXPECT_TRUE(is_dense(l)) << l.text();
  }
  EXPECT_TRUE(is_canonical(make({3, 0}, {1, 1})));
  EXPECT_FALSE(is_canonical(make({3, 0}, {0, 1})));
  EXPECT_FALSE(is_canonical(make({3, 0}, {99, 5})));
}

TEST(layout, E2_empty_is_permutation_dense) {
  EXPECT_TRUE(is_permutation_dense(make({3, 0}, {5, 1})));
}

TEST(layout, P1_inner_contiguous_does_not_license_flattening) {
  const small_layout l = make({2, 3, 128}, {512, 128, 1});
  EXPECT_TRUE(is_inner_contiguous(l));
  EXPECT_FALSE(is_row_pitched(l));
  EXPECT_FALSE(is_collapsible(l, 0, 1));
}

TEST(layout, P2_rows_that_overlap) {
  EXPECT_FALSE(is_row_pitched(make({4, 8}, {4, 1})));
  EXPECT_EQ(injectivity(make({4, 8}, {4, 1})), tri::no);
}

TEST(layout, P3_pitch_of_4100_bytes_is_no_descriptor) {
  descriptor_rule bytes;
  const descriptor_fault fault = check_descriptor(make({8, 4096}, {4100, 1}), 0, bytes);
  EXPECT_EQ(fault.kind, descriptor_fault_kind::stride_multiple);
  EXPECT_EQ(fault.found, 4100);
}

TEST(layout, P4_stride_of_two_to_the_32_bytes_does_not_wrap) {
  descriptor_rule words;
  words.element_bytes = 4;
  const small_layout l = make({2, 4}, {index_t{1} << 30, 1});
  EXPECT_EQ(bytes_of(l, 4).high, (index_t{1} << 32) + 16);
  EXPECT_EQ(check_descriptor(l, 0, words).kind, descriptor_fault_kind::none);
  EXPECT_TRUE(fits_index_bits(l, 32));
  EXPECT_FALSE(fits_index_bits(make({3, 4}, {index_t{1} << 30, 1}), 32));
  const descriptor_fault fault = check_descriptor(make({2, 4}, {index_t{1} << 38, 1}), 0, words);
  EXPECT_EQ(fault.kind, descriptor_fault_kind::stride_range);
  EXPECT_EQ(fault.found, index_t{1} << 40);
  EXPECT_EQ(fault.needed, index_t{1} << 40);
}

TEST(layout, V1_reversed_vector_reaches_below_its_base) {
  const byte_range bytes = bytes_of(make({4}, {-1}), 4);
  EXPECT_TRUE(bytes.ok);
  EXPECT_EQ(bytes.low, -12);
  EXPECT_EQ(bytes.high, 4);
}

TEST(layout, I1_injectivity_is_three_valued) {
  EXPECT_EQ(injectivity(make({2, 3}, {3, 2})), tri::unknown);
  EXPECT_EQ(injectivity(make({4}, {0})), tri::no);
  EXPECT_EQ(injectivity(make({3, 2}, {2, 5})), tri::yes);
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
