#include "kernels/common/device.cuh"
#include "kernels/pack_rows/pack_rows.h"
#include "stridelock/strengthen.h"

namespace stridelock::kernels {
namespace {

__global__ void pack(view<const int, 2, row_pitched, int> rows, view<int, 2, contiguous, int> packed) {
  const int* __restrict__ from = rows.data;
  int* __restrict__ to = packed.data;
  const int columns = rows.extent(1);
  for (int row = static_cast<int>(blockIdx.y); row < rows.extent(0); row += static_cast<int>(gridDim.y)) {
    for (int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); column < columns;
         column += static_cast<int>(gridDim.x * blockDim.x)) {
      to[row * columns + column] = from[row * rows.pitch() + column];
    }
  }
}

}  // namespace

void device::pack_rows(void* stream, const pack_rows_arguments& a) {
  const auto rows = require_index<int>(a.rows);
  const auto packed = require_index<int>(a.packed);
  const unsigned blocks = (static_cast<unsigned>(rows.extent(1)) + 255) / 256;
  const unsigned row_blocks = static_cast<unsigned>(rows.extent(0) < 65535 ? rows.extent(0) : 65535);
  pack<<<dim3(blocks, row_blocks), 256, 0, static_cast<cudaStream_t>(stream)>>>(rows, packed);
  throw_if_failed(cudaGetLastError(), "pack_rows");
}

}  // namespace stridelock::kernels
