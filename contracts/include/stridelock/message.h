// message.h: a report as text, in five fields, always in this order: what broke, got, from, when, fix.
//
// Promises:  states the fact that failed with both numbers, names where symbols come from, and never prints an address.
//            Several violations open with a table; a report that is fine is "ok". A repair of the arguments is
//            offered only if it was evaluated: the fact then holds and nothing new is broken.
// Does not:  throw; if memory ran out the text says so.
#pragma once

#include <cstddef>
#include <string>

#include "stridelock/report.h"

namespace stridelock {
inline namespace v1 {

// Writes at most `capacity` bytes including the final 0; returns the length of the whole text without it.
std::size_t write_text(const report& r, char* to, std::size_t capacity) noexcept;

inline std::string text(const report& r) {
  std::string out(write_text(r, nullptr, 0), '\0');
  if (!out.empty()) write_text(r, &out[0], out.size() + 1);
  return out;
}

// The notation of all messages: "int32 (66,256):(1024,1), cuda:0".
std::size_t write_text(const tensor_desc& tensor, char* to, std::size_t capacity) noexcept;

inline std::string text(const tensor_desc& tensor) {
  std::string out(write_text(tensor, nullptr, 0), '\0');
  if (!out.empty()) write_text(tensor, &out[0], out.size() + 1);
  return out;
}

}  // namespace v1
}  // namespace stridelock
