#include "attention.h"

namespace engine {
namespace {

// Reads rows of tokens where they lie, `pitch` apart.
void launch_score(cudaStream_t stream, const std::int32_t* tokens, std::int64_t pitch, std::int64_t rows,
                  std::int64_t columns, std::int32_t* scores) {
  host_cuda::launch(stream, [=] {
    for (std::int64_t i = 0; i < rows * columns; ++i)
      scores[i] = score(tokens[i / columns * pitch + i % columns]);
  });
}

}  // namespace

void score_draft(cudaStream_t stream, const tensor& draft_tokens, const tensor& scores) {
  launch_score(stream, draft_tokens.data<std::int32_t>(), draft_tokens.stride(0), draft_tokens.size(0),
               draft_tokens.size(1), scores.data<std::int32_t>());
}

}  // namespace engine
