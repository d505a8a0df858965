// step.h: one step of the engine as the scheduler hands it over.
#pragma once

#include <cstdint>
#include <vector>

#include "stridelock/integers.h"

namespace sparse_mla_engine {

using stridelock::index_t;

inline constexpr std::int32_t ratio = 128;  // positions per index entry

// Speculative verification: each request checks one certain and `draft` guessed tokens, a row each.
struct step {
  index_t requests = 0;
  index_t draft = 0;
  std::vector<std::int64_t> positions;          // of each decode row
  std::vector<std::int64_t> prefill_positions;  // of each prefill row
  std::int32_t block_size = 2;
  index_t blocks = 0;                     // per request
  std::vector<std::int32_t> block_table;  // (requests, blocks)

  index_t rows() const { return requests * (1 + draft); }
  index_t request_of(index_t row) const { return row / (1 + draft); }
  index_t entries(std::int64_t position) const { return (position + 1) / ratio; }
  std::int64_t max_decode_position() const;
  std::int64_t max_position() const;
  std::int32_t slot(index_t row, index_t entry) const {
    const auto block = static_cast<std::size_t>(request_of(row) * blocks + entry / block_size);
    return block_table[block] * block_size + static_cast<std::int32_t>(entry % block_size);
  }
};

// The narrowest power of two, from 128 up to `capacity`, that holds `entries`.
index_t adaptive_width(index_t entries, index_t capacity);

// A step for demonstrations: the longest decode row has `longest` entries, the others few, one prefill row has as many as
// prefill_longest says (0: `longest`); phase moves positions and blocks on.
step make_step(index_t requests, index_t draft, index_t longest, std::int32_t phase,
               index_t prefill_longest = 0);
inline constexpr index_t slots_of_demonstrations = 2048;

}  // namespace sparse_mla_engine
