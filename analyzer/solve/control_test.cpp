#include "analyzer/solve/control.h"

#include <gtest/gtest.h>

#include "analyzer/solve/test_program.h"

namespace stridelock::solve {
namespace {

control_flow flow_of(std::string_view text) {
  program p;
  add_unit(p, text);
  p.finish();
  return analyse_control(*p.functions().at(0), [](const ir::instruction&) { return false; });
}

TEST(Control, EarlyReturnGuardsTheRest) {
  const control_flow f = flow_of(R"ir(
function f
  param a bool
b0:
  %0 = load @a
  branch %0 b1 b2
b1:
  return
b2:
  return
)ir");
  ASSERT_EQ(f.depends_on[2].size(), 1u);
  EXPECT_EQ(f.depends_on[2][0], (edge{0, 1}));
  EXPECT_TRUE(f.depends_on[0].empty());
}

TEST(Control, PassingAnEarlierCheckIsNoGuard) {
  const control_flow f = flow_of(R"ir(
function f
  param a bool
b0:
  %0 = load @a
  branch %0 b2 b1
b1:
  stop throw
b2:
  return
)ir");
  EXPECT_TRUE(f.must_stop[1]);
  EXPECT_FALSE(f.never_returns);
  EXPECT_TRUE(f.depends_on[2].empty());
  ASSERT_EQ(f.depends_on[1].size(), 1u);
}

TEST(Control, DisjunctionHasTwoEdges) {
  const control_flow f = flow_of(R"ir(
function f
  param a bool
b0:
  %0 = load @a
  branch %0 b2 b1
b1:
  %1 = load @a
  branch %1 b2 b3
b2:
  jump b3
b3:
  return
)ir");
  EXPECT_EQ(f.depends_on[2].size(), 2u);
  EXPECT_TRUE(f.depends_on[3].empty());
}

TEST(Control, LoopBodyDependsOnItsCondition) {
  const control_flow f = flow_of(R"ir(
function f
  param a bool
b0:
  jump b1
b1:
  %0 = load @a
  branch %0 b2 b3 loop
b2:
  jump b1
b3:
  return
)ir");
  EXPECT_TRUE(f.is_loop_head[1]);
  EXPECT_TRUE(f.depends_on[1].empty());
  ASSERT_EQ(f.depends_on[2].size(), 1u);
  EXPECT_TRUE(f.depends_on[3].empty());
}

TEST(Control, EndlessLoopIsNoStop) {
  const control_flow f = flow_of(R"ir(
function f
b0:
  jump b1
b1:
  jump b1
)ir");
  EXPECT_FALSE(f.never_returns);
}

TEST(Control, EveryWayStopping) {
  const control_flow f = flow_of(R"ir(
function f
  param a bool
b0:
  %0 = load @a
  branch %0 b1 b2
b1:
  stop throw
b2:
  stop abort
)ir");
  EXPECT_TRUE(f.never_returns);
}

}  // namespace
}  // namespace stridelock::solve
