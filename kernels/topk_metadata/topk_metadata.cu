#include "kernels/common/device.cuh"
#include "kernels/topk_metadata/topk_metadata.h"
#include "stridelock/strengthen.h"

namespace stridelock::kernels {
namespace {

using matrix = view<int, 2, row_pitched, int>;

struct tokens {
  const std::int64_t* decode_positions;
  const int* decode_requests;
  const std::int64_t* decode_slots;
  const std::int64_t* prefill_positions;
  view<const int, 2, row_pitched, int> block_table;
  matrix decode_indices;
  int* decode_lengths;
  matrix prefill_indices;
  int block_size;
  int ratio;
};

__device__ int entries_of(std::int64_t position, int ratio, int width) {
  if (position < 0) return 0;
  const std::uint64_t count = (static_cast<std::uint64_t>(position) + 1) / static_cast<unsigned>(ratio);
  return count > static_cast<unsigned>(width) ? width : static_cast<int>(count);
}

__device__ int entry_in(int block, int block_size, int rest) {
  const std::int64_t entry = static_cast<std::int64_t>(block) * block_size + rest;
  const int narrow = static_cast<int>(entry);
  return narrow == entry ? narrow : -1;
}

// One block a token: decode tokens first, prefill tokens behind them. Columns are counted unsigned: a step beyond the last
// of almost 2^31 still fits.
__global__ void build_rows(const __grid_constant__ tokens t) {
  const int decodes = t.decode_indices.extent(0);
  const int token = static_cast<int>(blockIdx.x);
  const unsigned first = threadIdx.x;
  const unsigned step = blockDim.x;

  if (token >= decodes) {
    const int row = token - decodes;
    const int width = t.prefill_indices.extent(1);
    const int count = entries_of(t.prefill_positions[row], t.ratio, width);
    int* __restrict__ entries = t.prefill_indices.data + row * t.prefill_indices.pitch();
    for (unsigned i = first; i < static_cast<unsigned>(width); i += step)
      entries[i] = i < static_cast<unsigned>(count) ? static_cast<int>(i) : -1;
    return;
  }

  const int width = t.decode_indices.extent(1);
  const int count = entries_of(t.decode_positions[token], t.ratio, width);
  const int request = t.decode_requests[token];
  const bool known = request >= 0 && request < t.block_table.extent(0);
  const int* __restrict__ blocks = t.block_table.data + (known ? request * t.block_table.pitch() : 0);
  int* __restrict__ entries = t.decode_indices.data + token * t.decode_indices.pitch();
  for (unsigned i = first; i < static_cast<unsigned>(width); i += step) {
    const int column = static_cast<int>(i);
    const int block = column / t.block_size;
    const bool held = column < count && known && block < t.block_table.extent(1);
    entries[i] = held ? entry_in(blocks[block], t.block_size, column - block * t.block_size) : -1;
  }
  if (first == 0) t.decode_lengths[token] = t.decode_slots[token] < 0 ? 0 : count;
}

}  // namespace

void device::topk_metadata(void* stream, const topk_metadata_arguments& a) {
  const tokens t{a.decode_positions.data,
                 a.decode_requests.data,
                 a.decode_slots.data,
                 a.prefill_positions.data,
                 require_index<int>(a.block_table),
                 require_index<int>(a.decode_indices),
                 a.decode_lengths.data,
                 require_index<int>(a.prefill_indices),
                 a.block_size,
                 a.ratio};
  const auto tokens_in_all = static_cast<unsigned>(a.decode_positions.size() + a.prefill_positions.size());
  build_rows<<<tokens_in_all, 256, 0, static_cast<cudaStream_t>(stream)>>>(t);
  throw_if_failed(cudaGetLastError(), "topk_metadata");
}

}  // namespace stridelock::kernels
