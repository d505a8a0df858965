// Defects seen in matchers, groups P and V: pitch, reach and overlap.
//   P1  inner-contiguous does not license flattening           P4  2^32 bytes do not wrap, 2^40 are refused by number
//   P2  rows that overlap                                      P5  a broadcast may be read, not written
//   P3  the caller's pitch is judged, not a default one        V1  a reversed vector reaches below its base
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

TEST(defect, P1_inner_contiguous_does_not_license_flattening) {
  const small_layout l = make({2, 3, 128}, {512, 128, 1});
  EXPECT_TRUE(is_inner_contiguous(l));
  EXPECT_FALSE(is_row_pitched(l));
  EXPECT_FALSE(is_collapsible(l, 0, 1));
}

TEST(defect, P1_inner_contiguous_is_not_row_pitched) {
  const report r = judge(rows_only, tensor("x", types::float16, {2, 3, 128}, {512, 128, 1}));
  ASSERT_EQ(kinds(r), list{violation_kind::layout});
  EXPECT_EQ(r[0].dim, 0);
  EXPECT_EQ(r[0].found, 512);
  EXPECT_EQ(r[0].needed, 384);
}

TEST(defect, P2_rows_that_overlap) {
  EXPECT_FALSE(is_row_pitched(make({4, 8}, {4, 1})));
  EXPECT_EQ(injectivity(make({4, 8}, {4, 1})), tri::no);
}

TEST(defect, P2_overlapping_rows) {
  const tensor_desc x = tensor("x", types::float16, {4, 8}, {4, 1});
  EXPECT_EQ(kinds(judge(rows_only, x)), list{violation_kind::row_overlap});
  EXPECT_EQ(kinds(judge(writer, x)), list{violation_kind::overlap});
}

TEST(defect, P3_pitch_of_4100_bytes_is_no_descriptor) {
  descriptor_rule bytes;
  const descriptor_fault fault = check_descriptor(make({8, 4096}, {4100, 1}), 0, bytes);
  EXPECT_EQ(fault.kind, descriptor_fault_kind::stride_multiple);
  EXPECT_EQ(fault.found, 4100);
}

TEST(defect, P3_row_alignment_reads_the_caller_s_stride) {
  constexpr static auto rows16 = make_contract("rows16", arg("x").aligned_rows(16));
  const report r = judge(rows16, tensor("x", types::uint8, {8, 4096}, {4100, 1}));
  ASSERT_EQ(kinds(r), list{violation_kind::aligned_rows});
  EXPECT_EQ(r[0].found, 4100);
}

TEST(defect, P4_stride_of_two_to_the_32_bytes_does_not_wrap) {
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

TEST(defect, P4_large_strides_do_not_wrap) {
  constexpr static auto narrow = make_contract("narrow", arg("x").index_bits(32));
  EXPECT_TRUE(judge(narrow, tensor("x", types::float32, {2, 4}, {index_t{1} << 30, 1})));
  const report r = judge(narrow, tensor("x", types::float32, {5, 4}, {index_t{1} << 30, 1}));
  ASSERT_EQ(kinds(r), list{violation_kind::index_bits});
  EXPECT_EQ(r[0].found, (index_t{1} << 32) + 3);
}

TEST(defect, P5_broadcast_may_be_read_and_not_written) {
  const tensor_desc x = tensor("x", types::float16, {4, 8}, {0, 1});
  EXPECT_TRUE(judge(any_layout, x));
  EXPECT_EQ(kinds(judge(writer, x)), list{violation_kind::overlap});
}

TEST(defect, V1_reversed_vector_reaches_below_its_base) {
  const byte_range bytes = bytes_of(make({4}, {-1}), 4);
  EXPECT_TRUE(bytes.ok);
  EXPECT_EQ(bytes.low, -12);
  EXPECT_EQ(bytes.high, 4);
}

TEST(defect, P3_in_a_contract_the_pitch_is_refused_before_encoding) {
  const report r = judge(descriptor_only, tensor("x", types::uint8, {8, 4096}, {4100, 1}));
  ASSERT_EQ(kinds(r), list{violation_kind::descriptor});
  EXPECT_EQ(r[0].fault, descriptor_fault_kind::stride_multiple);
  EXPECT_EQ(r[0].found, 4100);
}

TEST(defect, P4_in_a_contract_two_to_the_40_bytes_are_refused_by_number) {
  EXPECT_TRUE(judge(descriptor_only, tensor("x", types::float32, {2, 4}, {index_t{1} << 30, 1})));
  const report r = judge(descriptor_only, tensor("x", types::float32, {2, 4}, {index_t{1} << 38, 1}));
  ASSERT_EQ(kinds(r), list{violation_kind::descriptor});
  EXPECT_EQ(r[0].found, index_t{1} << 40);
  EXPECT_NE(text(r).find("1,099,511,627,776 bytes"), std::string::npos) << text(r);
}

TEST(defect, V1_a_buffer_that_ends_below_the_base_of_a_reversed_vector_is_touched) {
  constexpr static auto apart = make_contract("apart", arg("below"), arg("reversed").disjoint_from("below"));
  const tensor_desc reversed = tensor_desc::strided("reversed", types::int32, {4}, {-1}, gpu, memory + 128);
  const auto buffer_of = [](index_t elements) {  // ends just below the base of `reversed`
    return tensor_desc::dense("below", types::int32, {elements}, gpu, memory + 128 - 4 * elements);
  };
  EXPECT_EQ(kinds(judge(apart, buffer_of(1), reversed)), list{violation_kind::shared_memory});
  EXPECT_EQ(kinds(judge(apart, buffer_of(8), reversed)), list{violation_kind::shared_memory});
  EXPECT_TRUE(
      judge(apart, tensor_desc::dense("below", types::int32, {8}, gpu, memory + 128 - 12 - 32), reversed));
  EXPECT_TRUE(judge(apart, tensor_desc::dense("above", types::int32, {8}, gpu, memory + 132), reversed));
}

}  // namespace
}  // namespace stridelock
