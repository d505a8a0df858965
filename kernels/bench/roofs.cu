#include <cuda_runtime.h>

#include "kernels/bench/roofs.h"

namespace stridelock::kernels::bench {
namespace {

// Several independent 16-byte accesses per thread and round.
constexpr int unrolled = 8;

__global__ void __launch_bounds__(512)
    copy(uint4* __restrict__ to, const uint4* __restrict__ from, std::size_t count) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step * unrolled) {
    uint4 v[unrolled];
#pragma unroll
    for (int k = 0; k < unrolled; ++k)
      if (i + k * step < count) v[k] = __ldcs(from + i + k * step);
#pragma unroll
    for (int k = 0; k < unrolled; ++k)
      if (i + k * step < count) __stcs(to + i + k * step, v[k]);
  }
}

__global__ void __launch_bounds__(512)
    read(float* scratch, const uint4* __restrict__ from, std::size_t count) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  unsigned bits = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step * unrolled) {
    uint4 v[unrolled] = {};
#pragma unroll
    for (int k = 0; k < unrolled; ++k)
      if (i + k * step < count) v[k] = __ldcs(from + i + k * step);
#pragma unroll
    for (const uint4& value : v) bits |= value.x & value.y & value.z & value.w;
  }
  if (bits == 0x12345678u) scratch[0] = 1;
}

// How fast this chip's tensor cores take mma.sync m16n8k16 in bf16 when nothing else is in the way: the arithmetic roof of
// a kernel that uses this instruction. (Hopper's wgmma has a higher one.)
constexpr int accumulators = 8;

__global__ void __launch_bounds__(256) multiply(float* out, unsigned seed, int rounds) {
  const unsigned x = seed + threadIdx.x * 2654435761u;
  unsigned a[4], b[2];
  // Random bits with exponents near 1.
  for (int i = 0; i < 4; ++i) a[i] = ((x * (i + 3)) & 0x007f007fu) | 0x3f803f80u;
  for (int i = 0; i < 2; ++i) b[i] = ((x * (i + 11)) & 0x807f807fu) | 0x3f003f00u;
  float c[accumulators][4] = {};
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (auto& acc : c)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
          "{%0, %1, %2, %3};"
          : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  float sum = 0;
  for (auto& acc : c) sum += acc[0] + acc[1] + acc[2] + acc[3];
  if (sum == 12345.678f) out[threadIdx.x] = sum;
}

}  // namespace

void run_copy(void* stream, void* to, const void* from, std::size_t bytes, int processors) {
  copy<<<processors * 4, 512, 0, static_cast<cudaStream_t>(stream)>>>(
      static_cast<uint4*>(to), static_cast<const uint4*>(from), bytes / sizeof(uint4));
}

void run_read(void* stream, float* scratch, const void* from, std::size_t bytes, int processors) {
  read<<<processors * 4, 512, 0, static_cast<cudaStream_t>(stream)>>>(
      scratch, static_cast<const uint4*>(from), bytes / sizeof(uint4));
}

double run_matrix_rate(void* stream, float* scratch, int blocks, int rounds) {
  multiply<<<blocks, 256, 0, static_cast<cudaStream_t>(stream)>>>(scratch, 12345u, rounds);
  return 2.0 * 16 * 8 * 16 * accumulators * rounds * blocks * (256 / 32);
}

}  // namespace stridelock::kernels::bench
