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

TEST_F(Judge, OneElementIsDense) {
  known.add(g, g.operation(expr_op::eq, {g.query(ir::query_op::numel, x, no_term), g.integer(1)}));
  EXPECT_EQ(dense(x), tri::yes);
  EXPECT_EQ(dense(g.parameter(1)), tri::unknown);
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

TEST_F(Judge, KnownExtentsAreComputed) {
  const std::array<term_id, 2> swap{g.integer(0), g.integer(1)};
  auto transposed = [&](term_id t) { return g.view(ir::view_op::transpose, t, swap, {"f", 1, 1}, "t", "t"); };
  EXPECT_EQ(dense(transposed(fresh_tensor({1, 1024}))), tri::yes);
  EXPECT_EQ(dense(transposed(fresh_tensor({2, 1024}))), tri::no);
  const std::array<term_id, 2> second{g.integer(1), g.integer(0)};
  EXPECT_EQ(dense(g.view(ir::view_op::select, fresh_tensor({64, 1}), second, {}, "s", "s")), tri::yes);
  EXPECT_EQ(dense(g.view(ir::view_op::select, fresh_tensor({64, 2}), second, {}, "s", "s")), tri::no);
}

TEST_F(Judge, IdentityInDisguise) {
  const term_id order = g.operation(expr_op::list, {g.integer(0), g.integer(1), g.integer(2)});
  EXPECT_EQ(dense(g.view(ir::view_op::permute, x, std::array<term_id, 1>{order}, {}, "p", "p")),
            tri::unknown);
  const term_id other = g.operation(expr_op::list, {g.integer(1), g.integer(0), g.integer(2)});
  EXPECT_EQ(dense(g.view(ir::view_op::permute, x, std::array<term_id, 1>{other}, {}, "p", "p")), tri::no);
  const std::array<term_id, 4> whole{g.integer(1), g.integer(0), g.integer(INT64_MAX), g.integer(1)};
  EXPECT_EQ(dense(g.view(ir::view_op::slice, x, whole, {}, "s", "s")), tri::unknown);
  const std::array<term_id, 4> absent{g.integer(1), g.integer(0), g.integer(0), g.integer(1)};
  EXPECT_EQ(dense(g.view(ir::view_op::slice, x, absent, {}, "s", "s")), tri::unknown);
  const std::array<term_id, 4> stepped{g.integer(0), g.integer(0), g.integer(64), g.integer(2)};
  EXPECT_EQ(dense(g.view(ir::view_op::slice, x, stepped, {}, "s", "s")), tri::no);
}

TEST_F(Judge, DimensionsOfOneIndexMayMove) {
  auto view = [&](ir::view_op op, term_id base, std::initializer_list<term_id> args) {
    return g.view(op, base, std::vector<term_id>(args), {"f", 1, 1}, "v", "v");
  };
  auto list = [&](std::initializer_list<std::int64_t> n) {
    std::vector<term_id> c;
    for (auto k : n) c.push_back(g.integer(k));
    return g.operation(expr_op::list, c);
  };
  const term_id n = g.parameter(7);
  const term_id heads = g.allocation(g.operation(expr_op::list, {n, g.integer(1), n, g.integer(128)}),
                                     no_term, {"f", 9, 1}, "empty");
  EXPECT_EQ(dense(view(ir::view_op::transpose, heads, {g.integer(1), g.integer(2)})), tri::yes);
  EXPECT_EQ(dense(view(ir::view_op::transpose, heads, {g.integer(0), g.integer(2)})), tri::no);
  EXPECT_EQ(dense(view(ir::view_op::permute, fresh_tensor({64, 1, 128}), {list({1, 0, 2})})), tri::yes);
  EXPECT_EQ(dense(view(ir::view_op::permute, fresh_tensor({64, 2, 128}), {list({1, 0, 2})})), tri::no);
  const term_id q = g.copy(ir::copy_op::contiguous, x, {}, "", "");
  const term_id one = view(ir::view_op::unsqueeze, q, {g.integer(0)});
  EXPECT_EQ(dense(view(ir::view_op::transpose, one, {g.integer(0), g.integer(1)})), tri::yes);
  EXPECT_EQ(dense(view(ir::view_op::narrow, one, {g.integer(1), g.integer(0), g.integer(3)})), tri::yes);
  EXPECT_EQ(dense(view(ir::view_op::select, view(ir::view_op::unsqueeze, q, {g.integer(1)}),
                       {g.integer(1), g.integer(0)})),
            tri::yes);
  const term_id swapped = view(ir::view_op::permute, fresh_tensor({64, 128, 4}), {list({1, 0, 2})});
  EXPECT_EQ(dense(view(ir::view_op::permute, swapped, {list({1, 0, 2})})), tri::yes);
  EXPECT_EQ(dense(view(ir::view_op::permute, swapped, {list({2, 0, 1})})), tri::no);
}

TEST_F(Judge, AtMostOneRowAndAtLeastTheWidth) {
  const term_id v = narrow(g.copy(ir::copy_op::contiguous, x, {}, "", ""), 1, g.integer(8));
  known.add(g, g.operation(expr_op::le, {g.query(ir::query_op::size, x, g.integer(0)), g.integer(1)}));
  EXPECT_EQ(dense(v), tri::yes);
  const term_id w = g.parameter(3);
  const term_id rest = narrow(g.copy(ir::copy_op::contiguous, g.parameter(2), {}, "", ""), 1, w);
  EXPECT_EQ(dense(rest), tri::no);
  known.add(g, g.operation(expr_op::ge, {w, g.query(ir::query_op::size, g.parameter(2), g.integer(1))}));
  EXPECT_EQ(dense(rest), tri::yes);
}

TEST_F(Judge, TheLastDimensionMayBeTheOnlyOne) {
  const term_id flat =
      g.copy(ir::copy_op::reshape, g.copy(ir::copy_op::contiguous, x, {}, "", ""), {}, "", "");
  EXPECT_EQ(dense(narrow(flat, -1, g.integer(8))), tri::unknown);
  EXPECT_EQ(dense(narrow(g.allocation(no_term, no_term, {"f", 1, 1}, "arange"), -1, g.integer(8))),
            tri::unknown);
  EXPECT_EQ(dense(narrow(x, -1, g.integer(8))), tri::no);
}

TEST_F(Judge, ATestedViewKeepsItsCulprit) {
  const term_id v = narrow(x, 1, g.integer(3));
  known.add(g, g.negate(g.test(ir::predicate::contiguous, std::array<term_id, 1>{v})));
  judge j(g, known);
  EXPECT_EQ(j.layout(v).facts.dense, tri::no);
  EXPECT_EQ(j.layout(v).culprit, v);
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
