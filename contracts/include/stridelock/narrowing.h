// narrowing.h: what each view operation keeps of a layout. The one table that typed views, run-time
// provenance and the analyzer share.
//
// Promises:  after(op, before) says `yes` only if every instance of the operation keeps the fact, degenerate
// ones
//            included. It says `no` if every *proper* instance lacks it: one that drops or moves at least one
//            element and leaves at least two in every dimension of the result.
// Does not:  look at sizes. `columns` that drop no column, or leave one row, are still dense: who knows the
// sizes
//            asks layout.h; who only knows that an operation may be trivial joins before and after
//            (`maybe_after`).
//
//   constexpr layout_facts dense = facts_of<contiguous>();
//   static_assert(after(operation::columns, dense).dense == tri::no);
//   static_assert(after(operation::columns, dense).row_pitched == tri::yes);
//   static_assert(std::is_same_v<columns_of<contiguous>, row_pitched>);
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "stridelock/integers.h"
#include "stridelock/layout_kind.h"

namespace stridelock {
inline namespace v1 {

// "First", "last" and "middle" are dimensions of a tensor of rank 2 or more; narrowing a vector is `rows`.
enum class operation : std::uint8_t {
  identity,       // the whole tensor
  rows,           // range of dimension 0, unit step; also of a dimension whose leading extents are all 1
  columns,        // range of the last dimension, unit step
  middle_slice,   // range of a dimension between the first and the last, unit step
  step_first,     // dimension 0 with a step of 2 or more
  step_last,      // last dimension with a step of 2 or more
  select_first,   // one index of dimension 0, which disappears
  select_middle,  // one index of a dimension between the first and the one before the last
  select_next_to_last,  // one index of the dimension before the last, not the first
  select_last,          // one index of the last dimension
  transpose,            // swaps the last dimension with another one
  transpose_outer,      // swaps two dimensions, neither of them the last
  permute,              // some order of the dimensions, not the identity
  expand,               // a dimension of extent 1 gets more, with stride 0
  view_as,              // other extents over the same elements in the same order, no copy
  squeeze,              // removes a dimension of extent 1 that is not the last
  squeeze_last,         // removes a last dimension of extent 1
  unsqueeze,            // adds a dimension of extent 1, not as the last
  unsqueeze_last,       // adds a last dimension of extent 1
  as_strided,           // extents and strides out of the blue
  dense_copy,           // copies into a dense tensor
  like_copy,            // copies, keeping the order of dimensions (clone, empty_like)
};
inline constexpr int operation_count = static_cast<int>(operation::like_copy) + 1;

constexpr std::string_view to_string(operation what) {
  constexpr std::string_view names[operation_count] = {
      "identity",       "rows",          "columns",
      "middle_slice",   "step_first",    "step_last",
      "select_first",   "select_middle", "select_next_to_last",
      "select_last",    "transpose",     "transpose_outer",
      "permute",        "expand",        "view_as",
      "squeeze",        "squeeze_last",  "unsqueeze",
      "unsqueeze_last", "as_strided",    "dense_copy",
      "like_copy"};
  return names[static_cast<int>(what)];
}

// What is known about a layout, each fact for itself. The notions are defined in layout.h.
struct layout_facts {
  tri dense = tri::unknown;
  tri inner_contiguous = tri::unknown;
  tri row_pitched = tri::unknown;
  tri permutation_dense = tri::unknown;
  tri injective = tri::unknown;

  friend constexpr bool operator==(const layout_facts& a, const layout_facts& b) {
    return a.dense == b.dense && a.inner_contiguous == b.inner_contiguous && a.row_pitched == b.row_pitched &&
           a.permutation_dense == b.permutation_dense && a.injective == b.injective;
  }
  friend constexpr bool operator!=(const layout_facts& a, const layout_facts& b) { return !(a == b); }
};

// Adds what follows: dense implies the other four, row_pitched implies inner_contiguous and injective,
// permutation_dense implies injective; and the same read backwards for `no`.
constexpr layout_facts with_implications(layout_facts f) {
  const auto implies = [](tri& stronger, tri& weaker) {
    if (stronger == tri::yes) weaker = tri::yes;
    if (weaker == tri::no) stronger = tri::no;
  };
  implies(f.dense, f.row_pitched);
  implies(f.dense, f.permutation_dense);
  implies(f.row_pitched, f.inner_contiguous);
  implies(f.row_pitched, f.injective);
  implies(f.permutation_dense, f.injective);
  implies(f.dense, f.row_pitched);  // again: a `no` that has just come up from below
  implies(f.dense, f.permutation_dense);
  return f;
}

namespace detail {

// How one operation treats one fact.
enum class effect : std::uint8_t {
  keeps,            // as before
  keeps_yes,        // yes stays yes; a tensor without the fact may gain it
  drops,            // yes becomes no; a tensor without the fact may gain it
  drops_if_dense,   // no if the tensor was dense, else unknown
  drops_if_unique,  // yes becomes no if also no two elements shared an address, else unknown
  lost,             // no
  gained,           // yes
  unknown,          // nothing is known
  by_order,         // like_copy: dense if the order of dimensions was row-major
};

struct narrowing_rule {
  effect dense = effect::unknown;
  effect inner_contiguous = effect::unknown;
  effect row_pitched = effect::unknown;
  effect permutation_dense = effect::unknown;
  effect injective = effect::unknown;
};

struct narrowing_table {
  narrowing_rule rules[operation_count]{};

  constexpr narrowing_table() {
    using e = effect;
    // clang-format off
    //                                  dense         inner_contiguous    row_pitched   permutation_dense  injective
    set(operation::identity,            e::keeps,     e::keeps,           e::keeps,     e::keeps,          e::keeps);
    set(operation::rows,                e::keeps,     e::keeps,           e::keeps,     e::unknown,        e::keeps_yes);
    set(operation::columns,             e::drops,     e::keeps,           e::keeps_yes, e::drops_if_dense, e::keeps_yes);
    set(operation::middle_slice,        e::drops,     e::keeps,           e::drops,     e::drops_if_dense, e::keeps_yes);
    set(operation::step_first,          e::drops,     e::keeps,           e::unknown,   e::drops,          e::keeps_yes);
    set(operation::step_last,           e::lost,      e::lost,            e::lost,      e::drops,          e::keeps_yes);
    set(operation::select_first,        e::keeps_yes, e::keeps,           e::keeps_yes, e::unknown,        e::keeps_yes);
    set(operation::select_middle,       e::drops,     e::keeps,           e::drops,     e::drops_if_dense, e::keeps_yes);
    set(operation::select_next_to_last, e::drops,     e::keeps,           e::keeps_yes, e::drops_if_dense, e::keeps_yes);
    set(operation::select_last,         e::drops,     e::drops_if_unique, e::drops,     e::drops_if_dense, e::keeps_yes);
    set(operation::transpose,           e::drops,     e::drops_if_unique, e::drops,     e::keeps,          e::keeps);
    set(operation::transpose_outer,     e::drops,     e::keeps,           e::drops,     e::keeps,          e::keeps);
    set(operation::permute,             e::drops,     e::unknown,         e::drops,     e::keeps,          e::keeps);
    set(operation::expand,              e::lost,      e::unknown,         e::lost,      e::lost,           e::lost);
    set(operation::view_as,             e::keeps,     e::unknown,         e::unknown,   e::keeps,          e::keeps);
    set(operation::squeeze,             e::keeps,     e::keeps,           e::keeps,     e::keeps,          e::keeps);
    set(operation::squeeze_last,        e::keeps,     e::unknown,         e::unknown,   e::keeps,          e::keeps);
    set(operation::unsqueeze,           e::keeps,     e::keeps,           e::keeps,     e::keeps,          e::keeps);
    set(operation::unsqueeze_last,      e::keeps,     e::gained,          e::unknown,   e::keeps,          e::keeps);
    set(operation::as_strided,          e::unknown,   e::unknown,         e::unknown,   e::unknown,        e::unknown);
    set(operation::dense_copy,          e::gained,    e::gained,          e::gained,    e::gained,         e::gained);
    set(operation::like_copy,           e::by_order,  e::unknown,         e::unknown,   e::gained,         e::gained);
    // clang-format on
  }

  constexpr void set(operation what, effect dense, effect inner, effect pitched, effect permutation,
                     effect injective) {
    rules[static_cast<int>(what)] = narrowing_rule{dense, inner, pitched, permutation, injective};
  }
};
inline constexpr narrowing_table narrowing{};

constexpr tri apply(effect how, tri was, const layout_facts& before) {
  switch (how) {
    case effect::keeps:
      return was;
    case effect::keeps_yes:
      return was == tri::yes ? tri::yes : tri::unknown;
    case effect::drops:
      return was == tri::yes ? tri::no : tri::unknown;
    case effect::drops_if_dense:
      return before.dense == tri::yes ? tri::no : tri::unknown;
    case effect::drops_if_unique:
      return was == tri::yes && before.injective == tri::yes ? tri::no : tri::unknown;
    case effect::lost:
      return tri::no;
    case effect::gained:
      return tri::yes;
    case effect::unknown:
      return tri::unknown;
    case effect::by_order:
      if (before.dense == tri::yes || before.row_pitched == tri::yes) return tri::yes;
      return before.permutation_dense == tri::yes ? before.dense : tri::unknown;
  }
  return tri::unknown;
}

}  // namespace detail

constexpr layout_facts after(operation what, layout_facts before) {
  before = with_implications(before);
  const detail::narrowing_rule& rule = detail::narrowing.rules[static_cast<int>(what)];
  layout_facts result;
  result.dense = detail::apply(rule.dense, before.dense, before);
  result.inner_contiguous = detail::apply(rule.inner_contiguous, before.inner_contiguous, before);
  result.row_pitched = detail::apply(rule.row_pitched, before.row_pitched, before);
  result.permutation_dense = detail::apply(rule.permutation_dense, before.permutation_dense, before);
  result.injective = detail::apply(rule.injective, before.injective, before);
  return with_implications(result);
}

constexpr tri join(tri a, tri b) {
  return a == b ? a : tri::unknown;
}

constexpr layout_facts join(const layout_facts& a, const layout_facts& b) {
  layout_facts result;
  result.dense = join(a.dense, b.dense);
  result.inner_contiguous = join(a.inner_contiguous, b.inner_contiguous);
  result.row_pitched = join(a.row_pitched, b.row_pitched);
  result.permutation_dense = join(a.permutation_dense, b.permutation_dense);
  result.injective = join(a.injective, b.injective);
  return result;
}

// The operation, or nothing at all: a slice whose bounds may cover the whole dimension.
constexpr layout_facts maybe_after(operation what, const layout_facts& before) {
  return join(with_implications(before), after(what, before));
}

// Alignment in bytes that is left after moving the base by `byte_offset`: the largest power of two that
// divides both. `before` is a power of two. Row offsets are multiples of the pitch, so a row keeps alignment
// only if the pitch does.
constexpr std::uint64_t alignment_after(std::uint64_t before, index_t byte_offset) {
  std::uint64_t offset = static_cast<std::uint64_t>(byte_offset);  // two's complement keeps the low bits
  while (before > 1 && offset % before != 0) before /= 2;
  return before;
}

// ---- the same table, for types
// -----------------------------------------------------------------------------------

template <class L>
constexpr layout_facts facts_of() {
  static_assert(is_layout_kind_v<L>,
                "facts_of: L must be strided, inner_contiguous, row_pitched or contiguous");
  layout_facts f;
  if (implies_v<L, contiguous>) f.dense = tri::yes;
  if (implies_v<L, row_pitched>) f.row_pitched = tri::yes;
  if (implies_v<L, stridelock::inner_contiguous>) f.inner_contiguous = tri::yes;
  return with_implications(f);
}

// The strongest layout kind that holds for an operation applied to any layout of kind L.
template <operation Op, class L>
using result_of = std::conditional_t<
    after(Op, facts_of<L>()).dense == tri::yes, contiguous,
    std::conditional_t<after(Op, facts_of<L>()).row_pitched == tri::yes, row_pitched,
                       std::conditional_t<after(Op, facts_of<L>()).inner_contiguous == tri::yes,
                                          inner_contiguous, strided>>>;

template <class L>
using rows_of = result_of<operation::rows, L>;
template <class L>
using columns_of = result_of<operation::columns, L>;
template <class L>
using middle_slice_of = result_of<operation::middle_slice, L>;
template <class L>
using select_first_of = result_of<operation::select_first, L>;
template <class L>
using select_middle_of = result_of<operation::select_middle, L>;
template <class L>
using select_next_to_last_of = result_of<operation::select_next_to_last, L>;
template <class L>
using select_last_of = result_of<operation::select_last, L>;
template <class L>
using transpose_of = result_of<operation::transpose, L>;
template <class L>
using transpose_outer_of = result_of<operation::transpose_outer, L>;
template <class L>
using step_first_of = result_of<operation::step_first, L>;
template <class L>
using step_last_of = result_of<operation::step_last, L>;

}  // namespace v1
}  // namespace stridelock
