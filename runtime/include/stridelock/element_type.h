// element_type.h: the dtype of a C++ element type.
//
// Promises:  known for bool and the fixed-width integers, float and double; const is ignored.
// Does not:  know library types. Say it once for yours, at namespace scope:
//
//   template <> struct stridelock::element_type<__half> { static constexpr stridelock::dtype value = stridelock::types::float16; };
#pragma once

#include <type_traits>

#include "stridelock/dtype.h"

namespace stridelock {
inline namespace v1 {

template <class T>
struct element_type {
  static_assert(
      std::is_arithmetic_v<T>,
      "stridelock: the dtype of this element type is not known; specialise stridelock::element_type");
  static constexpr type_code code = std::is_same_v<T, bool>       ? type_code::boolean
                                    : std::is_floating_point_v<T> ? type_code::floating
                                    : std::is_signed_v<T>         ? type_code::signed_integer
                                                                  : type_code::unsigned_integer;
  static constexpr dtype value{code, static_cast<std::uint8_t>(sizeof(T) * 8), 1, tag::none};
};

template <class T>
inline constexpr dtype dtype_of = element_type<std::remove_cv_t<T>>::value;

}  // namespace v1
}  // namespace stridelock
