// host_tensor.h: for tests: elements with guard bands on both sides, so that a write outside is seen.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "stridelock/view.h"

namespace stridelock::kernels::testing {

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
class host_tensor {
 public:
  static constexpr index_t guard = 64;

  host_tensor(index_t rows, index_t columns, T fill)
      : rows_(rows), columns_(columns), fill_(fill), elements_(rows * columns + 2 * guard, fill) {}

  T* data() { return elements_.data() + guard; }
  view<T, 2> matrix() { return {data(), {{rows_, columns_}}}; }
  view<T, 1> vector() { return {data(), {{rows_ * columns_}}}; }
  T& operator()(index_t row, index_t column) { return data()[row * columns_ + column]; }
  void fill() { std::fill(elements_.begin(), elements_.end(), fill_); }

  bool guards_hold() const {
    bool hold = true;
    for (index_t i = 0; i < guard; ++i)
      hold = hold && same_bits(elements_[i], fill_) && same_bits(elements_[elements_.size() - 1 - i], fill_);
    return hold;
  }
  // Every element from `column` on still holds what the tensor was filled with.
  bool untouched_from(index_t column) {
    bool untouched = true;
    for (index_t r = 0; r < rows_; ++r)
      for (index_t c = column; c < columns_; ++c) untouched = untouched && same_bits((*this)(r, c), fill_);
    return untouched;
  }

 private:
  index_t rows_;
  index_t columns_;
  T fill_;
  std::vector<T> elements_;
};

}  // namespace stridelock::kernels::testing
