// Text that comes from source files and compilers, made safe to print.
//
// Promises:  every function accepts any bytes and returns valid UTF-8.
// Does not:  know about wide or combining characters: a code point is one column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stridelock::report {

// Bytes that are no UTF-8 become U+FFFD; valid text is returned unchanged.
std::string valid_utf8(std::string_view bytes);

// For one line of a terminal or log: valid UTF-8, control characters (also line breaks) spelled as \n, \t,
// \x1b.
std::string printable(std::string_view bytes);

// A byte column (1-based, as Clang counts) as a code point column of the same line; 0 stays 0.
std::uint32_t code_point_column(std::string_view line, std::uint32_t byte_column);

}  // namespace stridelock::report
