#include "step.h"

#include <algorithm>

namespace engine {

std::int64_t adaptive_width(const step_input& step, std::int64_t capacity) {
  std::int64_t longest = 0;
  for (std::int64_t row = 0; row < step.rows(); ++row) longest = std::max(longest, step.entries(row));
  std::int64_t width = 128;
  while (width < longest) width *= 2;
  return std::min(width, capacity);
}

void write_index_rows(const step_input& step, const tensor& indices, const tensor& lengths) {
  for (std::int64_t row = 0; row < step.rows(); ++row) {
    std::int32_t* const list = indices.data<std::int32_t>() + row * indices.stride(0);
    const std::int64_t count = std::min(step.entries(row), indices.size(1));
    for (std::int64_t i = 0; i < count; ++i) list[i] = step.slot(row, i);
    lengths.data<std::int32_t>()[row] = static_cast<std::int32_t>(count);
  }
}

void write_tokens(const step_input& step, const tensor& tokens) {
  for (std::int64_t row = 0; row < step.rows(); ++row) {
    const std::int64_t request = row / step.tokens_per_request();
    const std::int64_t column = row % step.tokens_per_request();
    tokens.data<std::int32_t>()[request * tokens.stride(0) + column] = step.tokens[row];
  }
}

std::int32_t score(std::int32_t token) {
  return 2 * token + 1;
}

float cache_value(std::int64_t slot) {
  return static_cast<float>(slot % 13 + 1);
}

}  // namespace engine
