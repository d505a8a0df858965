// library.h: the attention library behind the engine, in the two versions that matter, and what each asks of its arguments.
//
//   seed     on capability 12.x up to decode_max_tokens rows go to a kernel that steps rows by the width and never looks, more
//            rows to one that wants dense rows and says so; elsewhere one kernel takes the pitch
//   pitched  both kernels take the pitch, everywhere
//
// The second is what became of the first: FlashInfer took the true row strides in its pull request 4802.
#pragma once

#include "kernels/sparse_mla/sparse_mla.h"
#include "stridelock/capability.h"
#include "stridelock/contract.h"

namespace sparse_mla_engine {

enum class library_version { seed, pitched };

namespace detail {
using namespace stridelock;
inline constexpr capability first_of_12{12, 0};
inline constexpr capability last_of_12{12, 9};

inline constexpr auto seed_decode =
    kernels::sparse_mla_decode_dense_contract.when(capability_between(first_of_12, last_of_12))
        .when(sym("T") <= parameter("decode_max_tokens"));
inline constexpr auto seed_paged =
    kernels::sparse_mla_paged_dense_contract.when(capability_between(first_of_12, last_of_12))
        .when(sym("T") > parameter("decode_max_tokens"));
inline constexpr auto seed_elsewhere =
    kernels::sparse_mla_paged_contract.when(capability_between({8, 0}, {11, 9}));
inline constexpr auto pitched_decode =
    kernels::sparse_mla_decode_contract.when(sym("T") <= parameter("decode_max_tokens"));
inline constexpr auto pitched_paged =
    kernels::sparse_mla_paged_contract.when(sym("T") > parameter("decode_max_tokens"));

inline constexpr library_parameter decode_max_tokens("decode_max_tokens", {kernels::decode_max_tokens});
}  // namespace detail

inline constexpr auto seed_attention =
    stridelock::make_dispatch("sparse_mla", detail::seed_decode, detail::seed_paged, detail::seed_elsewhere)
        .with(detail::decode_max_tokens)
        .otherwise_refused();
inline constexpr auto pitched_attention =
    stridelock::make_dispatch("sparse_mla", detail::pitched_decode, detail::pitched_paged)
        .with(detail::decode_max_tokens);

constexpr stridelock::dispatch_view contract_of(library_version version) {
  return version == library_version::seed ? seed_attention.view() : pitched_attention.view();
}

// Throws what a kernel that looks throws.
void attend(const stridelock::kernels::queue& to, library_version version, stridelock::capability on,
            const stridelock::kernels::sparse_mla_arguments<stridelock::row_pitched>& arguments);

}  // namespace sparse_mla_engine
