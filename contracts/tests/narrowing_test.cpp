// The narrowing table against what the operations really do, by brute force.
#include "stridelock/narrowing.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "contracts/tests/small_layouts.h"

namespace stridelock {
namespace {

using testing::small_layout;

layout_facts truth(const small_layout& l) {
  layout_facts f = facts_of(static_cast<layout_ref>(l));
  f.injective = to_tri(testing::truly_injective(l));
  return f;
}

small_layout without(small_layout l, int dim) {
  for (int i = dim; i + 1 < l.rank; ++i) {
    l.extents[i] = l.extents[i + 1];
    l.strides[i] = l.strides[i + 1];
  }
  --l.rank;
  return l;
}

small_layout with_one(small_layout l, int dim, index_t stride) {
  for (int i = l.rank; i > dim; --i) {
    l.extents[i] = l.extents[i - 1];
    l.strides[i] = l.strides[i - 1];
  }
  l.extents[dim] = 1;
  l.strides[dim] = stride;
  ++l.rank;
  return l;
}

small_layout swapped(small_layout l, int a, int b) {
  std::swap(l.extents[a], l.extents[b]);
  std::swap(l.strides[a], l.strides[b]);
  return l;
}

small_layout canonical(small_layout l) {
  for (int i = 0; i < l.rank; ++i) l.strides[i] = canonical_stride(l, i).value;
  return l;
}

// Calls visit(operation, result, changes_something) for every instance of every operation on `l`.
template <class Visit>
void for_each_instance(const small_layout& l, Visit visit) {
  const int last = l.rank - 1;
  visit(operation::identity, l, true);
  visit(operation::dense_copy, canonical(l), true);
  if (is_permutation_dense(l)) visit(operation::like_copy, l, true);
  if (is_row_pitched(l)) visit(operation::like_copy, canonical(l), true);
  if (l.rank < 2) return;

  for (int dim = 0; dim < l.rank; ++dim) {
    for (index_t length = 0; length <= l.extents[dim]; ++length) {
      small_layout r = l;
      r.extents[dim] = length;
      const bool changes = length != l.extents[dim];
      visit(dim == 0      ? operation::rows
            : dim == last ? operation::columns
                          : operation::middle_slice,
            r, changes);
      bool leading_ones = true;
      for (int i = 0; i < dim; ++i) leading_ones = leading_ones && l.extents[i] == 1;
      if (leading_ones) visit(operation::rows, r, changes);
    }
    if (dim == 0 || dim == last) {
      for (index_t step = 2; step <= 3; ++step) {
        small_layout r = l;
        r.extents[dim] = (l.extents[dim] + step - 1) / step;
        r.strides[dim] *= step;
        visit(dim == 0 ? operation::step_first : operation::step_last, r, l.extents[dim] > 1);
      }
    }
    if (l.extents[dim] > 0) {
      const operation op = dim == 0          ? operation::select_first
                           : dim == last     ? operation::select_last
                           : dim == last - 1 ? operation::select_next_to_last
                                             : operation::select_middle;
      visit(op, without(l, dim), l.extents[dim] > 1);
    }
    if (l.extents[dim] == 1) {
      visit(dim == last ? operation::squeeze_last : operation::squeeze, without(l, dim), true);
      small_layout r = l;
      r.extents[dim] = 3;
      r.strides[dim] = 0;
      visit(operation::expand, r, true);
    }
    for (int other = dim + 1; other < l.rank; ++other) {
      visit(other == last ? operation::transpose : operation::transpose_outer, swapped(l, dim, other), true);
      visit(operation::permute, swapped(l, dim, other), true);
    }
    if (l.rank < 4) {
      visit(operation::unsqueeze, with_one(l, dim, 77), true);
    }
  }
  if (l.rank < 4) visit(operation::unsqueeze_last, with_one(l, l.rank, 77), true);
  if (l.rank >= 3) visit(operation::permute, swapped(swapped(l, 0, 1), 1, 2), true);

  for (int dim = 0; dim < last; ++dim) {  // view_as: merge two neighbours
    if (!is_collapsible(l, dim, dim + 1)) continue;
    small_layout r = without(l, dim);
    r.extents[dim] = l.extents[dim] * l.extents[dim + 1];
    r.strides[dim] = l.extents[dim + 1] == 1 ? l.strides[dim] : l.strides[dim + 1];
    visit(operation::view_as, r, true);
  }
  for (int dim = 0; dim < l.rank; ++dim) {  // view_as: split one in two
    if (l.extents[dim] < 2 || l.extents[dim] % 2 != 0) continue;
    small_layout r = with_one(l, dim, l.strides[dim] * (l.extents[dim] / 2));
    r.extents[dim] = 2;
    r.extents[dim + 1] = l.extents[dim] / 2;
    visit(operation::view_as, r, true);
  }
}

class narrowing_oracle {
 public:
  void check(const small_layout& l) {
    const layout_facts before = truth(l);
    // What the table is told: everything, and single facts only, as a caller with less knowledge would.
    std::vector<layout_facts> told = {before, layout_facts{}};
    for (tri layout_facts::* fact : facts) {
      layout_facts one;
      one.*fact = before.*fact;
      told.push_back(one);
    }
    for_each_instance(l, [&](operation op, const small_layout& r, bool changes) {
      const layout_facts real = truth(r);
      bool proper = changes && !is_empty(l);
      for (int i = 0; i < r.rank; ++i) proper = proper && (r.extents[i] >= 2 || r.rank > l.rank);
      if (op == operation::unsqueeze || op == operation::unsqueeze_last || op == operation::squeeze ||
          op == operation::squeeze_last || op == operation::view_as || op == operation::identity) {
        proper = !is_empty(l);
      }
      for (const layout_facts& known : told) {
        const layout_facts claim = after(op, known);
        for (tri layout_facts::* fact : facts) {
          ++seen_[op];
          if (claim.*fact == tri::yes && real.*fact != tri::yes) {
            ADD_FAILURE() << to_string(op) << " of " << l.text() << " is " << r.text() << ": table says yes";
          }
          if (claim.*fact == tri::no && proper && real.*fact != tri::no) {
            ADD_FAILURE() << to_string(op) << " of " << l.text() << " is " << r.text() << ": table says no";
          }
        }
      }
    });
  }

  std::map<operation, std::uint64_t> seen_;

 private:
  static constexpr tri layout_facts::* facts[] = {&layout_facts::dense, &layout_facts::inner_contiguous,
                                                  &layout_facts::row_pitched,
                                                  &layout_facts::permutation_dense, &layout_facts::injective};
};

TEST(narrowing, table_agrees_with_every_small_layout) {
  narrowing_oracle oracle;
  for (int rank = 1; rank <= 2; ++rank) {
    testing::for_each_layout(rank, {0, 1, 2, 3, 4}, {-1, 0, 1, 2, 3, 4, 6, 8},
                             [&](const small_layout& l) { oracle.check(l); });
  }
  // Ranks 3 and 4: layouts as programs make them, plus noise; random strides are almost never dense.
  std::mt19937 random(20240607);
  const auto pick = [&](int low, int high) {
    return static_cast<index_t>(low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1)));
  };
  for (int round = 0; round < 6000; ++round) {
    small_layout l;
    l.rank = static_cast<int>(pick(3, 4));
    for (int i = 0; i < l.rank; ++i) l.extents[i] = pick(round % 8 == 0 ? 0 : 1, 4);
    l = canonical(l);
    for (int i = 0; i < l.rank; ++i) {
      if (pick(0, 5) == 0) l.extents[i] = pick(1, 3);   // narrowed
      if (pick(0, 5) == 0) l.strides[i] = pick(-1, 8);  // noise
    }
    if (pick(0, 3) == 0) l = swapped(l, 0, static_cast<int>(pick(1, l.rank - 1)));
    oracle.check(l);
    if (::testing::Test::HasFailure()) return;
  }
  for (int op = 0; op < operation_count; ++op) {
    if (static_cast<operation>(op) == operation::as_strided) continue;  // claims nothing
    EXPECT_GT(oracle.seen_[static_cast<operation>(op)], 100u) << to_string(static_cast<operation>(op));
  }
}

TEST(narrowing, says_what_the_manual_says) {
  constexpr layout_facts dense = facts_of<contiguous>();
  EXPECT_EQ(after(operation::rows, dense).dense, tri::yes);
  EXPECT_EQ(after(operation::columns, dense).dense, tri::no);
  EXPECT_EQ(after(operation::columns, dense).row_pitched, tri::yes);
  EXPECT_EQ(after(operation::middle_slice, dense).row_pitched, tri::no);
  EXPECT_EQ(after(operation::middle_slice, dense).inner_contiguous, tri::yes);
  EXPECT_EQ(after(operation::step_last, dense).inner_contiguous, tri::no);
  EXPECT_EQ(after(operation::transpose, dense).inner_contiguous, tri::no);
  EXPECT_EQ(after(operation::transpose, dense).permutation_dense, tri::yes);
  EXPECT_EQ(after(operation::expand, dense).injective, tri::no);
  EXPECT_EQ(after(operation::as_strided, dense), layout_facts{});
  EXPECT_EQ(after(operation::like_copy, after(operation::transpose, dense)).dense,
            tri::no);  // stays transposed
  EXPECT_EQ(after(operation::like_copy, after(operation::columns, dense)).dense, tri::yes);  // becomes dense
  EXPECT_EQ(after(operation::rows, after(operation::columns, dense)).dense, tri::no);        // the seed
  EXPECT_EQ(maybe_after(operation::columns, dense).dense, tri::unknown);
  EXPECT_EQ(maybe_after(operation::columns, dense).row_pitched, tri::yes);
}

TEST(narrowing, types_follow_the_table) {
  static_assert(std::is_same_v<rows_of<contiguous>, contiguous>);
  static_assert(std::is_same_v<rows_of<row_pitched>, row_pitched>);
  static_assert(std::is_same_v<columns_of<contiguous>, row_pitched>);
  static_assert(std::is_same_v<columns_of<inner_contiguous>, inner_contiguous>);
  static_assert(std::is_same_v<middle_slice_of<contiguous>, inner_contiguous>);
  static_assert(std::is_same_v<select_first_of<contiguous>, contiguous>);
  static_assert(std::is_same_v<select_next_to_last_of<contiguous>, row_pitched>);
  static_assert(std::is_same_v<select_last_of<contiguous>, strided>);
  static_assert(std::is_same_v<transpose_of<contiguous>, strided>);
  static_assert(std::is_same_v<transpose_outer_of<contiguous>, inner_contiguous>);
  static_assert(std::is_same_v<step_last_of<contiguous>, strided>);
}

TEST(narrowing, alignment_falls_to_what_divides_the_offset) {
  EXPECT_EQ(alignment_after(256, 0), 256u);
  EXPECT_EQ(alignment_after(256, 1024), 256u);
  EXPECT_EQ(alignment_after(256, 24), 8u);
  EXPECT_EQ(alignment_after(256, -24), 8u);
  EXPECT_EQ(alignment_after(16, 2), 2u);
}

}  // namespace
}  // namespace stridelock
