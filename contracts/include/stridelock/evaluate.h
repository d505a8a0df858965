// evaluate.h: the exact evaluator. Judges one call against a contract or a dispatch, and finds everything.
//
// Promises:  noexcept and complete: symbols are bound in a first pass over all arguments and everything is checked in a
//            second, so neither the order of the arguments nor a forward reference changes the verdict; a wildcard never
//            binds, nor does the stride of an extent of 1 or less; all violations are collected.
//            Dispatches: exactly one branch must apply. None, or two, is a violation of its own. Where a library
//            parameter is a set, the verdict is the worst over its values.
// Does not:  read the memory of a tensor or look at a device. If memory runs out the verdict is `refused`, incomplete.
// Cost:      cold. A call with nothing to report is judged in place; one with something to report is copied.
//
//   const argument_value arguments[] = {argument_value(q.ref()), argument_value(indices.ref())};
//   const report r = evaluate(sparse_mla.view(), arguments, 2);
#pragma once

#include "stridelock/capability.h"
#include "stridelock/contract.h"
#include "stridelock/report.h"
#include "stridelock/tensor_ref.h"

namespace stridelock {
inline namespace v1 {

// A tensor, or nothing: an optional argument that is absent.
struct argument_value {
  bool is_present = false;
  tensor_ref tensor{};

  constexpr argument_value() = default;
  constexpr explicit argument_value(const tensor_ref& t) : is_present(true), tensor(t) {}
};

struct parameter_value {
  std::string_view name{};
  index_t value = 0;
};

// Takes a report that is not ok. One that returns lets the call go on.
using failure_hook = void (*)(const report& what, void* state);

struct capability_of_device {
  std::int32_t ordinal = 0;
  capability value{};
};

// What the verdict depends on beside the arguments, and who hears of it. Everything may be left out. It belongs to no
// thread: this is how a worker is told what it does not inherit.
struct evaluation_context {
  capability
      device_capability{};  // not known: that of the arguments' device below, or what scoped_capability says
  const capability_of_device* devices = nullptr;  // capabilities by ordinal
  int device_count = 0;
  const parameter_value* parameters = nullptr;  // replace the values that the dispatch declares
  int parameter_count = 0;
  // Is this tensor inside a registered persistent buffer? Null: stability is not evaluated, and the report says so.
  tri (*is_stable)(const tensor_ref& tensor, void* state) noexcept = nullptr;
  void* stable_state = nullptr;
  bool without_data = false;  // fake and meta tensors: facts about addresses are skipped
  failure_hook on_failure =
      nullptr;  // null: the hook of this thread. Only boundaries look at it, evaluate() does not.
  void* on_failure_state = nullptr;
};

report evaluate(const dispatch_view& what, const argument_value* arguments, int count,
                const evaluation_context& context = {}) noexcept;
report evaluate(const contract_view& what, const argument_value* arguments, int count,
                const evaluation_context& context = {}) noexcept;

}  // namespace v1
}  // namespace stridelock
