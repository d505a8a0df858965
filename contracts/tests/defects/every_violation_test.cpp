// Defects seen in matchers, group M. (M2, the size of the hot path, is measured where that path is.)
//   M1  every violation of a call, each at its operand, with one headline
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

constexpr auto norm =
    make_contract("rms_norm", arg("x").shape(sym("M"), sym("N")).layout(notion::row_pitched),
                  arg("w").type(types::float16).shape(sym("N")).layout(notion::dense),
                  arg("out").shape(sym("M"), sym("N")).layout(notion::dense));

TEST(defect, M1_every_violation_is_collected) {
  const report r =
      judge(norm, tensor("x", types::float16, {8, 4096}, {12288, 1}),
            tensor("w", types::float32, {4096}, {2}), tensor("o", types::float16, {8, 4100}, {4100, 1}));
  EXPECT_EQ(kinds(r), (list{violation_kind::type, violation_kind::layout, violation_kind::extent}));
  EXPECT_EQ(r.headline(), 0);
  EXPECT_EQ(r[0].argument, 1);
  EXPECT_EQ(r[2].argument, 2);
  EXPECT_EQ(r[2].dim, 1);
  EXPECT_EQ(r[2].found, 4100);
  EXPECT_EQ(r[2].needed, 4096);
}

}  // namespace
}  // namespace stridelock
