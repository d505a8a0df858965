// expression.h: numbers in a contract: wildcards, constants, symbols shared across arguments, library parameters.
//
// Promises:  literal data; an expression is multiple * name + added, rounded up to a multiple of a unit. Arithmetic that
//            this form cannot express, or whose numbers do not fit, is a compile error. At run time it makes an expression
//            that is_representable() denies and that no value satisfies: its evaluation is an overflow.
// Does not:  divide or combine two symbols; evaluation is checked in 64 bits and an overflow is a violation.
//
//   sym("T"), 2 * sym("K") + 1, rounded_up(sym("W"), 128), parameter("decode_max_tokens"), any, 512
#pragma once

#include <cstdint>
#include <string_view>

#include "stridelock/integers.h"

namespace stridelock {
inline namespace v1 {

// any, a constant, or multiple * name + added, rounded up to a multiple of `rounded_to`.
enum class expression_kind : std::uint8_t { any, constant, symbol, parameter };

struct expression {
  expression_kind kind = expression_kind::any;
  std::int8_t index = 0;  // of the symbol in its contract; set by the builder
  std::int32_t multiple = 1;
  std::int32_t rounded_to = 1;  // 0: the arithmetic that made it cannot be expressed
  index_t added = 0;            // the value of a constant
  std::string_view name{};

  constexpr expression() = default;
  constexpr expression(index_t value)  // NOLINT(google-explicit-constructor): shape(sym("T"), 512)
      : kind(expression_kind::constant), added(value) {}
  constexpr expression(expression_kind k, std::string_view n) : kind(k), name(n) {}

  constexpr bool is_representable() const { return rounded_to >= 1; }
  // Written as a sum, which needs parentheses in front of an operator.
  constexpr bool is_sum() const {
    return (kind == expression_kind::symbol || kind == expression_kind::parameter) && rounded_to == 1 &&
           added != 0;
  }
  constexpr bool is_bare_symbol() const {
    return kind == expression_kind::symbol && multiple == 1 && rounded_to == 1 && added == 0;
  }
};

inline constexpr expression any{};  // never binds; two uses are independent
constexpr expression sym(std::string_view name) {
  return {expression_kind::symbol, name};
}
constexpr expression parameter(std::string_view name) {
  return {expression_kind::parameter, name};
}

namespace detail {
// Called in a constant expression these are the compiler's error message; at run time they do nothing.
inline void error_symbol_is_bound_by_no_extent_or_stride() {}
inline void error_contract_has_no_argument_of_that_name() {}
inline void error_too_many_requirements_on_one_argument() {}
inline void error_numbers_of_a_requirement_are_out_of_range() {}
inline void error_too_many_conditions() {}
inline void error_too_many_symbols() {}
inline void error_too_many_dimensions() {}
inline void error_too_many_shapes_or_two_of_one_rank() {}
inline void error_branches_of_a_dispatch_must_have_the_same_arguments_in_the_same_order() {}
inline void error_too_many_parameters_or_values() {}
inline void error_a_tile_has_at_least_one_column() {}
inline void error_two_arguments_of_one_name() {}
inline void error_bounded_names_no_argument_of_the_contract__use_bounded_outside() {}
inline void error_any_has_no_arithmetic() {}
inline void error_a_factor_or_unit_does_not_fit_into_32_bits() {}
inline void error_an_expression_does_not_fit_into_64_bits() {}
inline void error_a_unit_of_rounding_is_at_least_1() {}
inline void error_a_divisor_is_at_least_1() {}
inline void error_this_arithmetic_on_a_rounded_expression_cannot_be_expressed() {}

constexpr expression not_representable(expression e) {
  e.rounded_to = 0;
  return e;
}
constexpr bool fits_32_bits(checked value) {
  return value.ok && checked::fits_32_bits(value.value);
}
// `e` with another addend; `value` is what was added.
constexpr expression with_added(expression e, checked sum, index_t value) {
  if (!e.is_representable()) return e;
  if (e.kind == expression_kind::any) {
    error_any_has_no_arithmetic();
    return not_representable(e);
  }
  // Multiples of the unit can go inside; below 0 nothing is rounded.
  if (e.rounded_to != 1 && (value < 0 || value % e.rounded_to != 0)) {
    error_this_arithmetic_on_a_rounded_expression_cannot_be_expressed();
    return not_representable(e);
  }
  if (!sum.ok) {
    error_an_expression_does_not_fit_into_64_bits();
    return not_representable(e);
  }
  e.added = sum.value;
  return e;
}
}  // namespace detail

constexpr expression operator*(index_t factor, expression e) {
  if (!e.is_representable()) return e;
  if (e.kind == expression_kind::any) {
    detail::error_any_has_no_arithmetic();
    return detail::not_representable(e);
  }
  const checked added = checked(e.added) * checked(factor);
  if (!added.ok) {
    detail::error_an_expression_does_not_fit_into_64_bits();
    return detail::not_representable(e);
  }
  e.added = added.value;
  if (e.kind == expression_kind::constant) return e;
  // factor * rounded_up(x, unit) is rounded_up(factor * x, factor * unit), for positive factors.
  const bool rounds = e.rounded_to != 1;
  if (rounds && factor < 1) {
    detail::error_this_arithmetic_on_a_rounded_expression_cannot_be_expressed();
    return detail::not_representable(e);
  }
  const checked multiple = checked(e.multiple) * checked(factor);
  const checked unit = checked(e.rounded_to) * checked(rounds ? factor : 1);
  if (!detail::fits_32_bits(multiple) || !detail::fits_32_bits(unit)) {
    detail::error_a_factor_or_unit_does_not_fit_into_32_bits();
    return detail::not_representable(e);
  }
  e.multiple = static_cast<std::int32_t>(multiple.value);
  e.rounded_to = static_cast<std::int32_t>(unit.value);
  return e;
}
constexpr expression operator*(expression e, index_t factor) {
  return factor * e;
}
constexpr expression operator+(expression e, index_t value) {
  return detail::with_added(e, checked(e.added) + checked(value), value);
}
constexpr expression operator-(expression e, index_t value) {
  // Only whether it is a multiple of the unit counts for a rounded one, and its sign.
  const index_t opposite = value == checked::lowest ? checked::highest : -value;
  return detail::with_added(e, checked(e.added) - checked(value), opposite);
}
// ceil(e / unit) * unit
constexpr expression rounded_up(expression e, index_t unit) {
  if (!e.is_representable()) return e;
  if (e.kind == expression_kind::any) {
    detail::error_any_has_no_arithmetic();
    return detail::not_representable(e);
  }
  if (unit < 1) {
    detail::error_a_unit_of_rounding_is_at_least_1();
    return detail::not_representable(e);
  }
  if (!checked::fits_32_bits(unit)) {
    detail::error_a_factor_or_unit_does_not_fit_into_32_bits();
    return detail::not_representable(e);
  }
  if (e.kind == expression_kind::constant) {
    const checked value = round_up(checked(e.added), unit);
    if (!value.ok) {
      detail::error_an_expression_does_not_fit_into_64_bits();
      return detail::not_representable(e);
    }
    e.added = value.value;
    return e;
  }
  if (e.rounded_to % unit == 0) return e;  // a multiple of it already; or unit is 1
  if (unit % e.rounded_to != 0) {
    detail::error_this_arithmetic_on_a_rounded_expression_cannot_be_expressed();
    return detail::not_representable(e);
  }
  e.rounded_to = static_cast<std::int32_t>(unit);
  return e;
}

}  // namespace v1
}  // namespace stridelock
