// Kernels in pairs NAME_raw and NAME_view. A view as a kernel parameter has no __restrict__; bound inside it has.
#include <cstdint>

#include "stridelock/view.h"

using namespace stridelock;

extern "C" {

__global__ void pitched_raw(float* __restrict__ out, const float* __restrict__ p, std::int32_t rows,
                            std::int32_t columns, std::int32_t pitch) {
  const std::int32_t i = blockIdx.x, j = threadIdx.x;
  if (i < rows && j < columns) out[i * pitch + j] = p[i * pitch + j] * 2;
}
__global__ void pitched_view(float* __restrict__ out, view<const float, 2, row_pitched, std::int32_t> v) {
  const float* __restrict__ p = v.data;
  const std::int32_t i = blockIdx.x, j = threadIdx.x;
  if (i < v.extent(0) && j < v.extent(1)) out[i * v.pitch() + j] = p[i * v.pitch() + j] * 2;
}

__global__ void sum_raw(float* __restrict__ out, const float* __restrict__ p, std::int32_t rows,
                        std::int32_t columns) {
  const std::int32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  float sum = 0;
  for (std::int32_t j = 0; j < columns; ++j) sum += p[i * columns + j];
  out[i] = sum;
}
__global__ void sum_view(float* __restrict__ out, view<const float, 2, contiguous, std::int32_t> v) {
  const float* __restrict__ p = v.data;
  const std::int32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= v.extent(0)) return;
  float sum = 0;
  for (std::int32_t j = 0; j < v.extent(1); ++j) sum += p[i * v.pitch() + j];
  out[i] = sum;
}

}  // extern "C"
