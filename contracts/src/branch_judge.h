// Judges one branch of a dispatch: binds its symbols, decides whether it applies, checks every fact.
// Private to the library.
//
// Promises:  symbols are bound by the constructor, before anything is decided or checked, so neither the order of the
//            arguments nor a forward reference changes an answer (docs/semantics.md, "Symbols").
// Does not:  own what it is given; it lives as long as one call of the evaluator.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "condition_judge.h"
#include "report_data.h"
#include "stridelock/sharing.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

constexpr verdict verdict_of(const violation& v) {
  if (v.kind == violation_kind::no_kernel || v.kind == violation_kind::uncovered) return verdict::no_kernel;
  return v.how == evidence::unchecked ? verdict::silent : verdict::refused;
}

// Judges one branch. Everything it needs is borrowed for the time of the call.
// Argument: argument_copy, or another with the same members. Violations: a list of all, or only of the worst.
// Arguments: what holds them, by value or a pointer to the first.
template <class Argument, class Violations, class Arguments = const std::vector<Argument>&>
class basic_branch_judge {
 public:
  using tensor_type = decltype(Argument::tensor);

  basic_branch_judge(const contract_view& branch, Arguments arguments, const argument_value* originals,
                     const std::vector<library_parameter>& parameters, const std::vector<index_t>& values,
                     capability device_capability, const evaluation_context& context)
      : branch_(branch),
        arguments_(arguments),
        originals_(originals),
        parameters_(parameters),
        values_(values),
        capability_(device_capability),
        context_(context) {
    for (int i = 0; i < branch.symbol_count; ++i)
      symbols[static_cast<std::size_t>(i)].name = branch.symbols[i].name;
    bind();
  }

  // Does the branch apply? Unknown if a condition cannot be decided; `undecided_condition` is then the first of them.
  tri applies() {
    tri all = tri::yes;
    for (int i = 0; i < branch_.condition_count; ++i) {
      const tri one = holds(branch_.conditions[i]);
      if (one == tri::no) return tri::no;
      if (one == tri::unknown && all == tri::yes) {
        all = tri::unknown;
        undecided_condition = i;
      }
    }
    return all;
  }

  tri condition_holds(int i) const { return holds(branch_.conditions[i]); }

  void check() {
    if (branch_.kind != branch_kind::kernel) return check_refusal();
    const int first = first_tensor();
    for (int i = 0; i < branch_.argument_count; ++i) {
      if (!check_form(i, first)) continue;
      check_shape(i);
      check_facts(i);
    }
    for (int i = 0; i < branch_.argument_count; ++i) check_sharing(i);
    check_guards();
  }

  // ---- the parts of check(), in its order: for who keeps the answers of parts whose inputs did not change -----------

  void check_refusal() {
    violation v;
    v.kind = violation_kind::no_kernel;
    add(v, {});
  }

  // The argument that says on which device the others must be; -1: none does.
  int first_tensor() const {
    for (int i = 0; i < branch_.argument_count; ++i) {
      const Argument& given = arguments_[static_cast<std::size_t>(i)];
      // A typed view does not say where it lives.
      if (given.is_present && !is_malformed(given) && branch_.arguments[i].on_device == device_kind::none &&
          given.tensor.where().kind != device_kind::none)
        return i;
    }
    return -1;
  }

  // Presence, type, device, and whether it is a tensor at all: if not, nothing else can be asked of it. Looks at this
  // argument, and at the device of the first.
  bool check_form(int i, int first_tensor) {
    const argument& wanted = branch_.arguments[i];
    const Argument& given = arguments_[static_cast<std::size_t>(i)];
    if (!given.is_present) {
      if (!wanted.is_optional) add(at(violation_kind::missing, i), wanted.presence_why);
      return false;
    }
    const tensor_type& t = given.tensor;
    if (is_malformed(given)) {
      add(at(violation_kind::malformed, i, -1, given.rank_given, max_rank), {});
      return false;
    }

    bool type_ok = wanted.type_count == 0;
    for (int k = 0; k < wanted.type_count; ++k) type_ok = type_ok || accepts(wanted.types[k], t.type());
    if (!type_ok) add(at(violation_kind::type, i), wanted.type_why);

    if (wanted.on_device != device_kind::none) {
      // A meta tensor lives nowhere, and is judged without its data.
      const bool is_nowhere = context_.without_data && t.where().kind == device_kind::none;
      if (t.where().kind != wanted.on_device && !is_nowhere)
        add(at(violation_kind::device, i), wanted.device_why);
    } else if (t.where().kind != device_kind::none && i > first_tensor &&
               t.where() != arguments_[static_cast<std::size_t>(first_tensor)].tensor.where()) {
      violation v = at(violation_kind::device, i);
      v.other = static_cast<std::int8_t>(first_tensor);
      add(v, {});
    }

    for (int d = 0; d < t.rank(); ++d) {
      if (t.extent(d) < 0) {
        add(at(violation_kind::negative_extent, i, d, t.extent(d)), {});
        return false;
      }
    }
    if (!t.valid() || !is_addressable(t.layout())) {
      add(at(violation_kind::not_addressable, i), {});
      return false;
    }
    return true;
  }

  // Rank, extents and strides: the symbols, and the parameters of the library.
  void check_shape(int i) {
    const argument& wanted = branch_.arguments[i];
    const tensor_type& t = arguments_[static_cast<std::size_t>(i)].tensor;
    if (wanted.ranks != 0 && ((wanted.ranks >> t.rank()) & 1u) == 0) {
      add(at(violation_kind::rank, i, -1, t.rank()), wanted.shape_why);
    } else if (const shape_pattern* pattern = shape_for(wanted, t)) {
      check_shape(i, wanted, *pattern, t);
    }
  }

  // Data, what of it is read, layout, alignment and so on: this argument alone, and whether others are there.
  void check_facts(int i) {
    const argument& wanted = branch_.arguments[i];
    const tensor_type& t = arguments_[static_cast<std::size_t>(i)].tensor;
    const bool empty = is_empty(t.layout());
    if (!empty && t.data() == nullptr && has_addresses(t.where()) && !context_.without_data) {
      add(at(violation_kind::null_data, i), {});
    }
    if (!empty && t.type().is_sub_byte() && t.rank() > 0 && t.extent(t.rank() - 1) > 1 &&
        t.stride(t.rank() - 1) != 1) {
      add(at(violation_kind::packed_stride, i, t.rank() - 1, t.stride(t.rank() - 1), 1), {});
    }
    check_valid_extent(i, wanted, t, empty);
    for (int k = 0; k < wanted.requirement_count; ++k) check_requirement(i, wanted.requirements[k], t, empty);
  }

  // Memory shared with others: this argument and those that its rules name.
  void check_sharing(int i) {
    for (int k = 0; k < branch_.arguments[i].sharing_count; ++k)
      check_sharing(i, branch_.arguments[i].sharing_rules[k]);
  }

  void check_guards() {
    for (int i = 0; i < branch_.guard_count; ++i) {
      if (holds(branch_.guards[i]) != tri::no) continue;
      violation v;
      v.kind = violation_kind::guard;
      v.index = static_cast<std::int8_t>(i);
      if (branch_.guards[i].left.kind == expression_kind::symbol) v.symbol = branch_.guards[i].left.index;
      add(v, branch_.guards[i].why);
    }
  }

  // For arguments that are others now. `same_places`: each is there or absent, and has the rank, as when it was bound
  // last. `changed_symbols` then has a bit for each symbol that has another value, else for all.
  void bind_again(capability device_capability, bool same_places) {
    capability_ = device_capability;
    if (same_places && is_bound_by_extents_ && take_extents()) return;
    changed_symbols = ~std::uint32_t{0};
    for (int i = 0; i < branch_.symbol_count; ++i) symbols[static_cast<std::size_t>(i)].bound = false;
    bind();
  }
  // Forgets what was found, not what was bound.
  void clear() {
    violations.clear();
    symbol_violated_ = {};
    undecided_condition = -1;
    unevaluated = 0;
  }

  verdict worst() const {
    verdict result = verdict::ok;
    for (const violation& v : violations) result = std::max(result, verdict_of(v));
    return result;
  }

  Violations violations;
  std::array<symbol_value, 16> symbols{};
  int undecided_condition = -1;
  int unevaluated = 0;
  std::uint32_t changed_symbols = ~std::uint32_t{0};  // since its owner took note

 private:
  // ---- pass one ----------------------------------------------------------------------------------------------

  // The extents at the places where the symbols are bound. False: one of them binds nothing.
  bool take_extents() {
    for (int i = 0; i < branch_.symbol_count; ++i) {
      symbol_value& s = symbols[static_cast<std::size_t>(i)];
      const index_t value = arguments_[static_cast<std::size_t>(s.argument)].tensor.extent(s.dim);
      if (value < 0) return false;
      if (value != s.value) changed_symbols |= std::uint32_t{1} << i;
      s.value = value;
    }
    return true;
  }

  static const shape_pattern* shape_for(const argument& wanted, const tensor_type& tensor) {
    for (int s = 0; s < wanted.shape_count; ++s)
      if (wanted.shapes[s].rank == tensor.rank()) return &wanted.shapes[s];
    return nullptr;
  }

  void bind() {
    unbound_ = branch_.symbol_count;
    bool plain_extents = true;
    for (int i = 0; i < branch_.argument_count && unbound_ > 0; ++i) {
      const Argument& given = arguments_[static_cast<std::size_t>(i)];
      if (!given.is_present || !given.tensor.valid()) continue;
      const shape_pattern* pattern = shape_for(branch_.arguments[i], given.tensor);
      if (pattern == nullptr) continue;
      for (int d = 0; d < pattern->rank; ++d) {
        if (given.tensor.extent(d) >= 0)
          bind_to(pattern->extents[d], i, d, false, given.tensor.extent(d));
        else
          plain_extents = false;
      }
    }
    is_bound_by_extents_ = unbound_ == 0 && plain_extents;
    // Strides after all extents, so that an extent is the better origin of a symbol used for both.
    for (int i = 0; i < branch_.argument_count && unbound_ > 0; ++i) {
      const Argument& given = arguments_[static_cast<std::size_t>(i)];
      if (!given.is_present || !given.tensor.valid() || is_empty(given.tensor.layout())) continue;
      const shape_pattern* pattern = shape_for(branch_.arguments[i], given.tensor);
      if (pattern == nullptr || !pattern->has_strides) continue;
      for (int d = 0; d < pattern->rank; ++d)
        if (given.tensor.extent(d) > 1) bind_to(pattern->strides[d], i, d, true, given.tensor.stride(d));
    }
  }

  void bind_to(const expression& e, int argument_index, int dim, bool by_stride, index_t value) {
    if (!e.is_bare_symbol()) return;
    symbol_value& s = symbols[static_cast<std::size_t>(e.index)];
    if (s.bound) return;
    s.bound = true;
    --unbound_;
    s.by_stride = by_stride;
    s.argument = static_cast<std::int8_t>(argument_index);
    s.dim = static_cast<std::int8_t>(dim);
    s.value = value;
  }

  // ---- conditions --------------------------------------------------------------------------------------------

  expression_value value(const expression& e) const {
    // Nearly always one of these two.
    if (e.kind == expression_kind::constant) return {true, e.is_representable(), e.added};
    if (e.is_bare_symbol() && e.index >= 0 && e.index < branch_.symbol_count) {
      const symbol_value& s = symbols[static_cast<std::size_t>(e.index)];
      return s.bound ? expression_value{true, true, s.value} : expression_value{};
    }
    return value_of(e, symbols.data(), branch_.symbol_count, parameters_, values_);
  }

  tri holds(const condition& c) const {
    return detail::condition_holds(
        c, capability_, [this](const expression& e) { return value(e); },
        [this](int i) { return arguments_[static_cast<std::size_t>(i)].is_present; });
  }

  // ---- pass two ----------------------------------------------------------------------------------------------

  static bool is_malformed(const Argument& given) {
    return given.rank_given < 0 || given.rank_given > max_rank ||
           (!given.tensor.valid() && given.tensor.rank() != given.rank_given);
  }

  static violation at(violation_kind kind, int argument_index, int dim = -1, index_t found = 0,
                      index_t needed = 0) {
    violation v;
    v.kind = kind;
    v.argument = static_cast<std::int8_t>(argument_index);
    v.dim = static_cast<std::int8_t>(dim);
    v.found = found;
    v.needed = needed;
    return v;
  }

  void add(violation v, const basis& why) {
    v.how = why.how;
    v.where = why.where;
    violations.push_back(v);
  }

  void check_shape(int i, const argument& wanted, const shape_pattern& pattern, const tensor_type& t) {
    for (int d = 0; d < pattern.rank; ++d)
      compare(violation_kind::extent, i, d, pattern.extents[d], t.extent(d), wanted, pattern.rank);
    if (!pattern.has_strides || is_empty(t.layout())) return;
    for (int d = 0; d < pattern.rank; ++d)
      if (t.extent(d) > 1)
        compare(violation_kind::stride, i, d, pattern.strides[d], t.stride(d), wanted, pattern.rank);
  }

  // The reader stops at lengths that are there. Lengths that are declared to be outside of the contract are believed in.
  bool is_bounded(const argument& wanted) const {
    if (wanted.reader != reads::bounded) return false;
    if (wanted.lengths_outside) return true;
    for (int i = 0; i < branch_.argument_count; ++i)
      if (branch_.arguments[i].name == wanted.bounded_by)
        return arguments_[static_cast<std::size_t>(i)].is_present;
    return false;
  }

  void check_valid_extent(int i, const argument& wanted, const tensor_type& t, bool empty) {
    for (int d = 0; t.is_partial() && d < t.rank(); ++d)
      if (t.active(d) < 0 || t.active(d) > t.extent(d)) {
        add(at(violation_kind::active_extent, i, d, t.active(d), t.extent(d)), wanted.reader_why);
        return;
      }
    if (!t.is_partial() && wanted.reader != reads::up_to_tile) return;  // everything may be read
    if (empty || t.rank() == 0 || is_bounded(wanted)) return;
    const int last = t.rank() - 1;
    const reads reader = wanted.reader == reads::bounded ? reads::whole_row : wanted.reader;
    const checked columns = columns_read(reader, t.active(last), t.extent(last), wanted.tile);
    if (!columns.ok || columns.value > t.extent(last)) {
      add(at(violation_kind::reads_beyond, i, last, columns.ok ? columns.value : checked::highest,
             t.extent(last)),
          wanted.reader_why);
    }
    if (may_hold(wanted.stale, t.stale())) return;
    for (int d = last; d >= 0; --d) {
      const index_t read = d == last && columns.ok ? std::min(columns.value, t.extent(d)) : t.extent(d);
      if (read <= t.active(d)) continue;
      add(at(violation_kind::stale_read, i, d, t.active(d), read), wanted.reader_why);
      return;
    }
  }

  // Both tensors are there, well formed, and their data words are known.
  bool has_known_memory(int i) const {
    const Argument& given = arguments_[static_cast<std::size_t>(i)];
    if (!given.is_present || !given.tensor.valid() || !is_addressable(given.tensor.layout())) return false;
    const tensor_type& t = given.tensor;
    return is_empty(t.layout()) || t.data() != nullptr || !has_addresses(t.where());
  }

  void check_sharing(int i, const sharing_rule& rule) {
    const Argument& given = arguments_[static_cast<std::size_t>(i)];
    const Argument& other = arguments_[static_cast<std::size_t>(rule.index)];
    if (!given.is_present || !other.is_present) return;
    if (context_.without_data) {
      ++unevaluated;
      return;
    }
    if (!has_known_memory(i) || !has_known_memory(rule.index)) return;  // a violation of its own
    const memory_view a = memory_of(given.tensor), b = memory_of(other.tensor);
    violation v = at(violation_kind::shared_memory, i);
    v.other = rule.index;
    v.found = static_cast<index_t>(a.position - b.position);
    if (rule.what == sharing::same_memory) {
      const tri same = is_same_memory(a, b);
      if (same == tri::yes) return;
      v.kind = same == tri::no ? violation_kind::other_memory : violation_kind::other_memory_unknown;
    } else {
      if (rule.what == sharing::same_view_or_none && is_same_view(a, b)) return;
      const tri shared = shares_memory(a, b);
      if (shared == tri::no) return;
      if (shared == tri::unknown) v.kind = violation_kind::shared_memory_unknown;
    }
    add(v, rule.why);
  }

  void compare(violation_kind kind, int i, int dim, const expression& wanted, index_t found,
               const argument& by, int rank) {
    const expression_value needed = value(wanted);
    if (!needed.known || (needed.fits && needed.value == found)) return;
    violation v = at(needed.fits ? kind : violation_kind::overflow, i, dim, found, needed.value);
    if (wanted.kind == expression_kind::symbol) {
      v.symbol = wanted.index;
      v.other = symbols[static_cast<std::size_t>(wanted.index)].argument;
      bool& violated = symbol_violated_[static_cast<std::size_t>(wanted.index)];
      v.is_consequence = violated;
      violated = true;
    }
    add(v, by.basis_of(rank, dim, kind == violation_kind::stride));
  }

  void check_requirement(int i, const requirement& r, const tensor_type& t, bool empty) {
    const layout_ref l = t.layout();
    violation v = at(violation_kind::layout, i);
    v.what = r.what;
    switch (r.what) {
      case notion::dense:
        if (is_dense(l)) return;
        if (const pitch_result rows = row_pitch(l); l.rank >= 2 && rows.has_pitch && is_row_pitched(l)) {
          v.kind = violation_kind::row_pitch;
          blame(v, rows.dim, rows.pitch, l.extents[l.rank - 1]);
        } else {
          blame_suffix(v, l, l.rank);
        }
        break;
      case notion::suffix_dense:
        if (is_suffix_dense(l, r.detail)) return;
        if (r.detail > l.rank)
          v.kind = violation_kind::rank, v.found = l.rank, v.needed = r.detail;
        else
          blame_suffix(v, l, r.detail);
        break;
      case notion::canonical:
        if (is_canonical(l)) return;
        for (int d = l.rank - 1; d >= 0; --d) {
          const checked expected = canonical_stride(l, d);
          if (l.strides[d] != expected.value) {
            blame(v, d, l.strides[d], expected.value);
            break;
          }
        }
        break;
      case notion::inner_contiguous:
        if (is_inner_contiguous(l)) return;
        blame(v, l.rank - 1, l.strides[l.rank - 1], 1);
        break;
      case notion::row_pitched:
        if (is_row_pitched(l)) return;
        if (!is_inner_contiguous(l)) {
          blame(v, l.rank - 1, l.strides[l.rank - 1], 1);
        } else if (!is_collapsible(l, 0, l.rank - 2)) {
          blame_collapsible(v, l, 0, l.rank - 2);
        } else {
          v.kind = violation_kind::row_overlap;
          blame(v, row_pitch(l).dim, row_pitch(l).pitch, l.extents[l.rank - 1]);
        }
        break;
      case notion::collapsible:
        if (is_collapsible(l, r.detail, r.second)) return;
        if (r.second >= l.rank)
          v.kind = violation_kind::rank, v.found = l.rank, v.needed = r.second + 1;
        else
          blame_collapsible(v, l, r.detail, r.second);
        break;
      case notion::permutation_dense: {
        if (is_permutation_dense(l)) return;
        const reach offsets = offsets_of(l);
        v.kind = violation_kind::permutation;
        v.found = offsets.high - offsets.low + 1;
        v.needed = element_count(l).value;
        break;
      }
      case notion::non_overlapping: {
        const tri unique = injectivity(l);
        if (unique == tri::yes) return;
        v.kind = unique == tri::no ? violation_kind::overlap : violation_kind::overlap_unknown;
        for (int d = 0; d < l.rank; ++d)
          if (l.extents[d] > 1 && l.strides[d] == 0) blame(v, d, 0, 1);
        break;
      }
      case notion::aligned: {
        if (empty || context_.without_data) return;
        const std::uint64_t address =
            has_addresses(t.where()) ? reinterpret_cast<std::uintptr_t>(t.data()) : 0;
        const auto bytes = static_cast<std::uint64_t>(r.detail);
        if (is_aligned(address, t.byte_offset(), bytes)) return;
        v.kind = violation_kind::aligned;
        v.found = static_cast<index_t>((address % bytes + t.byte_offset() % bytes) % bytes);
        v.needed = r.detail;
        break;
      }
      case notion::aligned_rows: {
        if (empty || !row_pitch(l).has_pitch) return;
        const checked bits = checked(row_pitch(l).pitch) * checked(t.type().element_bits());
        if (bits.ok && bits.value % (index_t{8} * r.detail) == 0) return;
        v.kind = violation_kind::aligned_rows;
        blame(v, row_pitch(l).dim, bits.ok ? bits.value / 8 : checked::highest, r.detail);
        break;
      }
      case notion::index_bits: {
        if (fits_index_bits(l, r.detail)) return;
        const reach offsets = offsets_of(l);
        v.kind = violation_kind::index_bits;
        v.found = offsets.high - offsets.low;
        v.needed = r.detail;
        break;
      }
      case notion::stable: {
        const tri inside = context_.is_stable == nullptr
                               ? tri::unknown
                               : context_.is_stable(originals_[i].tensor, context_.stable_state);
        if (inside == tri::yes || empty) return;
        if (inside == tri::unknown) {
          ++unevaluated;
          return;
        }
        v.kind = violation_kind::stable;
        break;
      }
      case notion::writable:
        if (t.read_only() != tri::yes) return;
        v.kind = violation_kind::read_only;
        break;
      case notion::descriptor_legal: {
        const descriptor_fault fault = descriptor_fault_of(t, branch_.arguments[i].descriptor);
        if (fault.kind == descriptor_fault_kind::none) return;
        v.kind = violation_kind::descriptor;
        v.fault = fault.kind;
        blame(v, fault.dim, fault.found, fault.needed);
        break;
      }
    }
    add(v, r.why);
  }

  descriptor_fault descriptor_fault_of(const tensor_type& t, descriptor_rule rule) const {
    const bool has_address = has_addresses(t.where()) && !context_.without_data;
    const std::uint64_t address =
        (has_address ? static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(t.data())) : 0) +
        (context_.without_data ? 0 : t.byte_offset());
    return check_descriptor(t.layout(), address, t.type(), rule);
  }

  static void blame(violation& v, int dim, index_t found, index_t needed) {
    v.dim = static_cast<std::int8_t>(dim);
    v.found = found;
    v.needed = needed;
  }
  static void blame_suffix(violation& v, const layout_ref& l, int count) {
    index_t expected = 1;  // cannot overflow: the layout is addressable
    for (int d = l.rank - 1; d >= l.rank - count; --d) {
      if (l.extents[d] == 1) continue;
      if (l.strides[d] != expected) return blame(v, d, l.strides[d], expected);
      expected *= l.extents[d];
    }
  }
  static void blame_collapsible(violation& v, const layout_ref& l, int first, int last) {
    int inner = -1;
    for (int d = last; d >= first; --d) {
      if (l.extents[d] == 1) continue;
      if (inner >= 0) {
        const checked expected = checked(l.strides[inner]) * checked(l.extents[inner]);
        if (!expected.ok || l.strides[d] != expected.value) return blame(v, d, l.strides[d], expected.value);
      }
      inner = d;
    }
  }

  const contract_view& branch_;
  Arguments arguments_;
  const argument_value* originals_;
  const std::vector<library_parameter>& parameters_;
  const std::vector<index_t>& values_;
  capability capability_;
  const evaluation_context& context_;
  std::array<bool, 16> symbol_violated_{};
  int unbound_ = 0;  // symbols
  bool is_bound_by_extents_ = false;
};

using branch_judge = basic_branch_judge<argument_copy, std::vector<violation>>;

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
