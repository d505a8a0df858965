// Building the texts of messages. Private to the library.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "stridelock/tensor_desc.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

inline std::string number(index_t value) {
  return std::to_string(value);
}

// 67584 -> "67,584"
template <class Integer>
std::string grouped(Integer value) {
  const std::string digits = std::to_string(value);
  const std::size_t sign = digits[0] == '-' ? 1 : 0;
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > sign && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

inline std::string quoted(std::string_view name) {
  return "'" + std::string(name) + "'";
}

// (66,256)
template <class Value>
std::string tuple(int count, Value value) {
  std::string out = "(";
  for (int i = 0; i < count; ++i) out += (i > 0 ? "," : "") + number(value(i));
  return out + ")";
}

std::string text_of(dtype type);
std::string text_of(device where);
std::string text_of(const tensor_desc& tensor);  // int32 (66,256):(1024,1), cuda:0
std::string text_of(const view_step& step);      // columns [0, 256)
// Why there is no view: "rows [0, 600) of 512". Empty if there is one.
std::string refusal_text(const provenance& from);

// Copies into a caller's buffer of `capacity` bytes, always terminated if there is room for anything.
inline std::size_t copy_out(std::string_view text, char* to, std::size_t capacity) noexcept {
  if (to != nullptr && capacity > 0) {
    const std::size_t n = text.size() < capacity - 1 ? text.size() : capacity - 1;
    std::memcpy(to, text.data(), n);
    to[n] = '\0';
  }
  return text.size();
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
