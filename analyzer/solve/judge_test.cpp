#include "analyzer/solve/judge.h"

#include <gtest/gtest.h>

#include <array>

namespace stridelock::solve {
namespace {

using ir::expr_op;

struct Judge : ::testing::Test {
  term_graph g;
  assumptions known;
  term_id x = g.parameter(0);

  tri dense(term_id t) {
    judge j(g, known);
    return j.has_layout(ir::predicate::contiguous, t);
  }
  term_id narrow(term_id base, std::int64_t dim, term_id length) {
    const std::array<term_id, 3> a{g.integer(dim), g.integer(0), length};
    return g.view(ir::view_op::narrow, base, a, {"f", 1, 1}, "narrow", "narrow");
  }
  term_id fresh_tensor(std::initializer_list<std::int64_t> sizes) {
    std::vector<term_id> c;
    for (auto n : sizes) c.push_back(g.integer(n));
    return g.allocation(g.operation(expr_op::list, c), no_term, {"f", 9, 1}, "empty");
  }
};

TEST_F(Judge, BoundsDecideComparisons) {
  known.add(g, g.operation(expr_op::gt, {x, g.integer(64)}));
  judge j(g, known);
  EXPECT_EQ(j.holds(g.operation(expr_op::gt, {x, g.integer(10)})), tri::yes);
  EXPECT_EQ(j.holds(g.operation(expr_op::le, {x, g.integer(64)})), tri::no);
  EXPECT_EQ(j.holds(g.operation(expr_op::gt, {x, g.integer(65)})), tri::unknown);
  EXPECT_EQ(j.holds(g.operation(expr_op::ge, {x, g.integer(65)})), tri::yes);
}

TEST_F(Judge, UnknownStaysUnknown) {
  EXPECT_EQ(dense(x), tri::unknown);
  EXPECT_EQ(dense(narrow(x, 0, g.parameter(1))), tri::unknown);
}

TEST_F(Judge, ColumnsBreakAndRowsKeep) {
  const term_id t = fresh_tensor({8, 16});
  EXPECT_EQ(dense(t), tri::yes);
  EXPECT_EQ(dense(narrow(t, 0, g.integer(3))), tri::yes);
  EXPECT_EQ(dense(narrow(t, 1, g.integer(3))), tri::no);
  EXPECT_EQ(dense(narrow(x, 1, g.parameter(1))), tri::no) << "breaks for every dense argument";
  EXPECT_EQ(dense(narrow(narrow(t, 1, g.integer(3)), 0, g.integer(2))), tri::no);
}

TEST_F(Judge, FullWidthIsNoNarrowing) {
  const term_id t = fresh_tensor({8, 16});
  EXPECT_EQ(dense(narrow(t, 1, g.integer(16))), tri::yes);
  const term_id width = g.query(ir::query_op::size, x, g.integer(1));
  EXPECT_EQ(dense(narrow(x, 1, width)), tri::unknown) << "as good as x";
}

TEST_F(Judge, OneRowIsDense) {
  const term_id t = fresh_tensor({1, 16});
  EXPECT_EQ(dense(narrow(t, 1, g.integer(3))), tri::yes);
  known.add(g, g.operation(expr_op::eq, {g.query(ir::query_op::size, x, g.integer(0)), g.integer(1)}));
  EXPECT_EQ(dense(narrow(x, 1, g.integer(3))), tri::unknown) << "as good as x";
}

TEST_F(Judge, TransposeTwiceIsNothing) {
  const term_id t = fresh_tensor({8, 16});
  const std::array<term_id, 2> a{g.integer(0), g.integer(1)};
  const term_id once = g.view(ir::view_op::transpose, t, a, {"f", 1, 1}, "t", "t");
  const term_id twice = g.view(ir::view_op::transpose, once, a, {"f", 2, 1}, "t", "t");
  EXPECT_EQ(dense(once), tri::no);
  EXPECT_EQ(dense(twice), tri::yes);
}

TEST_F(Judge, CopiesDensify) {
  const term_id v = narrow(x, 1, g.integer(3));
  EXPECT_EQ(dense(g.copy(ir::copy_op::contiguous, v, {}, "", "")), tri::yes);
  EXPECT_EQ(dense(g.copy(ir::copy_op::clone, narrow(fresh_tensor({8, 16}), 1, g.integer(3)), {}, "", "")),
            tri::yes);
  EXPECT_EQ(dense(g.copy(ir::copy_op::reshape, v, {}, "", "")), tri::unknown);
  EXPECT_EQ(dense(g.copy(ir::copy_op::to, v, {}, "", "")), tri::no);
}

TEST_F(Judge, TestedFactsHold) {
  const std::array<term_id, 1> o{x};
  const term_id t = g.test(ir::predicate::contiguous, o);
  known.add(g, t);
  EXPECT_EQ(dense(x), tri::yes);
  EXPECT_EQ(dense(narrow(x, 0, g.integer(2))), tri::yes);
}

TEST_F(Judge, StrideComparisonsAreLayoutTests) {
  const term_id inner =
      g.operation(expr_op::eq, {g.query(ir::query_op::stride, x, g.integer(-1)), g.integer(1)});
  EXPECT_EQ(g.kind(layout_formula(g, inner)), term_kind::test);
  const term_id rows = g.operation(expr_op::eq, {g.query(ir::query_op::stride, x, g.integer(0)),
                                                 g.query(ir::query_op::size, x, g.integer(-1))});
  EXPECT_EQ(g.kind(layout_formula(g, rows)), term_kind::test);
  EXPECT_TRUE(mentions_layout(g, rows));
  const term_id sizes =
      g.operation(expr_op::eq, {g.query(ir::query_op::size, x, g.integer(0)), g.integer(3)});
  EXPECT_FALSE(mentions_layout(g, sizes));
}

TEST_F(Judge, DisjunctionWithARefutedSide) {
  const term_id a = g.operation(expr_op::gt, {x, g.integer(64)});
  const term_id b = g.parameter(1);
  known.add(g, g.operation(expr_op::le, {x, g.integer(64)}));
  known.add(g, g.operation(expr_op::logical_or, {a, b}));
  judge j(g, known);
  EXPECT_EQ(j.holds(b), tri::yes);
}

}  // namespace
}  // namespace stridelock::solve
