// expression.h: numbers in a contract: wildcards, constants, symbols shared across arguments, library parameters.
//
// Promises:  literal data; an expression is multiple * name + added, rounded up to a multiple of a unit.
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
  std::int32_t rounded_to = 1;
  index_t added = 0;  // the value of a constant
  std::string_view name{};

  constexpr expression() = default;
  constexpr expression(index_t value)  // NOLINT(google-explicit-constructor): shape(sym("T"), 512)
      : kind(expression_kind::constant), added(value) {}
  constexpr expression(expression_kind k, std::string_view n) : kind(k), name(n) {}

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

constexpr expression operator*(index_t factor, expression e) {
  e.multiple = static_cast<std::int32_t>(e.multiple * factor);
  e.added *= factor;
  return e;
}
constexpr expression operator*(expression e, index_t factor) {
  return factor * e;
}
constexpr expression operator+(expression e, index_t value) {
  e.added += value;
  return e;
}
constexpr expression operator-(expression e, index_t value) {
  return e + -value;
}
// ceil(e / unit) * unit
constexpr expression rounded_up(expression e, std::int32_t unit) {
  e.rounded_to = unit;
  return e;
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
}  // namespace detail

}  // namespace v1
}  // namespace stridelock
