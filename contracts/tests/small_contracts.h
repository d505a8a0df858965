// Small contracts that several tests share: one fact each.
#pragma once

#include "stridelock/contract.h"

namespace stridelock::testing {

inline constexpr auto dense_only = make_contract("dense_only", arg("x").layout(notion::dense));
inline constexpr auto rows_only = make_contract("rows_only", arg("x").layout(notion::row_pitched));
inline constexpr auto explicit_strides =
    make_contract("explicit_strides", arg("x").shape(any, 128).strides(128, 1));
inline constexpr auto canonical_only = make_contract("canonical_only", arg("x").layout(notion::canonical));
inline constexpr auto permutation_only =
    make_contract("permutation_only", arg("x").layout(notion::permutation_dense));
inline constexpr auto aligned_only = make_contract("aligned_only", arg("x").aligned(16));
inline constexpr auto descriptor_only = make_contract("descriptor_only", arg("x").descriptor_legal());
inline constexpr auto writer = make_contract("writer", arg("x").output());
inline constexpr auto any_layout = make_contract("any_layout", arg("x").shape(any, any));
inline constexpr auto pitched_pair =
    make_contract("pitched_pair", arg("a").shape(any, 128).strides(sym("P"), 1),
                  arg("b").shape(any, 128).strides(sym("P"), 1));

}  // namespace stridelock::testing
