// Random layouts for comparisons: the same sequence everywhere for the same seed.
#pragma once

#include <cstdint>

#include "contracts/tests/small_layouts.h"

namespace stridelock::testing {

struct strides_allowed {
  bool zero = true;
  bool negative = true;
};

class random_layouts {
 public:
  explicit random_layouts(std::uint64_t seed) : state_(seed * 2 + 1) {}

  // From 0 to count - 1.
  index_t below(index_t count) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<index_t>((state_ >> 16) % static_cast<std::uint64_t>(count));
  }
  bool one_in(index_t count) { return below(count) == 0; }

  small_layout next(int highest_rank, strides_allowed allowed = {}) {
    small_layout l;
    l.rank = static_cast<int>(below(highest_rank + 1));
    int order[max_rank];
    for (int i = 0; i < l.rank; ++i) {
      order[i] = i;
      l.extents[i] = one_in(24) ? 0 : one_in(4) ? 1 : 2 + below(4);
    }
    if (one_in(3))
      for (int i = 0; i < l.rank; ++i) std::swap(order[i], order[below(l.rank)]);
    index_t stride = 1;
    for (int k = l.rank - 1; k >= 0; --k) {
      const int dim = order[k];
      l.strides[dim] = stride;
      stride *= l.extents[dim] > 1 ? l.extents[dim] : 1;
      if (one_in(8)) stride += 1 + below(4);  // padded
    }
    for (int i = 0; i < l.rank; ++i) {
      if (one_in(24)) l.strides[i] = 1 + below(40);
      if (allowed.zero && one_in(32)) l.strides[i] = 0;
      if (allowed.negative && one_in(32)) l.strides[i] = -l.strides[i];
    }
    return one_in(2) ? l : scrambled(l, allowed);
  }

  // Other values for the strides that address nothing: of extents of 1, and all of an empty tensor.
  small_layout scrambled(small_layout l, strides_allowed allowed = {}) {
    const bool empty = is_empty(l);
    for (int i = 0; i < l.rank; ++i)
      if (empty || l.extents[i] == 1) l.strides[i] = allowed.negative ? below(60) - 20 : below(60);
    return l;
  }

 private:
  std::uint64_t state_;
};

}  // namespace stridelock::testing
