// hot_table.h: what the hot test of a boundary needs of a contract, as plain numbers, derived by the compiler.
//
// Promises:  made from a contract and the types of the arguments alone; holds no name and no text, so nothing of it and nothing
//            of the contract reaches the hot code but constants. `understood` is false as soon as the
//            contract says anything that is not listed here: a new kind of fact can never be skipped, the boundary then
//            asks the exact evaluator.
// Does not:  judge anything; holds.h does. Not for users: its layout is no part of the API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "stridelock/contract.h"
#include "stridelock/evaluate.h"
#include "stridelock/layout_kind.h"
#include "stridelock/tensor_ref.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

// What the type of an argument already says.
struct argument_kind {
  bool is_absent = false;
  bool is_typed = false;  // a typed view: the four below count
  std::int8_t rank = 0;
  dtype type{};
  bool read_only = false;
  std::uint32_t alignment = 1;
  bool inner = false, pitched = false, dense = false;
};

// multiple * (an extent of an argument) + added, rounded up to a multiple of rounded_to; or a constant.
struct hot_value {
  enum class source : std::uint8_t { nothing, constant, extent };
  source from = source::nothing;
  std::int8_t argument = 0, dim = 0;
  std::int32_t multiple = 1, rounded_to = 1;
  index_t added = 0;
};

struct hot_dim {
  hot_value extent{};
  hot_value stride{};  // compared where the extent is not 1
  std::int8_t pair_count = 0;
  std::int8_t pair_argument[2]{}, pair_dim[2]{};  // other strides of the same symbol
  bool test_range = false;                        // nothing else bounds this extent
  bool always_one = false, never_one = false;
  bool is_product = false;    // its stride is the product of the inner extents, by test or by type
  bool test_product = false;  // compare it
  bool test_chain = false;    // stride == inner stride * inner extent
  bool test_covers = false;   // stride >= last extent
  bool test_nested = false;   // stride > reach of the inner dimensions
  bool even_if_one = false;   // product and chain are compared also at extent 1
};

struct hot_argument {
  bool is_absent = false;
  std::int8_t rank = 0;
  std::uint8_t type_count = 0;  // 0: any, or known by type
  dtype types[argument::most_types]{};
  bool one_type = false;  // the same single type in every branch: tested together with the rank
  bool ask_if_sub_byte = false;
  bool test_device = false;
  device_kind on_device = device_kind::none;  // else the device of argument `same_device_as`
  std::int8_t same_device_as = -1;
  bool test_writable = false;
  bool is_stable = false;
  bool rows_are_dense = false;                        // the pitch is the last extent
  bool sum_reach = false;                             // the reach is not bounded by the number of elements
  bool checked_count = false, checked_reach = false;  // in arithmetic that notices overflow
  std::uint64_t alignment_mask = 0;
  std::uint64_t pitch_mask = 0;  // in elements
  std::uint64_t tile_mask = 0;   // of the last extent
  std::uint8_t index_bits = 64;
  hot_dim dims[max_rank]{};
};

struct hot_condition {
  enum class test : std::uint8_t { always, never, compare, divisible, one_of, none_of, capability_between };
  test what = test::always;
  comparison how = comparison::eq;
  hot_value left{}, right{};
  hot_value tuple[3]{};
  std::uint8_t tuple_width = 0;
  std::int8_t tuple_count = 0;
  const index_t* rows = nullptr;  // a constant array, whose elements the compiler sees
  capability lowest{}, highest{};
};

inline constexpr int most_hot_conditions = 6;

template <int Arguments>
struct hot_branch {
  bool is_kernel = true;             // false: if it is chosen, ask
  std::uint64_t alignment_mask = 0;  // the strictest of its arguments
  hot_argument arguments[Arguments > 0 ? Arguments : 1]{};
  hot_condition conditions[most_hot_conditions]{};
  int condition_count = 0;
  hot_condition guards[most_hot_conditions]{};
  int guard_count = 0;
};

template <int Arguments, int Branches>
struct hot_table {
  static constexpr int argument_count = Arguments;
  static constexpr int branch_count = Branches;
  bool understood = true;
  bool needs_stability = false;  // of some argument: decided by a callback
  bool needs_capability = false;
  bool needs_parameters = false;  // taken from the contract; a context may replace them
  int first_kernel = 0;           // its ranks are those of every branch
  hot_branch<Arguments> branches[Branches > 0 ? Branches : 1]{};
};

// ---- what is understood ------------------------------------------------------------------------------------------------
// Each function takes a declaration apart into all its fields. A new field stops the build here, so that somebody decides:
// either the table below carries it, or its presence makes the answer false, which is always right.

constexpr bool understands(const expression& e) {
  [[maybe_unused]] const auto& [kind, index, multiple, rounded_to, added, name] = e;
  switch (kind) {
    case expression_kind::any:
    case expression_kind::constant:
    case expression_kind::symbol:
    case expression_kind::parameter:
      return true;
  }
  return false;
}

constexpr bool is_power_of_two(std::int64_t n) {
  return n > 0 && (n & (n - 1)) == 0;
}

constexpr bool understands(const requirement& r) {
  [[maybe_unused]] const auto& [what, detail, second, why] = r;
  switch (what) {
    case notion::dense:
    case notion::canonical:
    case notion::inner_contiguous:
    case notion::row_pitched:
    case notion::permutation_dense:
    case notion::suffix_dense:
    case notion::collapsible:
    case notion::non_overlapping:
    case notion::stable:
    case notion::writable:
      return true;
    case notion::aligned:
    case notion::aligned_rows:
      return is_power_of_two(detail);
    case notion::index_bits:
      return detail >= 2 && detail <= 64;
    default:  // also what was added since
      return false;
  }
}

constexpr bool understands(const condition& c) {
  [[maybe_unused]] const auto& [kind, how, left, right, argument_name, argument_index, tuple, tuple_width,
                                tuples, tuple_count, singles, pairs, triples, lowest, highest, why] = c;
  for (const expression& e : tuple)
    if (!understands(e)) return false;
  if (!understands(left) || !understands(right)) return false;
  switch (how) {
    case comparison::lt:
    case comparison::le:
    case comparison::gt:
    case comparison::ge:
    case comparison::eq:
    case comparison::ne:
      break;
    default:
      return false;
  }
  switch (kind) {
    case condition_kind::compare:
    case condition_kind::present:
    case condition_kind::absent:
    case condition_kind::capability_between:
      return true;
    case condition_kind::divisible:
      return right.kind == expression_kind::constant && right.added > 0;
    case condition_kind::one_of:
    case condition_kind::none_of:
      return tuple_width >= 1 && tuple_width <= 3 && tuple_count >= 1 && tuple_count * tuple_width <= 24;
    default:  // also what was added since
      return false;
  }
}

constexpr bool understands(const shape_pattern& s) {
  [[maybe_unused]] const auto& [rank, extents, strides, has_strides] = s;
  for (int d = 0; d < max_rank; ++d)
    if (!understands(extents[d]) || !understands(strides[d])) return false;
  return true;
}

constexpr bool understands(const argument& a) {
  [[maybe_unused]] const auto& [name, types, type_count, type_why, shapes, shape_count, ranks, shape_why,
                                dimension_why, dimension_why_count, requirements, requirement_count,
                                descriptor, sharing_rules, sharing_count, is_optional, presence_why,
                                on_device, device_why, reader, stale, tile, reader_why, bounded_by, cost,
                                lengths_outside] = a;
  for (int s = 0; s < shape_count; ++s)
    if (!understands(shapes[s])) return false;
  for (int r = 0; r < requirement_count; ++r)
    if (!understands(requirements[r])) return false;
  if (sharing_count != 0) return false;
  switch (reader) {  // of a view that is active in all its columns; another is asked
    case reads::whole_row:
    case reads::bounded:
      return true;
    case reads::up_to_tile:
      return is_power_of_two(tile);
    default:  // also what was added since
      return false;
  }
}

// What a call says about a tensor and about itself: the fields that holds.h looks at, or need not.
constexpr bool understands(const tensor_ref& t) {
  [[maybe_unused]] const auto& [data, type, rank, where, extents, strides, byte_offset, read_only, from,
                                active, stale] = t;
  return true;
}
constexpr bool understands(const evaluation_context& c) {
  [[maybe_unused]] const auto& [device_capability, devices, device_count, parameters, parameter_count,
                                is_stable, stable_state, without_data, on_failure, on_failure_state] = c;
  return true;
}

constexpr bool understands(const contract_view& c) {
  [[maybe_unused]] const auto& [kernel, kind, arguments, argument_count, symbols, symbol_count, conditions,
                                condition_count, guards, guard_count] = c;
  switch (kind) {
    case branch_kind::kernel:
    case branch_kind::refusal:
    case branch_kind::otherwise:
      break;
    default:
      return false;
  }
  if (condition_count > most_hot_conditions || guard_count > most_hot_conditions) return false;
  for (int i = 0; i < argument_count; ++i)
    if (!understands(arguments[i])) return false;
  for (int i = 0; i < condition_count; ++i)
    if (!understands(conditions[i])) return false;
  for (int i = 0; i < guard_count; ++i)
    if (!understands(guards[i])) return false;
  return true;
}

constexpr bool understands(const dispatch_view& d) {
  [[maybe_unused]] const auto& [name, branches, branch_count, parameters, parameter_count] = d;
  for (int p = 0; p < parameter_count; ++p) {
    [[maybe_unused]] const auto& [p_name, values, value_count, library, version, where] = parameters[p];
  }
  for (int b = 0; b < branch_count; ++b)
    if (!understands(branches[b])) return false;
  return true;
}

// ---- deriving the table --------------------------------------------------------------------------------------------------

// Every extent on the hot path is 1 to 2^31 and, up to rank 2, every stride that is tested against no product is below 2^31.
// So a product of two, and a sum of two such products, fits; anything longer is computed in arithmetic that notices overflow.
inline constexpr int hot_bits = 31;
inline constexpr index_t highest_hot_extent = index_t{1} << hot_bits;

template <int Arguments, int Branches>
class hot_table_builder {
 public:
  hot_table<Arguments, Branches> table{};
  dispatch_view source{};
  argument_kind kinds[Arguments > 0 ? Arguments : 1]{};

  constexpr void give_up() { table.understood = false; }

  // The shape that the hot path takes: the one of the type's rank, or else the first.
  constexpr int hot_rank(const argument& a, const argument_kind& kind) {
    if (kind.is_typed) {
      if (a.ranks != 0 && ((a.ranks >> kind.rank) & 1u) == 0) give_up();
      return kind.rank;
    }
    if (a.shape_count > 0) return a.shapes[0].rank;
    for (int r = 0; r <= max_rank; ++r)
      if ((a.ranks >> r) & 1u) return r;
    give_up();  // any rank
    return 0;
  }
  // -1: none. An index and no pointer: GCC compares no address in a constant expression under its sanitizer.
  static constexpr int shape_of_rank(const argument& a, int rank) {
    for (int s = 0; s < a.shape_count; ++s)
      if (a.shapes[s].rank == rank) return s;
    return -1;
  }

  enum class binding : std::uint8_t { by_extent, by_stride, by_nothing };
  struct site {
    binding by = binding::by_nothing;
    std::int8_t argument = 0, dim = 0;
  };
  // Where the exact evaluator binds a symbol when every argument has its hot shape.
  constexpr site site_of(int b, const hot_branch<Arguments>& branch, const expression& symbol_use) const {
    const contract_view& c = source.branches[b];
    site found;
    for (int i = 0; i < c.argument_count; ++i) {
      if (kinds[i].is_absent) continue;
      const int shape = shape_of_rank(c.arguments[i], branch.arguments[i].rank);
      if (shape < 0) continue;
      const shape_pattern& pattern = c.arguments[i].shapes[shape];
      for (int d = 0; d < pattern.rank; ++d) {
        const expression& e = pattern.extents[d];
        if (e.is_bare_symbol() && e.index == symbol_use.index) {
          found.by = binding::by_extent;
          found.argument = static_cast<std::int8_t>(i);
          found.dim = static_cast<std::int8_t>(d);
          return found;
        }
        const expression& s = pattern.strides[d];
        if (pattern.has_strides && s.is_bare_symbol() && s.index == symbol_use.index)
          found.by = binding::by_stride;
      }
    }
    return found;
  }

  // `nothing` if the exact evaluator cannot know the value either.
  constexpr hot_value value_of(int b, const hot_branch<Arguments>& branch, const expression& e) {
    hot_value v;
    constexpr index_t bound = index_t{1} << 61;
    if (e.added < -bound || e.added > bound) {
      give_up();
      return v;
    }
    switch (e.kind) {
      case expression_kind::any:
        return v;
      case expression_kind::constant:
        v.from = hot_value::source::constant;
        v.added = e.added;
        return v;
      case expression_kind::symbol: {
        const site s = site_of(b, branch, e);
        if (s.by == binding::by_nothing) return v;
        // A rounded value must not be negative.
        const bool rounds = e.rounded_to != 1;
        if (s.by == binding::by_stride || (rounds && (e.rounded_to < 1 || e.multiple < 0 || e.added < 0))) {
          give_up();
          return v;
        }
        v.from = hot_value::source::extent;
        v.argument = s.argument;
        v.dim = s.dim;
        v.multiple = e.multiple;
        v.rounded_to = e.rounded_to;
        v.added = e.added;
        return v;
      }
      case expression_kind::parameter: {
        table.needs_parameters = true;
        for (int p = 0; p < source.parameter_count; ++p) {
          const library_parameter& known = source.parameters[p];
          if (known.name != e.name) continue;
          checked result = checked(known.values[0]) * checked(e.multiple) + checked(e.added);
          if (e.rounded_to != 1) result = round_up(result, e.rounded_to);
          if (known.value_count != 1 || !result.ok) give_up();  // tuned: the worst of several values counts
          v.from = hot_value::source::constant;
          v.added = result.value;
          return v;
        }
        return v;
      }
    }
    give_up();
    return v;
  }

  constexpr hot_condition condition_of(int b, const hot_branch<Arguments>& branch, const condition& c,
                                       bool is_guard) {
    hot_condition h;
    bool known = true;
    const auto take = [&](const expression& e) {
      const hot_value v = value_of(b, branch, e);
      known = known && v.from != hot_value::source::nothing;
      return v;
    };
    switch (c.kind) {
      case condition_kind::compare:
        h.what = hot_condition::test::compare;
        h.how = c.how;
        h.left = take(c.left);
        h.right = take(c.right);
        break;
      case condition_kind::divisible:
        h.what = hot_condition::test::divisible;
        h.left = take(c.left);
        h.right = take(c.right);
        break;
      case condition_kind::present:
      case condition_kind::absent: {
        const bool is_present = !kinds[c.argument_index].is_absent;
        h.what = is_present == (c.kind == condition_kind::present) ? hot_condition::test::always
                                                                   : hot_condition::test::never;
        return h;
      }
      case condition_kind::one_of:
      case condition_kind::none_of:
        h.what =
            c.kind == condition_kind::one_of ? hot_condition::test::one_of : hot_condition::test::none_of;
        h.tuple_width = c.tuple_width;
        h.tuple_count = static_cast<std::int8_t>(c.tuple_count);
        for (int i = 0; i < c.tuple_width; ++i) h.tuple[i] = take(c.tuple[i]);
        h.rows = c.tuples;
        break;
      case condition_kind::capability_between:
        h.what = hot_condition::test::capability_between;
        h.lowest = c.lowest;
        h.highest = c.highest;
        table.needs_capability = true;
        break;
      default:
        give_up();
    }
    if (!known) {
      // The exact evaluator lets a guard pass that it cannot decide; a branch that it cannot choose is a violation.
      h = hot_condition{};
      if (!is_guard) give_up();
    }
    return h;
  }

  constexpr void take_shape(int b, hot_branch<Arguments>& branch, int i, const argument& a) {
    hot_argument& h = branch.arguments[i];
    const int shape = shape_of_rank(a, h.rank);
    for (int d = 0; d < h.rank; ++d) {
      hot_dim& dim = h.dims[d];
      dim.test_range = true;
      if (shape < 0) continue;
      const shape_pattern& pattern = a.shapes[shape];
      const expression& e = pattern.extents[d];
      dim.extent = value_of(b, branch, e);
      if (dim.extent.from == hot_value::source::constant) {
        if (dim.extent.added < 1 || dim.extent.added > highest_hot_extent) give_up();
        dim.test_range = false;
        dim.always_one = dim.extent.added == 1;
        dim.never_one = dim.extent.added != 1;
      } else if (e.is_bare_symbol()) {
        if (dim.extent.argument == i && dim.extent.dim == d)
          dim.extent.from = hot_value::source::nothing;  // it is the site itself
        else
          dim.test_range = dim.extent.from == hot_value::source::nothing;
      }
      if (!pattern.has_strides) continue;
      const expression& s = pattern.strides[d];
      if (s.is_bare_symbol() && site_of(b, branch, s).by == binding::by_stride) {
        collect_pairs(b, branch, i, d, s);
        continue;
      }
      dim.stride = value_of(b, branch, s);
    }
  }

  // Uses of a stride symbol before this one: wherever both extents are above 1 the strides must agree.
  constexpr void collect_pairs(int b, hot_branch<Arguments>& branch, int at, int at_dim,
                               const expression& symbol_use) {
    const contract_view& c = source.branches[b];
    hot_dim& dim = branch.arguments[at].dims[at_dim];
    for (int i = 0; i <= at; ++i) {
      if (kinds[i].is_absent) continue;
      const int shape = shape_of_rank(c.arguments[i], branch.arguments[i].rank);
      if (shape < 0 || !c.arguments[i].shapes[shape].has_strides) continue;
      const shape_pattern& pattern = c.arguments[i].shapes[shape];
      for (int d = 0; d < pattern.rank; ++d) {
        if (i == at && d >= at_dim) break;
        const expression& s = pattern.strides[d];
        if (!s.is_bare_symbol() || s.index != symbol_use.index) continue;
        if (dim.pair_count == 2) return give_up();
        dim.pair_argument[dim.pair_count] = static_cast<std::int8_t>(i);
        dim.pair_dim[dim.pair_count++] = static_cast<std::int8_t>(d);
      }
    }
  }

  constexpr void take_type(hot_argument& h, const argument& a, const argument_kind& kind) {
    bool may_be_sub_byte = a.type_count == 0;
    if (kind.is_typed) {
      bool accepted = a.type_count == 0;
      for (int k = 0; k < a.type_count; ++k) accepted = accepted || accepts(a.types[k], kind.type);
      if (!accepted) give_up();
      may_be_sub_byte = kind.type.is_sub_byte();
    } else {
      h.type_count = a.type_count;
      for (int k = 0; k < a.type_count; ++k) {
        h.types[k] = a.types[k];
        may_be_sub_byte = may_be_sub_byte || a.types[k].is_sub_byte();
      }
    }
    if (!may_be_sub_byte || h.rank == 0) return;
    hot_dim& last = h.dims[h.rank - 1];
    if (last.is_product) return;  // the packed stride is 1
    if (a.type_count == 0 && !kind.is_typed)
      h.ask_if_sub_byte = true;
    else
      last.is_product = last.test_product = true;
  }

  constexpr void take_requirements(hot_argument& h, const argument& a, const argument_kind& kind) {
    const int r = h.rank;
    bool injective = kind.is_typed && kind.dense, unique = false;
    // Strides by type.
    if (kind.is_typed && kind.dense)
      for (int d = 0; d < r; ++d) h.dims[d].is_product = true;
    if (kind.is_typed && kind.inner && r > 0) h.dims[r - 1].is_product = true;

    if (a.reader == reads::up_to_tile && r > 0) h.tile_mask = static_cast<std::uint64_t>(a.tile) - 1;
    index_t pitch_bytes = 0;
    for (int k = 0; k < a.requirement_count; ++k) {
      const requirement& q = a.requirements[k];
      switch (q.what) {
        case notion::dense:
        case notion::permutation_dense:  // its row-major case; others are asked
          product_from(h, kind, 0, false);
          injective = true;
          break;
        case notion::canonical:
          product_from(h, kind, 0, true);
          injective = true;
          break;
        case notion::suffix_dense:
          if (q.detail < 0 || q.detail > r) return give_up();
          product_from(h, kind, r - q.detail, false);
          break;
        case notion::inner_contiguous:
          if (r > 0) product_from(h, kind, r - 1, false);
          break;
        case notion::row_pitched:
          injective = true;
          if (kind.is_typed && kind.dense) break;
          if (r >= 2) h.dims[r - 2].test_covers = true;  // the pitch is a number also in a view of that type
          if (kind.is_typed && kind.pitched) break;
          if (r > 0) product_from(h, kind, r - 1, false);
          for (int d = 0; d + 2 < r; ++d) h.dims[d].test_chain = true;
          for (int d = 1; d + 2 < r; ++d) h.dims[d].even_if_one = true;
          break;
        case notion::collapsible:
          if (q.detail < 0 || q.second >= r) return give_up();
          if (kind.is_typed && (kind.dense || (kind.pitched && q.second <= r - 2))) break;
          for (int d = q.detail; d < q.second; ++d) {
            h.dims[d].test_chain = true;
            if (d != q.detail) h.dims[d].even_if_one = true;
          }
          break;
        case notion::non_overlapping:
          unique = true;
          break;
        case notion::aligned:
          if (!kind.is_typed || kind.alignment < static_cast<std::uint32_t>(q.detail))
            h.alignment_mask |= static_cast<std::uint64_t>(q.detail) - 1;
          break;
        case notion::aligned_rows:
          if (q.detail > pitch_bytes) pitch_bytes = q.detail;
          break;
        case notion::index_bits:
          if (q.detail < h.index_bits) h.index_bits = static_cast<std::uint8_t>(q.detail);
          break;
        case notion::stable:
          h.is_stable = true;
          table.needs_stability = true;
          break;
        case notion::writable:
          if (kind.is_typed && kind.read_only) return give_up();
          h.test_writable = !kind.is_typed;
          break;
        default:
          return give_up();
      }
    }
    if (unique && !injective)
      for (int d = 0; d < r; ++d) h.dims[d].test_nested = true;
    if (pitch_bytes > 1 && r >= 2) take_pitch(h, a, kind, pitch_bytes);
  }

  // Strides of dimensions `first` to the last are products of the inner extents.
  constexpr void product_from(hot_argument& h, const argument_kind& kind, int first, bool even_if_one) {
    for (int d = first; d < h.rank; ++d) {
      hot_dim& dim = h.dims[d];
      const bool by_type = kind.is_typed && (kind.dense || (kind.inner && d == h.rank - 1));
      dim.is_product = true;
      dim.test_product = dim.test_product || !by_type;
      dim.even_if_one = dim.even_if_one || even_if_one || d == h.rank - 1;
    }
  }

  constexpr void take_pitch(hot_argument& h, const argument& a, const argument_kind& kind, index_t bytes) {
    index_t bits = kind.is_typed      ? kind.type.element_bits()
                   : a.type_count > 0 ? a.types[0].element_bits()
                                      : 0;
    for (int k = 0; !kind.is_typed && k < a.type_count; ++k)
      if (a.types[k].element_bits() != bits) bits = 0;
    if (!is_power_of_two(bits)) return give_up();
    if (bytes * 8 <= bits) return;
    h.pitch_mask = static_cast<std::uint64_t>(bytes * 8 / bits - 1);
    h.rows_are_dense = true;
    for (int d = 0; d < h.rank; ++d) h.rows_are_dense = h.rows_are_dense && h.dims[d].is_product;
  }

  // How the number of elements and the reach are kept within 64 bits.
  static constexpr void take_bounds(hot_argument& h) {
    bool all_products = true;
    int bits = 0;
    for (int d = 0; d < h.rank; ++d) {
      const hot_dim& dim = h.dims[d];
      all_products = all_products && dim.is_product;
      int own = hot_bits;
      if (dim.extent.from == hot_value::source::constant) {
        own = 0;
        while ((index_t{1} << own) < dim.extent.added) ++own;
      }
      bits += own;
    }
    h.checked_count = bits > 62;
    bool nested = false;
    for (int d = 0; d < h.rank; ++d) nested = nested || h.dims[d].test_nested;
    h.sum_reach = nested || (!all_products && (h.rank > 2 || h.index_bits < 64));
    h.checked_reach = h.sum_reach && h.rank > 2;
  }

  constexpr void take_branch(int b) {
    const contract_view& c = source.branches[b];
    hot_branch<Arguments>& branch = table.branches[b];
    branch.is_kernel = c.kind == branch_kind::kernel;
    if (c.kind == branch_kind::otherwise) return;
    for (int i = 0; i < Arguments; ++i) {
      const int expected = table.branches[table.first_kernel].arguments[i].rank;
      int rank = expected;
      if (kinds[i].is_absent)
        rank = 0;
      else if (branch.is_kernel)
        rank = hot_rank(c.arguments[i], kinds[i]);
      branch.arguments[i].is_absent = kinds[i].is_absent;
      branch.arguments[i].rank = static_cast<std::int8_t>(rank);
      if (b != table.first_kernel && rank != expected)
        give_up();  // one test of the ranks serves all branches
    }
    int first_device = -1;
    for (int i = 0; branch.is_kernel && i < Arguments; ++i) {
      const argument& a = c.arguments[i];
      hot_argument& h = branch.arguments[i];
      if (h.is_absent) {
        branch.is_kernel = a.is_optional;
        continue;
      }
      take_shape(b, branch, i, a);
      take_requirements(h, a, kinds[i]);
      if (h.alignment_mask > branch.alignment_mask) branch.alignment_mask = h.alignment_mask;
      take_type(h, a, kinds[i]);
      take_bounds(h);
      if (a.on_device != device_kind::none) {
        if (kinds[i].is_typed) give_up();  // a typed view does not say where it lives
        h.test_device = true;
        h.on_device = a.on_device;
      } else if (!kinds[i].is_typed) {
        h.test_device = first_device >= 0;
        h.same_device_as = static_cast<std::int8_t>(first_device);
        if (first_device < 0) first_device = i;
      }
    }
    branch.condition_count = c.condition_count;
    for (int k = 0; k < c.condition_count; ++k)
      branch.conditions[k] = condition_of(b, branch, c.conditions[k], false);
    branch.guard_count = c.guard_count;
    for (int k = 0; k < c.guard_count; ++k) branch.guards[k] = condition_of(b, branch, c.guards[k], true);
  }

  static constexpr hot_table<Arguments, Branches> make(const dispatch_view& what,
                                                       const argument_kind* given) {
    hot_table_builder builder;
    builder.source = what;
    for (int i = 0; i < Arguments; ++i) builder.kinds[i] = given[i];
    builder.build();
    return builder.table;
  }

 private:
  constexpr void find_one_type(int i) {
    const hot_argument& first = table.branches[table.first_kernel].arguments[i];
    bool one = first.type_count == 1 && first.types[0].means == tag::none;
    for (int b = 0; b < Branches; ++b) {
      if (source.branches[b].kind != branch_kind::kernel) continue;
      const hot_argument& other = table.branches[b].arguments[i];
      one = one && other.type_count == 1 && same_representation(other.types[0], first.types[0]) &&
            other.types[0].means == tag::none;
    }
    for (int b = 0; b < Branches; ++b) table.branches[b].arguments[i].one_type = one;
  }

  constexpr void build() {
    if (!understands(source)) return give_up();
    for (int b = 0; b < Branches; ++b)
      if (source.branches[b].kind != branch_kind::otherwise && source.branches[b].argument_count != Arguments)
        return give_up();
    while (table.first_kernel < Branches && source.branches[table.first_kernel].kind != branch_kind::kernel)
      ++table.first_kernel;
    if (table.first_kernel == Branches) return give_up();
    take_branch(table.first_kernel);
    for (int b = 0; b < Branches && table.understood; ++b)
      if (b != table.first_kernel) take_branch(b);
    for (int i = 0; i < Arguments; ++i) find_one_type(i);
  }
};

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
