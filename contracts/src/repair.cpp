#include "repair.h"

#include <algorithm>

namespace stridelock {
inline namespace v1 {
namespace detail {
namespace {

// A tensor that differs from another only in strides, extents or place.
tensor_desc variant(const tensor_desc& t, int rank, const index_t* extents, const index_t* strides) {
  tensor_ref r = t.ref();
  r.rank = rank;
  r.extents = extents;
  r.strides = strides;
  if (rank != t.rank()) r.active = nullptr;
  return tensor_desc::copy_of(r);
}

// Where a copy would be: aligned to everything, and far from every tensor. It is never read and never printed.
const void* memory_of_a_copy() {
  return reinterpret_cast<const void*>(std::uintptr_t{1} << (sizeof(std::uintptr_t) * 8 - 18));
}

}  // namespace

const argument& repairs::declaration() const {
  return data_.branches[static_cast<std::size_t>(data_.branch)].arguments[fault_.argument];
}

bool repairs::can_be_replaced() const {
  if (fault_.argument < 0 || data_.branch < 0) return false;
  const argument_copy& a = data_.arguments[static_cast<std::size_t>(fault_.argument)];
  return a.is_present && a.tensor.valid() && is_addressable(a.tensor.layout());
}

bool repairs::cures(const std::vector<contract_view>& branches, const tensor_desc* replacement) const {
  std::vector<argument_value> values(data_.arguments.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const argument_copy& a = data_.arguments[i];
    const bool replaced = replacement != nullptr && static_cast<int>(i) == fault_.argument;
    if (a.is_present) values[i] = argument_value(replaced ? replacement->ref() : a.tensor.ref());
  }
  evaluation_context context;
  context.device_capability = data_.device_capability;
  context.parameters = data_.given_parameters.data();
  context.parameter_count = static_cast<int>(data_.given_parameters.size());
  context.without_data = data_.without_data;
  dispatch_view what;
  what.name = data_.name;
  what.branches = branches.data();
  what.branch_count = static_cast<int>(branches.size());
  what.parameters = data_.parameters.data();
  what.parameter_count = static_cast<int>(data_.parameters.size());
  const report after = evaluate(what, values.data(), static_cast<int>(values.size()), context);
  if (after.incomplete()) return false;
  const auto same = [](const violation& a, const violation& b) {
    return a.kind == b.kind && a.argument == b.argument && a.dim == b.dim && a.what == b.what &&
           a.other == b.other;
  };
  for (const violation& left : after) {
    if (same(left, fault_)) return false;
    if (std::none_of(data_.violations.begin(), data_.violations.end(),
                     [&](const violation& before) { return same(before, left); }))
      return false;
  }
  return true;
}

std::optional<tensor_desc> repairs::if_it_cures(const tensor_desc& replacement) const {
  if (!replacement.valid() || !cures(data_.branches, &replacement)) return std::nullopt;
  return replacement;
}

std::optional<tensor_desc> repairs::rewritten_strides() const {
  if (!can_be_replaced()) return std::nullopt;
  const tensor_desc& t = given();
  const bool empty = is_empty(t.layout());
  index_t extents[max_rank]{}, strides[max_rank]{};
  bool differs = false;
  for (int d = t.rank() - 1; d >= 0; --d) {
    extents[d] = t.extent(d);
    strides[d] = t.stride(d);
    if (extents[d] > 1 && !empty) continue;
    // As if the dimension were the next one outwards; in a dense tensor that is the canonical stride.
    const checked fresh = d + 1 == t.rank()
                              ? checked(1)
                              : checked(strides[d + 1]) * checked(std::max<index_t>(extents[d + 1], 1));
    if (!fresh.ok) return std::nullopt;
    strides[d] = fresh.value;
    differs = differs || strides[d] != t.stride(d);
  }
  if (!differs) return std::nullopt;
  return if_it_cures(variant(t, t.rank(), extents, strides));
}

std::optional<tensor_desc> repairs::replayed(bool keep_columns) const {
  const tensor_desc& t = given();
  const provenance& p = t.from();
  if (!p.known() || p.step_count > provenance::capacity) return std::nullopt;
  tensor_ref root;
  root.data = t.data();
  root.type = t.type();
  root.where = t.where();
  root.rank = p.root_rank;
  root.extents = p.root_extents;
  root.strides = p.root_strides;
  root.read_only = t.read_only();
  tensor_desc d = tensor_desc::copy_of(root);
  for (int i = 0; i < p.step_count; ++i) {
    const view_step& s = p.steps[i];
    switch (s.what) {
      case operation::columns:
        if (keep_columns)
          d = d.columns(s.begin, s.end);
        else if (s.begin != 0)
          return std::nullopt;  // column 0 would be another one
        break;
      case operation::rows:
      case operation::middle_slice:
      case operation::step_first:
        d = d.slice(s.dim, s.begin, s.end, s.step);
        break;
      case operation::select_first:
      case operation::select_middle:
      case operation::select_next_to_last:
        d = d.select(s.dim, s.begin);
        break;
      case operation::transpose_outer:
        d = d.transpose(s.dim, s.other_dim);
        break;
      case operation::identity:
        break;
      default:
        return std::nullopt;  // the last dimension is another one, or the steps are not kept
    }
  }
  if (!d.valid() || d.rank() != t.rank()) return std::nullopt;
  return d;
}

std::optional<tensor_desc> repairs::full_rows() const {
  if (!can_be_replaced() || given().rank() < 2) return std::nullopt;
  const argument& a = declaration();
  if (a.reader != reads::bounded) return std::nullopt;
  for (int i = 0;
       !a.lengths_outside && i < data_.branches[static_cast<std::size_t>(data_.branch)].argument_count; ++i)
    if (data_.branches[static_cast<std::size_t>(data_.branch)].arguments[i].name == a.bounded_by &&
        !data_.arguments[static_cast<std::size_t>(i)].is_present)
      return std::nullopt;  // nothing bounds the reader
  const std::optional<tensor_desc> as_it_is = replayed(true);
  const std::optional<tensor_desc> whole = replayed(false);
  const tensor_desc& t = given();
  if (!as_it_is || !whole || as_it_is->byte_offset() != t.byte_offset()) return std::nullopt;
  for (int d = 0; d < t.rank(); ++d)
    if (as_it_is->extent(d) != t.extent(d) || as_it_is->stride(d) != t.stride(d)) return std::nullopt;
  const int last = t.rank() - 1;
  if (whole->extent(last) <= t.extent(last)) return std::nullopt;
  tensor_desc rows = *whole;
  for (int d = 0; d < t.rank(); ++d)
    if (t.is_partial() || d == last) rows = rows.activated(d, t.active(d));
  return if_it_cures(rows);
}

std::optional<tensor_desc> repairs::copy_with_strides(const index_t* strides) const {
  const argument& a = declaration();
  for (int i = 0; i < a.requirement_count; ++i)
    if (a.requirements[i].what == notion::stable)
      return std::nullopt;  // no copy is inside a registered buffer
  const tensor_desc& t = given();
  index_t extents[max_rank]{}, active[max_rank]{};
  for (int d = 0; d < t.rank(); ++d) {
    extents[d] = t.extent(d);
    active[d] = t.active(d);
  }
  tensor_ref r;
  r.data = data_.without_data ? nullptr : memory_of_a_copy();
  r.type = t.type();
  r.where = t.where();
  r.rank = t.rank();
  r.extents = extents;
  r.strides = strides;
  r.read_only = tri::no;
  if (t.is_partial()) {
    r.active = active;
    r.stale = t.stale();
  }
  return if_it_cures(tensor_desc::copy_of(r));
}

std::optional<tensor_desc> repairs::dense_copy() const {
  if (!can_be_replaced()) return std::nullopt;
  return copy_with_strides(nullptr);
}

std::optional<tensor_desc> repairs::padded_copy(index_t bytes) const {
  if (!can_be_replaced() || given().rank() < 2 || bytes < 1) return std::nullopt;
  const tensor_desc& t = given();
  index_t extents[max_rank]{}, strides[max_rank]{};
  for (int d = 0; d < t.rank(); ++d) extents[d] = t.extent(d);
  checked width(extents[t.rank() - 1] > 1 ? extents[t.rank() - 1] : 1);
  checked bits = width * checked(t.type().element_bits());
  const checked unit = checked(8) * checked(bytes);
  if (!unit.ok) return std::nullopt;
  bits = round_up(bits, unit.value);
  if (!bits.ok || t.type().element_bits() == 0 || bits.value % t.type().element_bits() != 0)
    return std::nullopt;
  strides[t.rank() - 1] = 1;
  checked next(bits.value / t.type().element_bits());
  for (int d = t.rank() - 2; d >= 0; --d) {
    if (!next.ok) return std::nullopt;
    strides[d] = next.value;
    next = next * checked(std::max<index_t>(extents[d], 1));
  }
  return copy_with_strides(strides);
}

std::optional<tensor_desc> repairs::reshaped(bool& added, int& dim) const {
  if (!can_be_replaced()) return std::nullopt;
  const tensor_desc& t = given();
  index_t extents[max_rank + 1]{}, strides[max_rank + 1]{};
  for (dim = 0; dim < t.rank(); ++dim) {  // without dimension `dim`
    if (t.extent(dim) != 1) continue;
    for (int d = 0; d < t.rank(); ++d) {
      const int to = d < dim ? d : d - 1;
      if (d != dim) extents[to] = t.extent(d), strides[to] = t.stride(d);
    }
    added = false;
    if (auto r = if_it_cures(variant(t, t.rank() - 1, extents, strides))) return r;
  }
  for (dim = 0; dim <= t.rank() && t.rank() < max_rank; ++dim) {  // with another one before it
    for (int d = 0; d < t.rank(); ++d) {
      const int to = d < dim ? d : d + 1;
      extents[to] = t.extent(d), strides[to] = t.stride(d);
    }
    extents[dim] = 1;
    const checked fresh = dim == t.rank() ? checked(1) : checked(t.stride(dim)) * checked(t.extent(dim));
    strides[dim] = fresh.value;
    added = true;
    if (!fresh.ok) continue;
    if (auto r = if_it_cures(variant(t, t.rank() + 1, extents, strides))) return r;
  }
  return std::nullopt;
}

std::optional<tensor_desc> repairs::active_part() const {
  if (!can_be_replaced() || !given().is_partial()) return std::nullopt;
  tensor_desc d = given();
  for (int i = 0; i < d.rank(); ++i) {
    if (d.active(i) > d.extent(i)) return std::nullopt;
    d = d.slice(i, 0, d.active(i));
  }
  return if_it_cures(d);
}

std::optional<tensor_desc> repairs::cleared() const {
  if (!can_be_replaced() || !given().is_partial()) return std::nullopt;
  return if_it_cures(given().cleared());
}

std::optional<tensor_desc> repairs::other_tensor() const {
  if (!can_be_replaced() || fault_.other < 0) return std::nullopt;
  const argument_copy& other = data_.arguments[static_cast<std::size_t>(fault_.other)];
  if (!other.is_present) return std::nullopt;
  return if_it_cures(other.tensor);
}

// The same dispatch, with the argument's declaration changed in every branch: where a parameter is a set, the call takes
// more than one of them.
template <class Change>
bool repairs::cures_with(Change change) const {
  if (!can_be_replaced()) return false;
  std::vector<contract_view> branches = data_.branches;
  std::vector<std::vector<argument>> arguments;
  arguments.reserve(branches.size());
  for (contract_view& b : branches) {
    if (b.argument_count <= fault_.argument) continue;
    arguments.emplace_back(b.arguments, b.arguments + b.argument_count);
    change(arguments.back()[static_cast<std::size_t>(fault_.argument)]);
    b.arguments = arguments.back().data();
  }
  return cures(branches, nullptr);
}

bool repairs::kernel_that_takes_the_pitch() const {
  return cures_with([](argument& a) {
    for (int i = 0; i < a.requirement_count; ++i)
      if (a.requirements[i].what == notion::dense) a.requirements[i].what = notion::row_pitched;
  });
}

bool repairs::kernel_that_takes_the_strides() const {
  return cures_with([&](argument& a) {
    if (fault_.kind == violation_kind::stride) {
      for (int s = 0; s < a.shape_count; ++s) a.shapes[s].has_strides = false;
      return;
    }
    int kept = 0;
    for (int i = 0; i < a.requirement_count; ++i)
      if (a.requirements[i].what != fault_.what) a.requirements[kept++] = a.requirements[i];
    a.requirement_count = static_cast<std::uint8_t>(kept);
  });
}

bool repairs::kernel_that_is_bounded() const {
  return cures_with([](argument& a) {
    a.reader = reads::bounded;
    a.bounded_by = {};
    a.lengths_outside = true;
  });
}

const other_branch* repairs::nearest_branch() const {
  const other_branch* nearest = nullptr;
  for (const other_branch& o : data_.others) {
    if (o.result != verdict::ok) continue;
    if (data_.branches[static_cast<std::size_t>(o.branch)].kind != branch_kind::kernel) continue;
    if (nearest == nullptr || o.failing_count < nearest->failing_count) nearest = &o;
  }
  return nearest;
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
