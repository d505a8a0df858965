#include "kernels/common/device.cuh"
#include "kernels/prefill_row_count/prefill_row_count.h"
#include "stridelock/strengthen.h"

namespace stridelock::kernels {
namespace {

constexpr int threads = 256;

// One block a row.
__global__ void count_rows(view<const int, 2, row_pitched, int> indices, int* __restrict__ counts) {
  const int row = static_cast<int>(blockIdx.x);
  const int* __restrict__ entries = indices.data + row * indices.pitch();
  int mine = 0;
  // Unsigned: a step beyond the last of almost 2^31 columns still fits.
  for (unsigned column = threadIdx.x; column < static_cast<unsigned>(indices.extent(1)); column += threads)
    mine += entries[column] >= 0 ? 1 : 0;
  mine = __reduce_add_sync(0xffffffffu, mine);

  __shared__ int of_warps[threads / 32];
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int of_warp : of_warps) sum += of_warp;
    counts[row] = sum;
  }
}

}  // namespace

void device::prefill_row_count(void* stream, const prefill_row_count_arguments& a) {
  const auto indices = require_index<int>(a.indices);
  count_rows<<<static_cast<unsigned>(indices.extent(0)), threads, 0, static_cast<cudaStream_t>(stream)>>>(
      indices, a.counts.data);
  throw_if_failed(cudaGetLastError(), "prefill_row_count");
}

}  // namespace stridelock::kernels
