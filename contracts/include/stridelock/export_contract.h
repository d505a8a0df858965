// export_contract.h: gives a contract or a dispatch a C function, by which C, Python and other libraries find it.
//
// Promises:  the function is `const stridelock_contract* name(void)`, of default visibility. What it returns is constant data
//            and remembers which copy of this library judges it: any copy's C functions work on it.
// Does not:  register anything at run time; there is no table and no order of initialisation.
//
//   STRIDELOCK_EXPORT_CONTRACT(sparse_mla_contract, sparse_mla)      // at global scope, in one source file
//   const stridelock_contract* c = sparse_mla_contract();           // C, or dlsym(library, "sparse_mla_contract")
#pragma once

#include <cstdint>

#include "stridelock/c_api.h"
#include "stridelock/contract.h"

// What the handle is. C sees an incomplete type.
struct stridelock_contract {
  stridelock_text name;
  std::int32_t argument_count;
  stridelock_text (*argument_name)(const stridelock_contract* contract, std::int32_t i) noexcept;
  std::int32_t (*check)(const stridelock_contract* contract, const stridelock_tensor* const* arguments,
                        std::int32_t count, const stridelock_context* context,
                        stridelock_report* to) noexcept;
  const stridelock::dispatch_view* what;
};

namespace stridelock {
inline namespace v1 {
namespace detail {

// Called through the handle only, so always in the copy that exported it.
stridelock_text exported_argument_name(const stridelock_contract* contract, std::int32_t i) noexcept;
std::int32_t check_exported(const stridelock_contract* contract, const stridelock_tensor* const* arguments,
                            std::int32_t count, const stridelock_context* context,
                            stridelock_report* to) noexcept;

template <std::size_t N>
constexpr contract_view only_branch_of(const contract<N>& c) {
  return c.view();
}
template <std::size_t N>
constexpr contract_view only_branch_of(const dispatch<N>&) {
  return {};
}
template <std::size_t N>
constexpr dispatch_view exported_view(const contract<N>& c, const contract_view* only_branch) {
  return {c.kernel, only_branch, 1, nullptr, 0};
}
template <std::size_t N>
constexpr dispatch_view exported_view(const dispatch<N>& d, const contract_view*) {
  return d.view();
}

template <const auto& C>
struct exported {
  static constexpr contract_view only_branch = only_branch_of(C);
  static constexpr dispatch_view what = exported_view(C, &only_branch);
  static constexpr stridelock_contract handle = {{what.name.data(), what.name.size()},
                                                 what.branches[0].argument_count,
                                                 exported_argument_name,
                                                 check_exported,
                                                 &what};
};

}  // namespace detail
}  // namespace v1
}  // namespace stridelock

#define STRIDELOCK_EXPORT_CONTRACT(function_name, contract_object)                        \
  extern "C" STRIDELOCK_PUBLIC const ::stridelock_contract* function_name(void) noexcept; \
  const ::stridelock_contract* function_name(void) noexcept {                             \
    return &::stridelock::detail::exported<contract_object>::handle;                      \
  }
