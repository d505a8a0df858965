#include "first_look.h"

#include <cstring>

#include "condition_judge.h"
#include "stridelock/sharing.h"

namespace stridelock {
inline namespace v1 {
namespace detail {
namespace {

constexpr int most_arguments = 16;
constexpr int most_parameters = 8;

constexpr std::uint32_t bit(notion what) {
  return std::uint32_t{1} << static_cast<unsigned>(what);
}
constexpr std::uint32_t notions_of_dense = bit(notion::dense) | bit(notion::inner_contiguous) |
                                           bit(notion::row_pitched) | bit(notion::permutation_dense) |
                                           bit(notion::non_overlapping);
// Nothing is addressed, so they hold whatever the strides are.
constexpr std::uint32_t notions_of_empty =
    notions_of_dense | bit(notion::aligned) | bit(notion::aligned_rows) | bit(notion::stable);

// False if the result does not fit.
inline bool multiply(index_t a, index_t b, index_t& product) {
#if defined(__GNUC__) || defined(__clang__)
  return !__builtin_mul_overflow(a, b, &product);
#else
  const checked result = checked(a) * checked(b);
  product = result.value;
  return result.ok;
#endif
}
inline bool add(index_t a, index_t b, index_t& sum) {
#if defined(__GNUC__) || defined(__clang__)
  return !__builtin_add_overflow(a, b, &sum);
#else
  const checked result = checked(a) + checked(b);
  sum = result.value;
  return result.ok;
#endif
}

// One argument, in place, and what its extents and strides say.
struct seen_tensor {
  const tensor_ref* ref;  // null: absent
  layout_ref layout;
  bool is_empty;
  int dense_from;           // the dimensions from here to the last are dense
  index_t span;             // between the lowest and the highest offset
  std::uint32_t satisfied;  // notions that hold without a closer look

  // False: it is malformed, or not addressable.
  bool take(const tensor_ref& r, index_t* compact_strides) {
    ref = &r;
    if (r.rank < 0 || r.rank > max_rank || (r.rank > 0 && r.extents == nullptr)) return false;
    layout = {r.rank, r.extents, r.strides};
    if (r.strides == nullptr && !give_strides(compact_strides)) return false;
    if (!take_plain() && !take_any()) return false;
    satisfied = is_empty ? notions_of_empty : dense_from == 0 ? notions_of_dense : 0;
    if (r.read_only != tri::yes) satisfied |= bit(notion::writable);
    return true;
  }

  bool is_partial() const { return ref->active != nullptr && layout.rank > 0; }
  index_t last_extent() const { return layout.extents[layout.rank - 1]; }

  memory_view memory() const {
    const auto word = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(ref->data));
    memory_view m;
    m.where = ref->where;
    m.handle = has_addresses(ref->where) ? 0 : word;
    m.position = has_addresses(ref->where) ? word + ref->byte_offset : ref->byte_offset;
    m.layout = layout;
    m.element_bits = ref->type.element_bits();
    return m;
  }

 private:
  bool give_strides(index_t* strides) {
    layout.strides = strides;
    for (int d = 0; d < layout.rank; ++d) {
      const checked stride = canonical_stride(layout, d);
      if (!stride.ok) return false;
      strides[d] = stride.value;
    }
    return true;
  }

  // False where an extent or a stride is negative, or a number does not fit.
  bool take_plain() {
    is_empty = false;
    dense_from = 0;
    span = 0;
    index_t count = 1;
    for (int d = layout.rank - 1; d >= 0; --d) {
      const index_t n = layout.extents[d], stride = layout.strides[d];
      if (n == 1) continue;
      if (stride != count && dense_from == 0) dense_from = d + 1;
      is_empty |= n == 0;
      index_t last = 0;
      if ((n | stride) < 0 || !multiply(stride, n - 1, last) || !add(span, last, span) ||
          !multiply(count, n, count))
        return false;
    }
    return true;
  }

  bool take_any() {
    if (!is_addressable(layout)) return false;
    is_empty = v1::is_empty(layout);
    const reach offsets = offsets_of(layout);
    span = offsets.high - offsets.low;
    dense_from = layout.rank;
    while (dense_from > 0 && is_suffix_dense(layout, layout.rank - dense_from + 1)) --dense_from;
    return true;
  }
};

class first_look {
 public:
  first_look(const dispatch_view& what, const argument_value* arguments, int count,
             const evaluation_context& context)
      : what_(what), arguments_(arguments), count_(count), context_(context) {}

  bool is_fine() {
    if (count_ > most_arguments || what_.branch_count == 0 || what_.parameter_count > most_parameters)
      return false;
    index_t compact_strides[most_arguments][max_rank];
    for (int i = 0; i < count_; ++i) {
      seen_[i].ref = nullptr;
      if (arguments_[i].is_present && !seen_[i].take(arguments_[i].tensor, compact_strides[i])) return false;
    }
    if (!take_parameters()) return false;
    bool one_applies = false, fine = false;
    for (int b = 0; b < what_.branch_count; ++b) {
      const contract_view& branch = what_.branches[b];
      if (branch.kind == branch_kind::otherwise) continue;
      if (branch.argument_count != count_) return false;
      branch_ = &branch;
      bind();
      if (!applies()) continue;
      if (one_applies) return false;
      one_applies = true;
      fine = branch.kind == branch_kind::kernel && holds();
    }
    return fine;
  }

 private:
  bool take_parameters() {
    for (int p = 0; p < what_.parameter_count; ++p) {
      const library_parameter& parameter = what_.parameters[p];
      parameter_values_[p] = parameter.values[0];
      bool is_given = false;
      for (int k = 0; k < context_.parameter_count; ++k) {
        if (context_.parameters[k].name != parameter.name) continue;
        parameter_values_[p] = context_.parameters[k].value;
        is_given = true;
      }
      if (!is_given && parameter.value_count != 1) return false;  // the worst of several values counts
    }
    return true;
  }

  // ---- symbols ---------------------------------------------------------------------------------------------------

  // Constants and symbols that stand alone are compared on the way; the rest when every symbol is known.
  void bind() {
    bound_ = 0;
    differs_ = false;
    has_more_ = false;
    bool has_strides = false;
    for (int i = 0; i < count_; ++i) {
      const shape_pattern* pattern = pattern_for(i);
      patterns_[i] = pattern;
      if (pattern == nullptr) continue;
      has_strides |= pattern->has_strides;
      for (int d = 0; d < pattern->rank; ++d) {
        const expression& e = pattern->extents[d];
        const index_t n = seen_[i].layout.extents[d];
        if (e.kind == expression_kind::constant && e.rounded_to == 1)
          differs_ |= e.added != n;
        else if (e.is_bare_symbol())
          differs_ |= bind_to(e, n) != n;
        else
          has_more_ |= e.kind != expression_kind::any;
      }
    }
    if (!has_strides) return;
    has_more_ = true;
    for (int i = 0; i < count_; ++i) {
      if (patterns_[i] == nullptr || !patterns_[i]->has_strides || seen_[i].is_empty) continue;
      for (int d = 0; d < patterns_[i]->rank; ++d)
        if (seen_[i].layout.extents[d] > 1 && patterns_[i]->strides[d].is_bare_symbol())
          bind_to(patterns_[i]->strides[d], seen_[i].layout.strides[d]);
    }
  }

  const shape_pattern* pattern_for(int i) const {
    const argument& wanted = branch_->arguments[i];
    for (int s = 0; seen_[i].ref != nullptr && s < wanted.shape_count; ++s)
      if (wanted.shapes[s].rank == seen_[i].layout.rank) return &wanted.shapes[s];
    return nullptr;
  }

  index_t bind_to(const expression& e, index_t value) {
    const std::uint32_t own = std::uint32_t{1} << e.index;
    if ((bound_ & own) == 0) symbols_[e.index] = value;
    bound_ |= own;
    return symbols_[e.index];
  }

  expression_value value(const expression& e) const {
    switch (e.kind) {
      case expression_kind::any:
        return {};
      case expression_kind::constant:
        return {true, e.is_representable(), e.added};
      case expression_kind::symbol:
        if (((bound_ >> e.index) & 1u) == 0) return {};
        return value_at(e, symbols_[e.index]);
      case expression_kind::parameter:
        for (int p = 0; p < what_.parameter_count; ++p)
          if (what_.parameters[p].name == e.name) return value_at(e, parameter_values_[p]);
        return {};
    }
    return {};
  }
  bool is_value(const expression& e, index_t found) const {
    const expression_value needed = value(e);
    return !needed.known || (needed.fits && needed.value == found);
  }

  // ---- conditions ------------------------------------------------------------------------------------------------

  tri holds(const condition& c) const {
    return condition_holds(
        c,
        c.kind == condition_kind::capability_between ? capability_of(arguments_, count_, context_)
                                                     : capability{},
        [this](const expression& e) { return value(e); }, [this](int i) { return seen_[i].ref != nullptr; });
  }

  bool applies() const {
    for (int k = 0; k < branch_->condition_count; ++k)
      if (holds(branch_->conditions[k]) != tri::yes) return false;
    return true;
  }

  // ---- facts -----------------------------------------------------------------------------------------------------

  bool holds() const {
    if (differs_) return false;
    const tensor_ref* first = nullptr;
    bool shares = false;
    for (int i = 0; i < count_; ++i) {
      const argument& wanted = branch_->arguments[i];
      if (seen_[i].ref == nullptr) {
        if (!wanted.is_optional) return false;
        continue;
      }
      shares |= wanted.sharing_count != 0;
      if (!has_type_and_device(wanted, *seen_[i].ref, first) || !holds(wanted, seen_[i])) return false;
    }
    if (has_more_ && !has_shapes()) return false;
    return (!shares || has_sharing()) && guards_hold();
  }

  bool guards_hold() const {
    for (int k = 0; k < branch_->guard_count; ++k)
      if (holds(branch_->guards[k]) == tri::no) return false;
    return true;
  }

  bool has_type_and_device(const argument& wanted, const tensor_ref& r, const tensor_ref*& first) const {
    bool accepted = wanted.type_count == 0;
    for (int k = 0; k < wanted.type_count && !accepted; ++k)
      accepted =
          std::memcmp(&wanted.types[k], &r.type, sizeof(dtype)) == 0 || accepts(wanted.types[k], r.type);
    if (!accepted) return false;
    if (wanted.on_device != device_kind::none)
      return r.where.kind == wanted.on_device || (context_.without_data && r.where.kind == device_kind::none);
    if (r.where.kind == device_kind::none) return true;  // a typed view does not say where it lives
    if (first == nullptr) first = &r;
    return r.where == first->where;
  }

  bool holds(const argument& wanted, const seen_tensor& t) const {
    if (wanted.ranks != 0 && ((wanted.ranks >> t.layout.rank) & 1u) == 0) return false;
    if (!t.is_empty) {
      if (t.ref->data == nullptr && has_addresses(t.ref->where) && !context_.without_data) return false;
      if (t.layout.rank > 0 && t.dense_from == t.layout.rank && t.ref->type.is_sub_byte()) return false;
    }
    if ((t.is_partial() || wanted.reader == reads::up_to_tile) && !reads_what_is_there(wanted, t))
      return false;
    for (int k = 0; k < wanted.requirement_count; ++k) {
      const requirement& r = wanted.requirements[k];
      const auto what = static_cast<unsigned>(r.what);
      if (what < 32 && ((t.satisfied >> what) & 1u) != 0) continue;
      if (!satisfies(wanted, r, t)) return false;
    }
    return true;
  }

  // A notion that is not known from the loop over the dimensions.
  bool satisfies(const argument& wanted, const requirement& r, const seen_tensor& t) const {
    const layout_ref& l = t.layout;
    switch (r.what) {
      case notion::dense:
        return false;
      case notion::suffix_dense:
        return r.detail >= 0 && r.detail <= l.rank && (t.is_empty || t.dense_from <= l.rank - r.detail);
      case notion::canonical:
        return is_canonical(l);
      case notion::inner_contiguous:
        return t.dense_from < l.rank;
      case notion::row_pitched:
        if (l.rank == 2) return t.dense_from <= 1 && l.strides[0] >= l.extents[1];
        return is_row_pitched(l);
      case notion::collapsible:
        return is_collapsible(l, r.detail, r.second);
      case notion::permutation_dense:
        return is_permutation_dense(l);
      case notion::non_overlapping:
        return is_nested(l) || injectivity(l) == tri::yes;
      case notion::aligned: {
        if (context_.without_data) return true;
        const std::uint64_t address =
            has_addresses(t.ref->where) ? reinterpret_cast<std::uintptr_t>(t.ref->data) : 0;
        const auto bytes = static_cast<std::uint64_t>(r.detail);
        if (is_power_of_two(bytes) && ((address | t.ref->byte_offset) & (bytes - 1)) == 0) return true;
        return is_aligned(address, t.ref->byte_offset, bytes);
      }
      case notion::aligned_rows: {
        const pitch_result rows = row_pitch(l);
        if (!rows.has_pitch) return true;
        const checked bits = checked(rows.pitch) * checked(t.ref->type.element_bits());
        return bits.ok && bits.value % (index_t{8} * r.detail) == 0;
      }
      case notion::index_bits:
        if (r.detail < 2 || r.detail > 64) return false;
        return t.is_empty || r.detail == 64 || t.span < (index_t{1} << (r.detail - 1));
      case notion::stable:
        return context_.is_stable != nullptr && context_.is_stable(*t.ref, context_.stable_state) == tri::yes;
      case notion::writable:
        return false;
      case notion::descriptor_legal: {
        const bool has_address = has_addresses(t.ref->where) && !context_.without_data;
        const std::uint64_t address =
            (has_address ? static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(t.ref->data)) : 0) +
            (context_.without_data ? 0 : t.ref->byte_offset);
        return check_descriptor(l, address, t.ref->type, wanted.descriptor).kind ==
               descriptor_fault_kind::none;
      }
    }
    return false;
  }

  static bool is_power_of_two(std::uint64_t n) { return (n & (n - 1)) == 0; }

  // Each dimension steps over everything inside it: no two indices share an address.
  static bool is_nested(const layout_ref& l) {
    index_t inside = 0;  // fits: at most the span
    for (int d = l.rank - 1; d >= 0; --d) {
      if (l.extents[d] == 1) continue;
      if (l.strides[d] <= inside) return false;
      inside += l.strides[d] * (l.extents[d] - 1);
    }
    return true;
  }

  bool reads_what_is_there(const argument& wanted, const seen_tensor& t) const {
    bool all_active = true;
    for (int d = 0; t.is_partial() && d < t.layout.rank; ++d) {
      const index_t active = t.ref->active[d];
      if (active < 0 || active > t.layout.extents[d]) return false;
      all_active &= active == t.layout.extents[d];
    }
    if (t.is_empty || t.layout.rank == 0) return true;
    if (wanted.reader == reads::bounded && has_lengths(wanted)) return true;
    if (!all_active) return false;  // stale columns may be read
    return wanted.reader != reads::up_to_tile || t.last_extent() % wanted.tile == 0;
  }
  // Lengths that are declared to be outside of the contract are believed in.
  bool has_lengths(const argument& wanted) const {
    if (wanted.lengths_outside) return true;
    for (int i = 0; i < count_; ++i)
      if (branch_->arguments[i].name == wanted.bounded_by) return seen_[i].ref != nullptr;
    return false;
  }

  bool has_shapes() const {
    for (int i = 0; i < count_; ++i) {
      const shape_pattern* pattern = patterns_[i];
      if (pattern == nullptr) continue;
      const layout_ref& l = seen_[i].layout;
      for (int d = 0; d < pattern->rank; ++d)
        if (!is_value(pattern->extents[d], l.extents[d])) return false;
      if (!pattern->has_strides || seen_[i].is_empty) continue;
      for (int d = 0; d < pattern->rank; ++d)
        if (l.extents[d] > 1 && !is_value(pattern->strides[d], l.strides[d])) return false;
    }
    return true;
  }

  bool has_sharing() const {
    for (int i = 0; i < count_; ++i) {
      const argument& wanted = branch_->arguments[i];
      for (int k = 0; k < wanted.sharing_count; ++k) {
        const sharing_rule& rule = wanted.sharing_rules[k];
        if (seen_[i].ref == nullptr || seen_[rule.index].ref == nullptr) continue;
        if (context_.without_data) return false;  // the report says that it was not judged
        const memory_view a = seen_[i].memory(), b = seen_[rule.index].memory();
        if (rule.what == sharing::same_memory) {
          if (is_same_memory(a, b) != tri::yes) return false;
        } else if (rule.what != sharing::same_view_or_none || !is_same_view(a, b)) {
          if (shares_memory(a, b) != tri::no) return false;
        }
      }
    }
    return true;
  }

  const dispatch_view& what_;
  const argument_value* arguments_;
  const int count_;
  const evaluation_context& context_;
  const contract_view* branch_ = nullptr;

  // Written before they are read, and only as far as the call goes: clearing them would cost more than the look.
  seen_tensor seen_[most_arguments];
  const shape_pattern* patterns_[most_arguments];
  index_t symbols_[32];
  index_t parameter_values_[most_parameters];
  std::uint32_t bound_ = 0;
  bool differs_ = false;   // an extent that stands alone is another
  bool has_more_ = false;  // expressions that are compared when every symbol is known
};

}  // namespace

bool is_fine_at_first_look(const dispatch_view& what, const argument_value* arguments, int count,
                           const evaluation_context& context) noexcept {
  return first_look(what, arguments, count, context).is_fine();
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
