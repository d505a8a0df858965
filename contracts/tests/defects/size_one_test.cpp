// Defects seen in matchers, group S: the stride of an extent of 1 is noise, except where it is encoded.
//   S1  free for dense, row-pitched and explicit strides       S4  later dimensions are still compared
//   S2  dense but not canonical; a copy changes nothing        S5  between pitch and rows it is skipped, the product is not
//   S3  dense but no tensor map; rewriting it is free
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

TEST(defect, S1_size_one_stride_is_free) {
  EXPECT_TRUE(is_dense(make({1, 128}, {4608, 1})));
  EXPECT_TRUE(is_row_pitched(make({1, 128}, {4608, 1})));
  EXPECT_FALSE(row_pitch(make({1, 128}, {4608, 1})).has_pitch);
}

TEST(defect, S1_size_one_strides_are_free_for_every_kind_of_contract) {
  const tensor_desc x = tensor("x", types::float16, {1, 128}, {4608, 1});
  EXPECT_TRUE(judge(dense_only, x));
  EXPECT_TRUE(judge(rows_only, x));
  EXPECT_TRUE(judge(explicit_strides, x));
  EXPECT_FALSE(judge(explicit_strides, tensor("x", types::float16, {2, 128}, {4608, 1})));
}

TEST(defect, S2_dense_but_not_canonical) {
  const small_layout l = make({1, 32, 128}, {4608, 128, 1});
  EXPECT_TRUE(is_dense(l));
  EXPECT_FALSE(is_canonical(l));
}

TEST(defect, S2_canonical_is_more_than_dense_and_a_copy_is_no_cure) {
  const tensor_desc x = tensor("x", types::float16, {1, 32, 128}, {4608, 128, 1});
  EXPECT_TRUE(judge(dense_only, x));
  const report r = judge(canonical_only, x);
  ASSERT_EQ(r.size(), 1);
  EXPECT_EQ(r[0].dim, 0);
  EXPECT_EQ(r[0].found, 4608);
  EXPECT_EQ(r[0].needed, 4096);
  EXPECT_NE(text(r).find("rewrite stride[0] to 4096: free"), std::string::npos);
  EXPECT_NE(text(r).find("Not .contiguous()"), std::string::npos);
}

TEST(defect, S3_size_one_in_the_middle_is_dense_but_no_descriptor) {
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

TEST(defect, S4_later_dimensions_are_compared_after_a_size_one) {
  EXPECT_FALSE(is_dense(make({1, 4, 8}, {7, 16, 1})));
}

TEST(defect, S4_dimensions_after_a_size_one_are_compared) {
  const report r = judge(dense_only, tensor("x", types::float16, {1, 4, 8}, {7, 16, 1}));
  ASSERT_EQ(kinds(r), list{violation_kind::row_pitch});
  EXPECT_EQ(r[0].found, 16);
  EXPECT_EQ(r[0].needed, 8);
}

TEST(defect, S5_size_one_between_pitch_and_rows) {
  const small_layout l = make({1, 128, 1, 192}, {49152, 384, 384, 1});
  EXPECT_TRUE(is_row_pitched(l));
  EXPECT_TRUE(row_pitch(l).has_pitch);
  EXPECT_EQ(row_pitch(l).pitch, 384);
}

TEST(defect, S5_size_one_between_pitch_and_rows_in_a_contract) {
  EXPECT_TRUE(judge(rows_only, tensor("x", types::float16, {1, 128, 1, 192}, {49152, 384, 384, 1})));
}

TEST(defect, S2_a_dense_copy_has_the_same_strides_in_use_and_is_not_offered) {
  const tensor_desc x = tensor("x", types::float16, {1, 32, 128}, {4608, 128, 1});
  EXPECT_EQ(text(judge(canonical_only, x)).find("copy"), std::string::npos);
}

TEST(defect, S3_in_a_contract_the_repair_is_to_rewrite_the_stride) {
  const report r = judge(descriptor_only, tensor("x", types::float16, {8, 1, 128}, {128, 1, 1}));
  ASSERT_EQ(kinds(r), list{violation_kind::descriptor});
  EXPECT_EQ(r[0].dim, 1);
  EXPECT_EQ(r[0].found, 2);
  EXPECT_EQ(r[0].needed, 16);
  EXPECT_NE(text(r).find("rewrite stride[1] to 128: free"), std::string::npos) << text(r);
  EXPECT_TRUE(judge(dense_only, tensor("x", types::float16, {8, 1, 128}, {128, 1, 1})));
  EXPECT_TRUE(judge(descriptor_only, tensor("x", types::float16, {8, 1, 128}, {128, 128, 1})));
}

}  // namespace
}  // namespace stridelock
