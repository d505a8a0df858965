// Which known range an address belongs to. Private to the library.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graph_words.h"
#include "stridelock/graph_audit.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

inline bool contains(const known_range& range, std::uint64_t address) {
  return address >= range.begin && address - range.begin < range.bytes;
}

// Answers with the innermost range; of ranges of equal size the latest generation, of those the live one, wins.
// Ranges are sorted by their begin; `reach_` bounds how far back a range can begin and still contain an address.
class memory_lookup {
 public:
  explicit memory_lookup(const known_memory& known) {
    for (const known_range& range : known.ranges) {
      if (range.bytes > 0) sorted_.push_back(&range);
    }
    std::stable_sort(sorted_.begin(), sorted_.end(),
                     [](const known_range* a, const known_range* b) { return a->begin < b->begin; });
    std::uint64_t end = 0;
    for (const known_range* range : sorted_) {
      const std::uint64_t its_end =
          range->bytes > ~range->begin ? ~std::uint64_t{0} : range->begin + range->bytes;
      end = std::max(end, its_end);
      ends_.push_back(end);
    }
  }

  bool empty() const { return sorted_.empty(); }

  const known_range* find(std::uint64_t address) const {
    const known_range* best = nullptr;
    auto at = std::upper_bound(sorted_.begin(), sorted_.end(), address,
                               [](std::uint64_t a, const known_range* r) { return a < r->begin; });
    while (at != sorted_.begin()) {
      --at;
      if (ends_[static_cast<std::size_t>(at - sorted_.begin())] <= address) break;  // none before reaches it
      if (contains(**at, address) && (best == nullptr || better(**at, *best))) best = *at;
    }
    return best;
  }

  // Whether a range of the role `block` lies in this segment: then its blocks are listed.
  bool has_blocks(const known_range& segment) const {
    const auto from = std::lower_bound(sorted_.begin(), sorted_.end(), segment.begin,
                                       [](const known_range* r, std::uint64_t a) { return r->begin < a; });
    for (auto at = from; at != sorted_.end() && contains(segment, (*at)->begin); ++at) {
      if ((*at)->role == memory_role::block) return true;
    }
    return false;
  }

  const std::vector<const known_range*>& all() const { return sorted_; }

 private:
  static bool better(const known_range& a, const known_range& b) {
    if (a.bytes != b.bytes) return a.bytes < b.bytes;
    if (a.generation != b.generation) return a.generation > b.generation;
    return a.live && !b.live;
  }

  std::vector<const known_range*> sorted_;
  std::vector<std::uint64_t> ends_;  // the furthest end of the ranges up to here
};

// kv_pool+0x4000 gen 7
inline std::string place_text(const known_range& range, std::uint64_t address, bool with_generation = true) {
  return printable(range.name) + "+" + hex(address - range.begin) +
         (with_generation && range.generation > 0 ? " gen " + std::to_string(range.generation) : "");
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
