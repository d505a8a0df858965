#include "kernels/common/device.cuh"
#include "kernels/pack_rows/pack_rows.h"
#include "stridelock/strengthen.h"

namespace stridelock::kernels {
namespace {

__global__ void pack(view<const int, 2, row_pitched, int> rows, view<int, 2, contiguous, int> packed) {
  const int* __restrict__ from = rows.data;
  int* __restrict__ to = packed.data;
  // Unsigned: rows and columns are below 2^31, and a step beyond the last one still fits. The grid covers all columns.
  const auto columns = static_cast<unsigned>(rows.extent(1));
  const auto pitch = static_cast<unsigned>(rows.pitch());
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  for (unsigned row = blockIdx.y; row < static_cast<unsigned>(rows.extent(0)); row += gridDim.y)
    to[row * columns + column] = from[row * pitch + column];
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
