// check.h: a contract at a boundary. Declare with contract.h, include this where the call is judged.
//
// Promises:  check() is noexcept and returns every violation as data; require() hands them to the failure hook, which by
//            default throws contract_violation (built without exceptions it returns false). Arguments are typed views,
//            tensor_ref, tensor_desc, `absent`, and whatever an adapter describes. The number of arguments is checked by the
//            compiler.
// Does not:  look at a device or at the contents of a tensor, or prove anything about arguments it was not given.
// Cost:      hot: that of holds() (holds.h) where the call is fine; what holds() leaves open is judged out of line by the
//            exact evaluator.
//
//   void sparse_mla_forward(const tensor_ref& q, const tensor_ref& indices) {
//     require<sparse_mla>(q, indices);
//     …
//   }
#pragma once

#include <type_traits>
#include <utility>

#include "stridelock/contract.h"
#include "stridelock/describe.h"
#include "stridelock/evaluate.h"
#include "stridelock/failure.h"
#include "stridelock/holds.h"
#include "stridelock/report.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

// What is passed to the evaluator, as a constant.
template <const auto& C>
inline constexpr auto view_of = C.view();

// Shared by all contracts whose arguments have these types.
template <class View, class... Described>
STRIDELOCK_COLD report evaluate_described(const View& what, const evaluation_context& context,
                                          const Described&... described) noexcept {
  const argument_value values[sizeof...(Described) + 1] = {argument_of(described)..., argument_value()};
  return evaluate(what, values, static_cast<int>(sizeof...(Described)), context);
}

// How an argument goes to the functions below. A view by value: if its address were taken, the hot code before the call
// would have to keep it in memory.
template <class A>
struct passed {
  using type = const A&;
};
template <class T, int Rank, class L, class I, class Align>
struct passed<view<T, Rank, L, I, Align>> {
  using type = view<T, Rank, L, I, Align>;
};
template <>
struct passed<absent_t> {
  using type = absent_t;
};

template <const auto& C, class... A>
STRIDELOCK_COLD report evaluate_call(typename passed<A>::type... arguments) noexcept {
  return evaluate_described(view_of<C>, evaluation_context(), describe(arguments)...);
}
template <const auto& C, class... A>
STRIDELOCK_COLD report evaluate_call_in(const evaluation_context& context,
                                        typename passed<A>::type... arguments) noexcept {
  return evaluate_described(view_of<C>, context, describe(arguments)...);
}
}  // namespace detail

template <const auto& C, class... A>
[[nodiscard]] STRIDELOCK_ALWAYS_INLINE report check(const A&... arguments) noexcept {
  if (STRIDELOCK_LIKELY(holds<C>(arguments...))) return {};
  return detail::evaluate_call<C, A...>(arguments...);
}

// The same, with capability, library parameters or a registry given explicitly (workers do not inherit overrides).
template <const auto& C, class... A>
[[nodiscard]] STRIDELOCK_ALWAYS_INLINE report check_in(const evaluation_context& context,
                                                       const A&... arguments) noexcept {
  if (STRIDELOCK_LIKELY(holds_in<C>(context, arguments...))) return {};
  return detail::evaluate_call_in<C, A...>(context, arguments...);
}

inline namespace STRIDELOCK_BOUNDARY_NAMESPACE {

namespace unlikely {

template <class View, class... Described>
STRIDELOCK_COLD bool ok_or_refuse_described(const View& what, const evaluation_context& context,
                                            const Described&... described) {
  report r = detail::evaluate_described(what, context, described...);
  if (r.ok()) return true;
  refuse(std::move(r), context);
  return false;
}

template <const auto& C, class... A>
STRIDELOCK_COLD bool ok_or_refuse(typename detail::passed<A>::type... arguments) {
  return ok_or_refuse_described(detail::view_of<C>, evaluation_context(), describe(arguments)...);
}
template <const auto& C, class... A>
STRIDELOCK_COLD bool ok_or_refuse_in(const evaluation_context& context,
                                     typename detail::passed<A>::type... arguments) {
  return ok_or_refuse_described(detail::view_of<C>, context, describe(arguments)...);
}

}  // namespace unlikely

// True if the call keeps the contract. False: it does not, and a failure hook returned; built without exceptions, also
// if there is no hook.
template <const auto& C, class... A>
STRIDELOCK_BOUNDARY_RESULT STRIDELOCK_ALWAYS_INLINE bool require(const A&... arguments) {
  if (STRIDELOCK_LIKELY((detail::holds_without_context<C, detail::unjudged::passes>(arguments...))))
    return true;
  return unlikely::ok_or_refuse<C, A...>(arguments...);
}

template <const auto& C, class... A>
STRIDELOCK_BOUNDARY_RESULT STRIDELOCK_ALWAYS_INLINE bool require_in(const evaluation_context& context,
                                                                    const A&... arguments) {
  if (STRIDELOCK_LIKELY((detail::holds_with_context<C, detail::unjudged::passes>(context, arguments...))))
    return true;
  return unlikely::ok_or_refuse_in<C, A...>(context, arguments...);
}

}  // namespace STRIDELOCK_BOUNDARY_NAMESPACE

}  // namespace v1
}  // namespace stridelock
