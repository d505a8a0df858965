// The recorded name that a mistyped one is closest to. Private to the library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace stridelock {
inline namespace v1 {
namespace detail {

// Letters to change, add or leave out.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

// Keeps the closest of what it is shown; the first of equals. Nothing where none is close enough to be a mistake.
class nearest_name {
 public:
  explicit nearest_name(std::string_view wanted) : wanted_(wanted), distance_(wanted.size() / 3 + 2) {}

  void consider(std::string_view candidate) {
    constexpr std::size_t longest = 256;  // names, not texts: the cost is the product of both lengths
    if (candidate.size() > longest || wanted_.size() > longest) return;
    const std::size_t distance = edit_distance(wanted_, candidate);
    if (distance >= distance_) return;
    distance_ = distance;
    best_ = candidate;
  }
  std::string_view best() const { return best_; }

 private:
  std::string_view wanted_;
  std::size_t distance_;
  std::string_view best_{};
};

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
