// integers.h: the index type and 64-bit arithmetic that never wraps.
//
// Promises:  checked results carry `ok`; once it is false it stays false through every further operation.
// Does not:  throw, saturate or report; the caller decides what an overflow means (in layouts: a violation).
//
//   constexpr checked elements = checked(1 << 20) * checked(width);
//   if (!elements.ok) ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace stridelock {
inline namespace v1 {

using index_t = std::int64_t;

inline constexpr int max_rank = 8;

// yes, no, or nobody knows. Unknown is never folded into one of the other two.
enum class tri : std::uint8_t { no, yes, unknown };

constexpr tri to_tri(bool value) {
  return value ? tri::yes : tri::no;
}

struct checked {
  index_t value = 0;
  bool ok = true;

  constexpr checked() = default;
  constexpr explicit checked(index_t v, bool valid = true) : value(v), ok(valid) {}

  static constexpr index_t lowest = std::numeric_limits<index_t>::min();
  static constexpr index_t highest = std::numeric_limits<index_t>::max();

  static constexpr bool fits_32_bits(index_t v) { return v == static_cast<std::int32_t>(v); }

  friend constexpr checked operator+(checked a, checked b) {
    if (!a.ok || !b.ok) return checked(0, false);
    if (b.value > 0 ? a.value > highest - b.value : a.value < lowest - b.value) return checked(0, false);
    return checked(a.value + b.value);
  }
  friend constexpr checked operator-(checked a, checked b) {
    if (!a.ok || !b.ok) return checked(0, false);
    if (b.value > 0 ? a.value < lowest + b.value : a.value > highest + b.value) return checked(0, false);
    return checked(a.value - b.value);
  }
  friend constexpr checked operator*(checked a, checked b) {
    if (!a.ok || !b.ok) return checked(0, false);
    // Nearly always; the divisions below cost ten times as much.
    if (fits_32_bits(a.value) && fits_32_bits(b.value)) return checked(a.value * b.value);
    if (a.value == 0 || b.value == 0) return checked(0);
    const bool fits = a.value > 0
                          ? (b.value > 0 ? a.value <= highest / b.value : b.value >= lowest / a.value)
                          : (b.value > 0 ? a.value >= lowest / b.value : a.value >= highest / b.value);
    return fits ? checked(a.value * b.value) : checked(0, false);
  }
};

// Rounds a non-negative value up to the next multiple of `unit`.
constexpr checked round_up(checked value, index_t unit) {
  if (!value.ok || unit <= 0 || value.value < 0) return checked(0, false);
  const index_t rest = value.value % unit;
  return rest == 0 ? value : value + checked(unit - rest);
}

}  // namespace v1
}  // namespace stridelock
