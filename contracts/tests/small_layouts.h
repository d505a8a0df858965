// All small layouts, and the brute-force truth about them: the oracle of the layout tests.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "stridelock/layout.h"

namespace stridelock::testing {

struct small_layout {
  int rank = 0;
  index_t extents[max_rank]{};
  index_t strides[max_rank]{};

  operator layout_ref() const { return {rank, extents, strides}; }  // borrowed: keep the object alive

  std::string text() const {
    const auto list = [this](const index_t* values) {
      std::string out = "(";
      for (int i = 0; i < rank; ++i) out += (i ? "," : "") + std::to_string(values[i]);
      return out + ")";
    };
    return list(extents) + ":" + list(strides);
  }
};

inline small_layout make(std::initializer_list<index_t> extents, std::initializer_list<index_t> strides) {
  small_layout l;
  l.rank = static_cast<int>(extents.size());
  std::copy(extents.begin(), extents.end(), l.extents);
  std::copy(strides.begin(), strides.end(), l.strides);
  return l;
}

template <class Visit>
void for_each_layout(int rank, const std::vector<index_t>& extents, const std::vector<index_t>& strides,
                     Visit visit) {
  small_layout l;
  l.rank = rank;
  std::vector<std::size_t> at(static_cast<std::size_t>(2 * rank), 0);
  while (true) {
    for (int i = 0; i < rank; ++i) {
      l.extents[i] = extents[at[static_cast<std::size_t>(2 * i)]];
      l.strides[i] = strides[at[static_cast<std::size_t>(2 * i + 1)]];
    }
    visit(l);
    std::size_t digit = 0;
    for (; digit < at.size(); ++digit) {
      const std::size_t limit = digit % 2 == 0 ? extents.size() : strides.size();
      if (++at[digit] < limit) break;
      at[digit] = 0;
    }
    if (digit == at.size()) return;
  }
}

// Element offsets in row-major order of the indices.
inline std::vector<index_t> offsets_in_order(const layout_ref& l) {
  std::vector<index_t> offsets;
  if (is_empty(l)) return offsets;
  std::vector<index_t> index(static_cast<std::size_t>(l.rank), 0);
  while (true) {
    index_t offset = 0;
    for (int i = 0; i < l.rank; ++i) offset += index[static_cast<std::size_t>(i)] * l.strides[i];
    offsets.push_back(offset);
    int dim = l.rank - 1;
    for (; dim >= 0; --dim) {
      if (++index[static_cast<std::size_t>(dim)] < l.extents[dim]) break;
      index[static_cast<std::size_t>(dim)] = 0;
    }
    if (dim < 0) return offsets;
  }
}

inline bool truly_dense(const layout_ref& l) {
  const std::vector<index_t> offsets = offsets_in_order(l);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    if (offsets[i] != static_cast<index_t>(i)) return false;
  return true;
}

inline bool truly_injective(const layout_ref& l) {
  const std::vector<index_t> offsets = offsets_in_order(l);
  return std::set<index_t>(offsets.begin(), offsets.end()).size() == offsets.size();
}

}  // namespace stridelock::testing
