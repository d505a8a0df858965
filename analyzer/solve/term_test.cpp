#include "analyzer/solve/term.h"

#include <gtest/gtest.h>

#include <array>

namespace stridelock::solve {
namespace {

using ir::expr_op;

TEST(Term, EqualExpressionsAreOneNumber) {
  term_graph g;
  const term_id a = g.operation(expr_op::add, {g.parameter(0), g.integer(1)});
  const term_id b = g.operation(expr_op::add, {g.integer(1), g.parameter(0)});
  EXPECT_EQ(a, b);
  EXPECT_NE(a, g.operation(expr_op::add, {g.parameter(1), g.integer(1)}));
}

TEST(Term, ComparisonsHaveOneSpelling) {
  term_graph g;
  const term_id x = g.parameter(0);
  EXPECT_EQ(g.operation(expr_op::lt, {g.integer(64), x}), g.operation(expr_op::gt, {x, g.integer(64)}));
  EXPECT_EQ(g.negate(g.operation(expr_op::gt, {x, g.integer(64)})),
            g.operation(expr_op::le, {x, g.integer(64)}));
  EXPECT_EQ(g.negate(g.negate(x)), x);
  EXPECT_EQ(g.operation(expr_op::eq, {x, x}), g.integer(1));
}

TEST(Term, FoldingStopsAtOverflow) {
  term_graph g;
  const term_id big = g.integer(INT64_MAX);
  EXPECT_EQ(g.operation(expr_op::add, {g.integer(2), g.integer(3)}), g.integer(5));
  EXPECT_EQ(g.kind(g.operation(expr_op::add, {big, g.integer(1)})), term_kind::operation);
  EXPECT_EQ(g.kind(g.operation(expr_op::div, {g.integer(1), g.integer(0)})), term_kind::operation);
  EXPECT_EQ(g.kind(g.operation(expr_op::div, {g.integer(INT64_MIN), g.integer(-1)})), term_kind::operation);
}

TEST(Term, SizesAndStridesPassThroughViews) {
  term_graph g;
  const term_id x = g.parameter(0);
  const term_id k = g.parameter(1);
  const std::array<term_id, 3> args{g.integer(1), g.integer(0), k};
  const term_id v = g.view(ir::view_op::narrow, x, args, {}, "v", "narrow");
  EXPECT_EQ(g.query(ir::query_op::size, v, g.integer(1)), k);
  EXPECT_EQ(g.query(ir::query_op::size, v, g.integer(0)), g.query(ir::query_op::size, x, g.integer(0)));
  EXPECT_EQ(g.query(ir::query_op::stride, v, g.integer(0)), g.query(ir::query_op::stride, x, g.integer(0)));
  // -1 may or may not be dimension 1: not decided here.
  EXPECT_EQ(g.kind(g.query(ir::query_op::size, v, g.integer(-1))), term_kind::query);
}

TEST(Term, AlternativesMergeAndAreLimited) {
  term_graph g;
  const term_id a = g.parameter(0);
  const term_id b = g.parameter(1);
  const term_id p = g.conjunction({g.parameter(2)});
  EXPECT_EQ(g.one_of({{a, p}, {a, no_term}}), a);
  const term_id two = g.one_of({{a, p}, {b, no_term}});
  EXPECT_EQ(g.kind(two), term_kind::one_of);
  EXPECT_EQ(g.alternatives(two).size(), 2u);
  std::vector<term_graph::alternative> many;
  for (std::uint32_t i = 0; i < 9; ++i) many.push_back({g.parameter(i), no_term});
  const term_id cut = g.one_of(many);
  EXPECT_EQ(g.kind(cut), term_kind::unknown);
  EXPECT_EQ(cut, g.one_of(many)) << "the same cut is the same unknown, or a fixpoint never settles";
}

TEST(Term, DeepExpressionsAreCut) {
  term_graph g;
  term_id x = g.parameter(0);
  for (int i = 0; i < 500; ++i) x = g.operation(expr_op::mul, {x, g.parameter(1)});
  EXPECT_LE(g.at(x).depth, 50);
}

TEST(Term, MembersOfAggregates) {
  term_graph g;
  ir::step f;
  f.record = "r";
  f.field = "x";
  const term_id step = g.step(f);
  const std::array<term_id, 2> pair{step, g.integer(7)};
  const term_id whole = g.aggregate(g.parameter(0), pair);
  EXPECT_EQ(g.project(whole, step), g.integer(7));
  ir::step other = f;
  other.field = "y";
  EXPECT_EQ(g.project(whole, g.step(other)), g.project(g.parameter(0), g.step(other)));
}

}  // namespace
}  // namespace stridelock::solve
