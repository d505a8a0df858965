#include "sparse_mla.h"

#include <stdexcept>
#include <string>

#define SPARSE_MLA_CHECK(condition, message)                                                \
  do {                                                                                      \
    if (!(condition)) throw std::invalid_argument(std::string("sparse_mla: ") + (message)); \
  } while (false)

namespace sparse_mla {
namespace {

// The device side of all three kernels: one row of `indices` lies `pitch` after the last.
void launch_gather(cudaStream_t stream, const float* cache, const std::int32_t* indices, std::int64_t pitch,
                   const std::int32_t* lengths, float* out, std::int64_t rows) {
  host_cuda::launch(stream, [=] {
    for (std::int64_t row = 0; row < rows; ++row) {
      float sum = 0;
      for (std::int32_t i = 0; i < lengths[row]; ++i) {
        const std::int32_t slot = indices[row * pitch + i];
        if (slot >= 0) sum += cache[slot];
      }
      out[row] = sum;
    }
  });
}

// For many rows. Says what it needs.
void paged_attention(cudaStream_t stream, const tensor& cache, const tensor& indices, const tensor& lengths,
                     const tensor& out) {
  SPARSE_MLA_CHECK(indices.is_contiguous(), "indices must be contiguous");
  launch_gather(stream, cache.data<float>(), indices.data<std::int32_t>(), indices.size(1),
                lengths.data<std::int32_t>(), out.data<float>(), out.size(0));
}

// For few rows. Needs the same, and never looks: the pointer and the width go on, the stride does not.
void decode_attention(cudaStream_t stream, const tensor& cache, const tensor& indices, const tensor& lengths,
                      const tensor& out) {
  launch_gather(stream, cache.data<float>(), indices.data<std::int32_t>(), indices.size(1),
                lengths.data<std::int32_t>(), out.data<float>(), out.size(0));
}

}  // namespace

void attention(cudaStream_t stream, const tensor& cache, const tensor& indices, const tensor& lengths,
               const tensor& out) {
  if (out.size(0) > decode_max_tokens) {
    paged_attention(stream, cache, indices, lengths, out);
  } else {
    decode_attention(stream, cache, indices, lengths, out);
  }
}

void attention_pitched(cudaStream_t stream, const tensor& cache, const tensor& indices, const tensor& lengths,
                       const tensor& out) {
  launch_gather(stream, cache.data<float>(), indices.data<std::int32_t>(), indices.stride(0),
                lengths.data<std::int32_t>(), out.data<float>(), out.size(0));
}

}  // namespace sparse_mla
