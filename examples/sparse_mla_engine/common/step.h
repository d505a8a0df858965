// One step of the engine as the scheduler hands it over, what comes out of it, and the arithmetic both are
// made of.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor.h"

namespace engine {

inline constexpr std::int64_t compression = 128;         // positions per index entry
inline constexpr std::int64_t slots_per_request = 1024;  // cache slots a request owns

// Speculative verification: each request checks one certain and `draft` guessed tokens, one row each.
struct step_input {
  std::int64_t requests = 0;
  std::int64_t draft = 0;
  std::vector<std::int64_t> positions;  // one per row
  std::vector<std::int32_t> tokens;     // one per row

  std::int64_t tokens_per_request() const { return 1 + draft; }
  std::int64_t rows() const { return requests * tokens_per_request(); }
  std::int64_t entries(std::int64_t row) const { return (positions[row] + 1) / compression; }
  std::int32_t slot(std::int64_t row, std::int64_t entry) const {
    return static_cast<std::int32_t>(row / tokens_per_request() * slots_per_request + entry);
  }
};

struct step_output {
  std::vector<float> attention;      // one per row
  std::vector<std::int32_t> scores;  // one per row
};

// The narrowest power of two, from 128 up to `capacity`, that holds the longest row of the step.
std::int64_t adaptive_width(const step_input& step, std::int64_t capacity);

// Writes the index list and length of each row, and the tokens of each request, by the strides of the views.
void write_index_rows(const step_input& step, const tensor& indices, const tensor& lengths);
void write_tokens(const step_input& step, const tensor& tokens);

std::int32_t score(std::int32_t token);
float cache_value(std::int64_t slot);

}  // namespace engine
