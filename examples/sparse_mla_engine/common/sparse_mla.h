// The kernel library: sparse attention over cache slots that per-row index lists name.
//
// Row t of `out` is the sum of cache[indices[t, i]] for i < lengths[t]; negative indices are padding.
#pragma once

#include "host_cuda.h"
#include "tensor.h"

namespace sparse_mla {

using engine::tensor;

inline constexpr std::int64_t decode_max_tokens = 64;

// Two kernels behind one entry: up to decode_max_tokens rows the decode kernel, above it the paged kernel.
// Throws std::invalid_argument where a check of the chosen kernel fails.
void attention(cudaStream_t stream, const tensor& cache, const tensor& indices, const tensor& lengths,
               const tensor& out);

// One kernel that takes the row pitch of `indices`.
void attention_pitched(cudaStream_t stream, const tensor& cache, const tensor& indices, const tensor& lengths,
                       const tensor& out);

}  // namespace sparse_mla
