// coverage.h: do the branches of a dispatch cover every case exactly once?
//
// Promises:  looks at every combination of the values around which a condition can change its answer, smallest values
//            first, and returns the first case that no branch, or more than one, claims. `exact` is true if that proves
//            it: every comparison is of one symbol with constants or parameters.
// Does not:  run at compile time; put it in a unit test of the contract. With comparisons of two symbols, divisibility or
//            rounding it samples, and may miss a fault; so it may beyond `limit` combinations, which it then says.
// Cost:      cold.
//
//   const coverage_result r = find_coverage_fault(sparse_mla.view());
//   EXPECT_TRUE(r.complete()) << text(r);
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "stridelock/contract.h"

namespace stridelock {
inline namespace v1 {

enum class coverage_kind : std::uint8_t {
  complete,
  gap,      // no branch claims the witness
  overlap,  // branches `first` and `second` both do
  limited,  // nothing found, but there were more combinations than the limit
};

struct case_value {
  std::string_view name{};  // symbol or parameter
  index_t value = 0;
};

struct coverage_result {
  static constexpr int most_values = 24;

  coverage_kind kind = coverage_kind::complete;
  bool exact = true;
  int first = -1;
  int second = -1;
  case_value values[most_values]{};  // the witness
  int value_count = 0;
  std::string_view present[8]{};  // optional arguments that are present in it
  int present_count = 0;
  capability device_capability{};  // not known: no condition asks
  std::string_view first_name{};
  std::string_view second_name{};

  constexpr bool complete() const { return kind == coverage_kind::complete; }
};

coverage_result find_coverage_fault(const dispatch_view& what, std::int64_t limit = 1000000);

// "no branch covers T = 64, decode_max_tokens = 64"
// Writes at most `capacity` bytes including the final 0; returns the length of the whole text without it.
std::size_t write_text(const coverage_result& r, char* to, std::size_t capacity) noexcept;

inline std::string text(const coverage_result& r) {
  std::string out(write_text(r, nullptr, 0), '\0');
  if (!out.empty()) write_text(r, &out[0], out.size() + 1);
  return out;
}

}  // namespace v1
}  // namespace stridelock
