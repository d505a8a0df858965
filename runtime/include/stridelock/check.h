// check.h: a contract at a boundary. Declare with contract.h, include this where the call is judged.
//
// Promises:  check() is noexcept and returns every violation as data; require() hands them to the failure hook, which by
//            default throws contract_violation (built without exceptions it returns false). Arguments are typed views, tensor_ref, tensor_desc, `absent`, and whatever
//            an adapter describes. The number of arguments is checked by the compiler.
// Does not:  look at a device or at the contents of a tensor, or prove anything about arguments it was not given.
// Cost:      the exact evaluator, on every call.
//
//   void sparse_mla_forward(const tensor_ref& q, const tensor_ref& indices) {
//     require<sparse_mla>(q, indices);
//     …
//   }
#pragma once

#include <utility>

#include "stridelock/contract.h"
#include "stridelock/describe.h"
#include "stridelock/evaluate.h"
#include "stridelock/failure.h"
#include "stridelock/report.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

template <std::size_t N>
constexpr int arguments_of(const contract<N>&) {
  return static_cast<int>(N);
}
template <std::size_t N>
constexpr int arguments_of(const dispatch<N>& d) {
  return d.branches[0].argument_count;
}

template <const auto& C, class... Described>
report check_described(const evaluation_context& context, const Described&... described) noexcept {
  static_assert(arguments_of(C) == static_cast<int>(sizeof...(Described)),
                "check: as many arguments as the contract has; pass `absent` for an optional one");
  const argument_value values[sizeof...(Described) + 1] = {argument_of(described)..., argument_value()};
  return evaluate(C.view(), values, static_cast<int>(sizeof...(Described)), context);
}

}  // namespace detail

template <const auto& C, class... A>
[[nodiscard]] report check(const A&... arguments) noexcept {
  return detail::check_described<C>(evaluation_context(), describe(arguments)...);
}

// The same, with capability, library parameters or a registry given explicitly (workers do not inherit overrides).
template <const auto& C, class... A>
[[nodiscard]] report check_in(const evaluation_context& context, const A&... arguments) noexcept {
  return detail::check_described<C>(context, describe(arguments)...);
}

inline namespace STRIDELOCK_BOUNDARY_NAMESPACE {

// True if the call keeps the contract. False: it does not, and a failure hook returned; built without exceptions, also
// if there is no hook.
template <const auto& C, class... A>
STRIDELOCK_BOUNDARY_RESULT bool require(const A&... arguments) {
  report r = check<C>(arguments...);
  if (r.ok()) return true;
  refuse(std::move(r));
  return false;
}

template <const auto& C, class... A>
STRIDELOCK_BOUNDARY_RESULT bool require_in(const evaluation_context& context, const A&... arguments) {
  report r = check_in<C>(context, arguments...);
  if (r.ok()) return true;
  refuse(std::move(r), context);
  return false;
}

}  // namespace STRIDELOCK_BOUNDARY_NAMESPACE

}  // namespace v1
}  // namespace stridelock
