// The text form of the layout IR: what `stridelock extract -o -` prints, what the cache keeps, and how solver
// tests are written. The grammar is in README.md.
//
// Promises:  parse(print(u)) == u for every unit whose references are in range; print of equal units gives
// equal
//            bytes; parse of any bytes whatever returns, with a unit or with one error, in time linear in the
//            input. Every local, parameter and block that a parsed function names exists, and every value id
//            is below value_count, so a reader may index without asking.
// Does not:  check that a value is defined before it is used, nor that it is defined at all.
//
// Example:
//     auto parsed = ir::parse(R"ir(
//       function narrow_it
//         param x "at::Tensor &"
//       b0:
//         %0 = load @x : at::Tensor
//         %1 = view narrow(%0, 1, 0, 256)   ; 12:5 "x.narrow(1, 0, 256)"
//         return %1
//     )ir", "test");
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "analyzer/ir/ir.h"

namespace stridelock::ir {

struct parse_error {
  std::string file;          // source_name as given
  std::uint32_t line = 0;    // from 1
  std::uint32_t column = 0;  // from 1, in bytes
  std::string message;       // "expected a place ($local, @param, ::global, *%value), found ')'"

  // file:line:column: error: message
  std::string str() const;
  bool operator==(const parse_error&) const = default;
};

std::string print(const unit& what);

std::variant<unit, parse_error> parse(std::string_view text, std::string_view source_name);

// Larger input is refused with an error.
inline constexpr std::size_t max_text_bytes = std::size_t{1} << 30;
inline constexpr std::uint32_t max_values = std::uint32_t{1} << 24;  // per function

}  // namespace stridelock::ir
