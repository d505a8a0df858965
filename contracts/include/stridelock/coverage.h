// coverage.h: do the branches of a dispatch cover every case exactly once?
//
// Promises:  looks at every combination of the values around which a condition can change its answer, smallest values
//            first, and finds the first case that no branch, or more than one, claims. covers_every_case makes that case a
//            compile error; find_coverage_fault returns it. `exact` is true if finding nothing proves it: every
//            comparison is of one symbol with constants or parameters.
// Does not:  prove with comparisons of two symbols, divisibility or rounding: it samples, and may miss a fault. The
//            compiler gives up beyond 4000 steps of the search, with an error that says so; judge such a dispatch in a unit test.
// Cost:      covers_every_case is none at run time; find_coverage_fault is cold.
//
//   static_assert(covers_every_case<sparse_mla>());     // error: … "no branch covers decode_max_tokens = 64, T = 65"
//
//   const coverage_result r = find_coverage_fault(read_from_a_file);
//   EXPECT_TRUE(r.complete()) << text(r);
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "stridelock/contract.h"
#include "stridelock/coverage_search.h"

namespace stridelock {
inline namespace v1 {

// For a dispatch at namespace scope. Never false: a dispatch that is at fault does not compile.
template <const auto& Dispatch>
constexpr bool covers_every_case() {
  return detail::covers<Dispatch>();
}

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
