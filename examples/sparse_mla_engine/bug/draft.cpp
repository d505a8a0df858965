#include "attention.h"

namespace engine {
namespace {

// Reads a dense list of tokens.
void launch_score(cudaStream_t stream, const tensor& tokens, const tensor& scores) {
  host_cuda::launch(stream, [tokens, scores] {
    for (std::int64_t i = 0; i < tokens.numel(); ++i) {
      scores.data<std::int32_t>()[i] = score(tokens.data<std::int32_t>()[i]);
    }
  });
}

// The tokens lie in rows of 8; the kernel wants them side by side.
tensor pack_draft_tokens(const tensor& draft_tokens) {
  return draft_tokens.contiguous();
}

}  // namespace

void score_draft(cudaStream_t stream, const tensor& draft_tokens, const tensor& scores) {
  launch_score(stream, pack_draft_tokens(draft_tokens), scores);
}

}  // namespace engine
