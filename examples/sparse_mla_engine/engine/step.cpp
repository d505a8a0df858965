#include "engine/step.h"

#include <algorithm>

namespace sparse_mla_engine {

std::int64_t step::max_decode_position() const {
  return positions.empty() ? -1 : *std::max_element(positions.begin(), positions.end());
}

std::int64_t step::max_position() const {
  const std::int64_t decode = max_decode_position();
  return prefill_positions.empty()
             ? decode
             : std::max(decode, *std::max_element(prefill_positions.begin(), prefill_positions.end()));
}

index_t adaptive_width(index_t entries, index_t capacity) {
  index_t width = 128;
  while (width < entries) width *= 2;
  return std::min(width, capacity);
}

step make_step(index_t requests, index_t draft, index_t longest, std::int32_t phase,
               index_t prefill_longest) {
  step s;
  s.requests = requests;
  s.draft = draft;
  for (index_t row = 0; row < s.rows(); ++row) {
    const index_t entries = row + 1 == s.rows() ? longest : 3 + (row * 7 + phase) % 20;
    s.positions.push_back(entries * ratio + row % ratio);
  }
  s.prefill_positions = {3 * ratio, (prefill_longest > 0 ? prefill_longest : longest) * ratio};
  // The table has to hold the longest row of all, prefill rows included.
  s.blocks = (s.entries(s.max_position()) + s.block_size - 1) / s.block_size;
  const auto blocks = static_cast<std::int32_t>(slots_of_demonstrations) / s.block_size;
  for (std::int32_t block = 0; block < static_cast<std::int32_t>(requests * s.blocks); ++block)
    s.block_table.push_back((block * 37 + phase * 101 + 5) % blocks);
  return s;
}

}  // namespace sparse_mla_engine
