// check.h: a contract at a boundary. Declare with contract.h, include this where the call is judged.
//
// Promises:  check() is noexcept and returns every violation as data; require() hands them to the failure hook, which by
//            default throws contract_violation (built without exceptions it returns false). Arguments are typed views,
//            tensor_ref, tensor_desc, `absent`, and whatever an adapter describes. The number of arguments is checked by the
//            compiler.
// Does not:  look at a device or at the contents of a tensor, or prove anything about arguments it was not given.
// Cost:      hot: that of holds() (holds.h) where the call is fine. What holds() leaves open goes through one shared loop
//            (look_plan.h), and what that leaves open to the exact evaluator.
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
#include "stridelock/look_plan.h"
#include "stridelock/report.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

// What the functions below need of a contract, as constants.
struct boundary {
  dispatch_view what{};
  look_plan_view plan{};
};
template <const auto& C>
inline constexpr contract_view branch_of = C.view();
template <const auto& C>
inline constexpr look_plan<arguments_of(C)> plan_of{branch_of<C>};
template <const auto& C, std::size_t N>
constexpr boundary make_boundary(const contract<N>& c) {
  return {{c.kernel, &branch_of<C>, 1, nullptr, 0}, plan_of<C>.view()};
}
template <const auto& C, std::size_t N>
constexpr boundary make_boundary(const dispatch<N>& d) {
  return {d.view(), {}};
}
template <const auto& C>
inline constexpr boundary boundary_of = make_boundary<C>(C);

inline constexpr evaluation_context no_context{};

// A description in place is not copied.
struct described_in_place {
  const tensor_ref& value;
  const tensor_ref& ref() const { return value; }
};
inline described_in_place describe_argument(const tensor_ref& r) {
  return {r};
}
template <class A>
auto describe_argument(const A& a) {
  return describe(a);
}

// Where the description of an argument is, or null if it is absent. Copied only where it is made on the way.
template <class D, class = void>
struct referred {
  tensor_ref r;
  explicit referred(const D& described) : r(described.ref()) {}
  const tensor_ref* get() const { return &r; }
};
template <class D>
struct referred<D, std::enable_if_t<std::is_reference_v<decltype(std::declval<const D&>().ref())>>> {
  const tensor_ref* r;
  explicit referred(const D& described) : r(&described.ref()) {}
  const tensor_ref* get() const { return r; }
};
template <class D>
struct referred<described_optional<D>, void> : referred<D> {
  bool is_present;
  explicit referred(const described_optional<D>& described)
      : referred<D>(described.value), is_present(described.is_present) {}
  const tensor_ref* get() const { return is_present ? referred<D>::get() : nullptr; }
};
template <>
struct referred<absent_t, void> {
  explicit referred(absent_t) {}
  static const tensor_ref* get() { return nullptr; }
};

template <class... D>
bool is_fine_by_plan(const look_plan_view& plan, const referred<D>&... arguments) {
  const tensor_ref* const addresses[sizeof...(D) + 1] = {arguments.get()..., nullptr};
  return is_fine_by_plan(plan, addresses);
}

// Shared by all contracts whose arguments have these types. Out of line, but not for size: empties are no accident.
template <class... D>
STRIDELOCK_NOINLINE report evaluate_described(const boundary& what, const evaluation_context& context,
                                              const D&... described) noexcept {
  if (is_fine_by_plan(what.plan, referred<D>(described)...)) return {};
  const argument_value values[sizeof...(D) + 1] = {argument_of(described)..., argument_value()};
  return evaluate(what.what, values, static_cast<int>(sizeof...(D)), context);
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
  return evaluate_described(boundary_of<C>, no_context, describe_argument(arguments)...);
}
template <const auto& C, class... A>
STRIDELOCK_COLD report evaluate_call_in(const evaluation_context& context,
                                        typename passed<A>::type... arguments) noexcept {
  return evaluate_described(boundary_of<C>, context, describe_argument(arguments)...);
}
}  // namespace detail

template <const auto& C, class... A>
[[nodiscard]] STRIDELOCK_ALWAYS_INLINE report check(const A&... arguments) noexcept {
  static_assert(detail::can_be_called<C, A...>());
  if (STRIDELOCK_LIKELY(holds<C>(arguments...))) return {};
  return detail::evaluate_call<C, A...>(arguments...);
}

// The same, with capability, library parameters or a registry given explicitly (workers do not inherit overrides).
template <const auto& C, class... A>
[[nodiscard]] STRIDELOCK_ALWAYS_INLINE report check_in(const evaluation_context& context,
                                                       const A&... arguments) noexcept {
  static_assert(detail::can_be_called<C, A...>());
  if (STRIDELOCK_LIKELY(holds_in<C>(context, arguments...))) return {};
  return detail::evaluate_call_in<C, A...>(context, arguments...);
}

inline namespace STRIDELOCK_BOUNDARY_NAMESPACE {

namespace unlikely {

template <class... Described>
STRIDELOCK_NOINLINE bool ok_or_refuse_described(const detail::boundary& what,
                                                const evaluation_context& context,
                                                const Described&... described) {
  report r = detail::evaluate_described(what, context, described...);
  if (r.ok()) return true;
  refuse(std::move(r), context);
  return false;
}

template <const auto& C, class... A>
STRIDELOCK_COLD bool ok_or_refuse(typename detail::passed<A>::type... arguments) {
  return ok_or_refuse_described(detail::boundary_of<C>, detail::no_context,
                                detail::describe_argument(arguments)...);
}
template <const auto& C, class... A>
STRIDELOCK_COLD bool ok_or_refuse_in(const evaluation_context& context,
                                     typename detail::passed<A>::type... arguments) {
  return ok_or_refuse_described(detail::boundary_of<C>, context, detail::describe_argument(arguments)...);
}

}  // namespace unlikely

// True if the call keeps the contract. False: it does not, and a failure hook returned; built without exceptions, also
// if there is no hook.
template <const auto& C, class... A>
STRIDELOCK_BOUNDARY_RESULT STRIDELOCK_ALWAYS_INLINE bool require(const A&... arguments) {
  static_assert(detail::can_be_called<C, A...>());
  if (STRIDELOCK_LIKELY((detail::holds_without_context<C, detail::unjudged::passes>(arguments...))))
    return true;
  return unlikely::ok_or_refuse<C, A...>(arguments...);
}

template <const auto& C, class... A>
STRIDELOCK_BOUNDARY_RESULT STRIDELOCK_ALWAYS_INLINE bool require_in(const evaluation_context& context,
                                                                    const A&... arguments) {
  static_assert(detail::can_be_called<C, A...>());
  if (STRIDELOCK_LIKELY((detail::holds_with_context<C, detail::unjudged::passes>(context, arguments...))))
    return true;
  return unlikely::ok_or_refuse_in<C, A...>(context, arguments...);
}

}  // namespace STRIDELOCK_BOUNDARY_NAMESPACE

}  // namespace v1
}  // namespace stridelock
