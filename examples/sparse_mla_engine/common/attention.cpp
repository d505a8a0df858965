#include "attention.h"

#include "sparse_mla.h"

namespace engine {

decoder::decoder(std::int64_t rows)
    : cache(tensor::full<float>({rows * slots_per_request}, 0)),
      attention(tensor::full<float>({rows}, 0)),
      scores(tensor::full<std::int32_t>({rows}, 0)) {
  cudaDeviceGetAttribute(&capability_major, cudaDevAttrComputeCapabilityMajor, 0);
  for (std::int64_t slot = 0; slot < cache.numel(); ++slot) cache.data<float>()[slot] = cache_value(slot);
}

void decode_forward(cudaStream_t stream, const decoder& model, const attention_metadata& metadata) {
  score_draft(stream, metadata.draft_tokens, model.scores);
  if (model.capability_major == 12) {
    sparse_mla::attention(stream, model.cache, metadata.indices, metadata.lengths, model.attention);
  } else {
    sparse_mla::attention_pitched(stream, model.cache, metadata.pitched_indices, metadata.lengths,
                                  model.attention);
  }
}

}  // namespace engine
