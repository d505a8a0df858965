// Defects seen in matchers, group I.
//   I1  injectivity has three answers, and "unknown" is never a pass
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

TEST(defect, I1_injectivity_is_three_valued) {
  EXPECT_EQ(injectivity(make({2, 3}, {3, 2})), tri::unknown);
  EXPECT_EQ(injectivity(make({4}, {0})), tri::no);
  EXPECT_EQ(injectivity(make({3, 2}, {2, 5})), tri::yes);
}

TEST(defect, I1_unknown_injectivity_is_never_a_pass) {
  EXPECT_EQ(kinds(judge(writer, tensor("x", types::float16, {2, 3}, {3, 2}))),
            list{violation_kind::overlap_unknown});
  EXPECT_EQ(kinds(judge(writer, tensor("x", types::float16, {4}, {0}))), list{violation_kind::overlap});
}

}  // namespace
}  // namespace stridelock
