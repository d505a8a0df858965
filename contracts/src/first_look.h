// A first look at a call: is there nothing to report at all? Borrows everything, allocates nothing for a contract without
// library parameters. Private to the library.
//
// Promises:  true only if the evaluation in full gives an empty report: the facts are judged by the same code.
// Does not:  say what is wrong.
#pragma once

#include "branch_judge.h"
#include "stridelock/evaluate.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

// A description in place, with the interface of tensor_desc that the judge uses. Well formed as far as a copy would be.
class borrowed_tensor {
 public:
  // False where a copy would not be valid(): the full evaluation says why.
  bool take(const tensor_ref& r) {
    ref_ = &r;
    if (r.rank < 0 || r.rank > max_rank || (r.rank > 0 && r.extents == nullptr)) return false;
    layout_ = {r.rank, r.extents, r.strides};
    if (r.strides != nullptr) return true;
    layout_.strides = compact_;
    for (int d = 0; d < r.rank; ++d) {
      const checked stride = canonical_stride(layout_, d);
      if (!stride.ok) return false;
      compact_[d] = stride.value;
    }
    return true;
  }

  bool valid() const { return true; }
  int rank() const { return layout_.rank; }
  index_t extent(int dim) const { return layout_.extents[dim]; }
  index_t stride(int dim) const { return layout_.strides[dim]; }
  dtype type() const { return ref_->type; }
  device where() const { return ref_->where; }
  const void* data() const { return ref_->data; }
  std::uint64_t byte_offset() const { return ref_->byte_offset; }
  tri read_only() const { return ref_->read_only; }
  layout_ref layout() const { return layout_; }
  bool is_partial() const { return ref_->active != nullptr && layout_.rank > 0; }
  index_t active(int dim) const { return is_partial() ? ref_->active[dim] : extent(dim); }
  stale_content stale() const { return is_partial() ? ref_->stale : stale_content::unknown; }

 private:
  const tensor_ref* ref_;
  layout_ref layout_;
  index_t compact_[max_rank];  // written only where the description has no strides
};

inline memory_view memory_of(const borrowed_tensor& t) {
  const auto word = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(t.data()));
  memory_view m;
  m.where = t.where();
  m.handle = has_addresses(t.where()) ? 0 : word;
  m.position = has_addresses(t.where()) ? word + t.byte_offset() : t.byte_offset();
  m.layout = t.layout();
  m.element_bits = t.type().element_bits();
  return m;
}

struct borrowed_argument {
  bool is_present;
  std::int32_t rank_given;
  borrowed_tensor tensor;
};

// Whether there was one.
struct any_violation {
  bool found = false;
  void push_back(const violation&) { found = true; }
  const violation* begin() const { return nullptr; }
  const violation* end() const { return nullptr; }
};

// What evaluate() does when the first look is not enough.
report evaluate_in_full(const dispatch_view& what, const argument_value* arguments, int count,
                        const evaluation_context& context) noexcept;

// A callable that gives the capability, so that it is looked up only where it is needed.
template <class Capability>
bool is_fine_at_first_look(const dispatch_view& what, const argument_value* arguments, int count,
                           const evaluation_context& context, Capability known_capability) {
  constexpr int most_arguments = 16;
  if (count > most_arguments || what.branch_count == 0) return false;
  borrowed_argument given[most_arguments];
  for (int i = 0; i < count; ++i) {
    given[i].is_present = arguments[i].is_present;
    given[i].rank_given = arguments[i].tensor.rank;
    if (given[i].is_present && !given[i].tensor.take(arguments[i].tensor)) return false;
  }

  std::vector<library_parameter> parameters;
  std::vector<index_t> values;
  for (int p = 0; p < what.parameter_count; ++p) {
    const library_parameter& parameter = what.parameters[p];
    index_t value = parameter.values[0];
    bool is_given = false;
    for (int k = 0; k < context.parameter_count; ++k) {
      if (context.parameters[k].name != parameter.name) continue;
      value = context.parameters[k].value;
      is_given = true;
    }
    if (!is_given && parameter.value_count != 1) return false;  // the worst of several values counts
    parameters.push_back(parameter);
    values.push_back(value);
  }

  bool needs_capability = false;
  for (int b = 0; b < what.branch_count; ++b) {
    const contract_view& branch = what.branches[b];
    for (int k = 0; k < branch.condition_count; ++k)
      needs_capability = needs_capability || branch.conditions[k].kind == condition_kind::capability_between;
    for (int k = 0; k < branch.guard_count; ++k)
      needs_capability = needs_capability || branch.guards[k].kind == condition_kind::capability_between;
  }
  const capability device_capability = needs_capability ? known_capability() : capability{};

  using judge_type = basic_branch_judge<borrowed_argument, any_violation, const borrowed_argument*>;
  int applying = 0;
  bool fine = false;
  for (int b = 0; b < what.branch_count; ++b) {
    const contract_view& branch = what.branches[b];
    if (branch.kind == branch_kind::otherwise) continue;
    if (branch.argument_count != count) return false;
    judge_type judge(branch, given, arguments, parameters, values, device_capability, context);
    if (judge.applies() != tri::yes) continue;
    if (++applying > 1) return false;
    judge.check();
    fine = !judge.violations.found && judge.unevaluated == 0;
  }
  return fine;
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
