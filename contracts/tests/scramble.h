// Scrambles every stride that addresses nothing: those of extents of 1, and all of an empty tensor. No verdict may change by
// it, except of the two facts that are about the numbers themselves: canonical strides and tensor maps.
#pragma once

#include <limits>

#include "contracts/tests/small_layouts.h"
#include "stridelock/tensor_desc.h"

namespace stridelock::testing {

constexpr index_t noise[] = {0,
                             1,
                             -1,
                             7,
                             -5,
                             4608,
                             index_t{1} << 40,
                             std::numeric_limits<index_t>::max(),
                             std::numeric_limits<index_t>::min()};
constexpr int noise_count = static_cast<int>(sizeof noise / sizeof noise[0]);

inline small_layout scrambled(const layout_ref& l, int seed) {
  small_layout s;
  s.rank = l.rank;
  for (int d = 0; d < l.rank; ++d) {
    s.extents[d] = l.extents[d];
    const bool unused = l.extents[d] == 1 || is_empty(l);
    s.strides[d] = unused ? noise[(seed + 3 * d) % noise_count] : l.strides[d];
  }
  return s;
}

inline tensor_desc scrambled(const tensor_desc& t, int seed) {
  const small_layout s = scrambled(t.layout(), seed);
  tensor_ref r = t.ref();
  r.strides = s.strides;
  return tensor_desc::copy_of(r);
}

}  // namespace stridelock::testing
