// bfloat16.h: a bfloat16 value on the host: sixteen bits and two conversions.
//
// Promises:  the bits of __nv_bfloat16, so a buffer of one is a buffer of the other; rounding to nearest, ties to even;
//            a NaN stays one.
// Does not:  calculate.
#pragma once

#include <cstdint>
#include <cstring>

#include "stridelock/element_type.h"

namespace stridelock::kernels {

struct bfloat16 {
  std::uint16_t bits = 0;
};

inline float to_float(bfloat16 value) {
  const std::uint32_t wide = static_cast<std::uint32_t>(value.bits) << 16;
  float result = 0;
  std::memcpy(&result, &wide, sizeof result);
  return result;
}

inline bfloat16 to_bfloat16(float value) {
  std::uint32_t wide = 0;
  std::memcpy(&wide, &value, sizeof wide);
  if ((wide & 0x7fffffffu) > 0x7f800000u) return {static_cast<std::uint16_t>((wide >> 16) | 0x40u)};
  return {static_cast<std::uint16_t>((wide + 0x7fffu + ((wide >> 16) & 1u)) >> 16)};
}

}  // namespace stridelock::kernels

template <>
struct stridelock::element_type<stridelock::kernels::bfloat16> {
  static constexpr stridelock::dtype value = stridelock::types::bfloat16;
};
