// Defects seen in matchers, group E: tensors that address nothing.
//   E1  dense whatever the strides; canonical by the formula   E3  null data and alignment are not asked
//   E2  permutation-dense
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

TEST(defect, E1_empty_is_dense_and_judged_by_formula_for_canonical) {
  for (const auto& l : {make({3, 0}, {1, 1}), make({3, 0}, {0, 1}), make({3, 0}, {99, 5})}) {
    EXPECT_TRUE(is_dense(l)) << l.text();
  }
  EXPECT_TRUE(is_canonical(make({3, 0}, {1, 1})));
  EXPECT_FALSE(is_canonical(make({3, 0}, {0, 1})));
  EXPECT_FALSE(is_canonical(make({3, 0}, {99, 5})));
}

TEST(defect, E1_empty_tensors) {
  for (const auto& strides : {std::initializer_list<index_t>{1, 1}, {0, 1}, {99, 5}})
    EXPECT_TRUE(judge(dense_only, tensor("x", types::float16, {3, 0}, strides)));
  EXPECT_TRUE(judge(canonical_only, tensor("x", types::float16, {3, 0}, {1, 1})));
  EXPECT_FALSE(judge(canonical_only, tensor("x", types::float16, {3, 0}, {0, 1})));
}

TEST(defect, E2_empty_is_permutation_dense) {
  EXPECT_TRUE(is_permutation_dense(make({3, 0}, {5, 1})));
}

TEST(defect, E2_empty_is_permutation_dense_in_a_contract) {
  EXPECT_TRUE(judge(permutation_only, tensor("x", types::float16, {3, 0}, {5, 1})));
}

TEST(defect, E3_alignment_and_null_are_not_evaluated_for_empty_tensors) {
  EXPECT_TRUE(judge(aligned_only, tensor_desc::dense("x", types::float32, {0, 4}, gpu, nullptr)));
  EXPECT_EQ(kinds(judge(aligned_only, tensor_desc::dense("x", types::float32, {2, 4}, gpu, nullptr))),
            list{violation_kind::null_data});
}

}  // namespace
}  // namespace stridelock
