// condition.h: when a contract applies, and what must hold besides its arguments.
//
// Promises:  literal data. `sym("T") > 64` and its like build conditions; they decide nothing themselves.
// Does not:  own tables of tuples: they are arrays at namespace scope.
//
//   inline constexpr index_t heads_and_widths[][2] = {{64, 512}, {128, 512}};
//   one_of({sym("H"), sym("W")}, heads_and_widths), divisible(sym("K"), 16), on_capability(12, 0), is_present("extra")
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "stridelock/capability.h"
#include "stridelock/evidence.h"
#include "stridelock/expression.h"

namespace stridelock {
inline namespace v1 {

enum class comparison : std::uint8_t { lt, le, gt, ge, eq, ne };
enum class condition_kind : std::uint8_t {
  compare,
  divisible,
  present,
  absent,
  one_of,
  none_of,
  capability_between
};

struct condition {
  condition_kind kind = condition_kind::compare;
  comparison how = comparison::eq;
  expression left{};
  expression right{};  // divisible: a constant
  std::string_view argument_name{};
  std::int8_t argument_index = 0;
  expression tuple[3]{};  // one_of: the symbols
  std::uint8_t tuple_width = 0;
  const index_t* tuples = nullptr;  // tuple_count rows of tuple_width numbers
  std::int32_t tuple_count = 0;
  // The same table with its own type: a constant expression may not step from one row into the next.
  const index_t (*singles)[1] = nullptr;
  const index_t (*pairs)[2] = nullptr;
  const index_t (*triples)[3] = nullptr;
  capability lowest{};  // both inclusive
  capability highest{};
  basis why{};

  constexpr index_t tuple_value(int row, int i) const {
    if (singles != nullptr) return singles[row][i];
    if (pairs != nullptr) return pairs[row][i];
    if (triples != nullptr) return triples[row][i];
    return tuples[row * tuple_width + i];
  }
};

namespace detail {
constexpr condition compare(expression a, comparison how, expression b) {
  condition c;
  c.how = how;
  c.left = a;
  c.right = b;
  return c;
}
}  // namespace detail

constexpr condition operator<(expression a, expression b) {
  return detail::compare(a, comparison::lt, b);
}
constexpr condition operator<=(expression a, expression b) {
  return detail::compare(a, comparison::le, b);
}
constexpr condition operator>(expression a, expression b) {
  return detail::compare(a, comparison::gt, b);
}
constexpr condition operator>=(expression a, expression b) {
  return detail::compare(a, comparison::ge, b);
}
constexpr condition operator==(expression a, expression b) {
  return detail::compare(a, comparison::eq, b);
}
constexpr condition operator!=(expression a, expression b) {
  return detail::compare(a, comparison::ne, b);
}

constexpr condition divisible(expression e, index_t by) {
  if (by < 1) detail::error_a_divisor_is_at_least_1();  // at run time it never holds
  condition c = detail::compare(e, comparison::eq, by);
  c.kind = condition_kind::divisible;
  return c;
}
constexpr condition is_present(std::string_view argument_name) {
  condition c;
  c.kind = condition_kind::present;
  c.argument_name = argument_name;
  return c;
}
constexpr condition is_absent(std::string_view argument_name) {
  condition c = is_present(argument_name);
  c.kind = condition_kind::absent;
  return c;
}
// The pair or triple of values is a row of the table, which must be an array at namespace scope.
template <std::size_t Rows, std::size_t Width>
constexpr condition one_of(const expression (&symbols)[Width], const index_t (&table)[Rows][Width]) {
  static_assert(Width >= 1 && Width <= 3, "one_of: tuples of one to three values");
  condition c;
  c.kind = condition_kind::one_of;
  for (std::size_t i = 0; i < Width; ++i) c.tuple[i] = symbols[i];
  c.tuple_width = static_cast<std::uint8_t>(Width);
  c.tuples = &table[0][0];
  if constexpr (Width == 1) c.singles = table;
  if constexpr (Width == 2) c.pairs = table;
  if constexpr (Width == 3) c.triples = table;
  c.tuple_count = static_cast<std::int32_t>(Rows);
  return c;
}
template <std::size_t Rows, std::size_t Width>
constexpr condition none_of(const expression (&symbols)[Width], const index_t (&table)[Rows][Width]) {
  condition c = one_of(symbols, table);
  c.kind = condition_kind::none_of;
  return c;
}
constexpr condition capability_between(capability lowest, capability highest) {
  condition c;
  c.kind = condition_kind::capability_between;
  c.lowest = lowest;
  c.highest = highest;
  return c;
}
constexpr condition on_capability(std::int32_t major, std::int32_t minor) {
  return capability_between({major, minor}, {major, minor});
}
constexpr condition because(condition c, basis why) {
  c.why = why;
  return c;
}

}  // namespace v1
}  // namespace stridelock
