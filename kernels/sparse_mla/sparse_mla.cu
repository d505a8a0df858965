// One block per token, or per token and split of its index list. Four warps; the heads of a rank are padded to one tile
// of 16 rows; index entries are taken 32 at a time:
//
//   1. the 32 latent rows that the entries name are copied to shared memory, `stages - 1` tiles ahead of the arithmetic;
//   2. each warp multiplies its own 128 of the 512 latent columns of q and of the rows: a quarter of each score;
//   3. the quarters are added, and the weights of a running softmax are calculated, once per score;
//   4. each warp multiplies the weights with its own 128 columns of the rows.
//
// So a warp reads only a quarter of each row, twice, and q stays in its registers.
// A row in shared memory is 64 chunks of 16 bytes; chunk c of row r lies at c ^ (r % 8), so that the eight rows a matrix
// load touches lie in different banks.
#include <cuda_bf16.h>

#include <atomic>

#include "kernels/common/device.cuh"
#include "kernels/sparse_mla/sparse_mla.h"
#include "stridelock/strengthen.h"

namespace stridelock::kernels {
namespace {

constexpr int warps = 4;
constexpr int threads = warps * 32;
constexpr int head_tile = 16;
constexpr int entry_tile = 32;
constexpr int stages = 2;
constexpr int blocks_per_processor =
    2;  // three would fit into shared memory, and spill registers: a third slower on sm_90
constexpr int warp_columns = latent_width / warps;  // of q, of the rows and of the result
constexpr int row_chunks = latent_width / 8;        // of 16 bytes
constexpr int weight_pitch = entry_tile + 8;        // keeps the rows of a matrix load in different banks

template <class IndexLayout>
struct index_set {
  view<const int, 2, IndexLayout, int> entries;  // its type says how a row is found
  const int* lengths = nullptr;
  const __nv_bfloat16* cache = nullptr;
  int slots = 0;
};

template <class IndexLayout>
struct problem {
  const __nv_bfloat16* q = nullptr;
  index_set<IndexLayout> sets[2];  // the second may have no lengths: then there is none
  __nv_bfloat16* out = nullptr;
  float* partial = nullptr;
  float2* partial_sums = nullptr;
  int heads = 0;
  int splits = 0;
  float scale = 0;  // includes log2(e): weights are powers of two
};

struct shared_tiles {
  uint4 rows[stages][entry_tile][row_chunks];
  float partial_scores[warps][head_tile][entry_tile];
  __nv_bfloat16 weights[head_tile][weight_pitch];
  float rescale[head_tile];
  int slots[stages][entry_tile];
};

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Sixteen bytes to shared memory; zeros where `size` is 0.
__device__ void copy_async(void* to, const void* from, int size) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from), "r"(size)
               : "memory");
}
__device__ void end_copy_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
// All but the last `Groups` groups have landed.
template <int Groups>
__device__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
}

__device__ void load_matrices(unsigned (&m)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
               : "r"(shared_address(row))
               : "memory");
}
__device__ void load_transposed_matrices(unsigned (&m)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
               : "r"(shared_address(row))
               : "memory");
}
__device__ void multiply_add(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Entries [begin, end) of one index list, in tiles.
struct range {
  int begin = 0;
  int end = 0;
  __device__ int tiles() const { return (end - begin + entry_tile - 1) / entry_tile; }
};

template <class IndexLayout, bool Split>
__global__ void __launch_bounds__(threads, blocks_per_processor)
    attend(const __grid_constant__ problem<IndexLayout> p) {
  extern __shared__ __align__(128) unsigned char storage[];
  shared_tiles& shared = *reinterpret_cast<shared_tiles*>(storage);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int token = static_cast<int>(Split ? blockIdx.y : blockIdx.x);
  const int split = static_cast<int>(Split ? blockIdx.x : 0);

  range ranges[2];
#pragma unroll
  for (int s = 0; s < 2; ++s) {
    if (p.sets[s].lengths == nullptr) continue;
    const int length = min(p.sets[s].lengths[token], p.sets[s].entries.extent(1));
    ranges[s].begin = Split ? min(split * split_width, length) : 0;
    ranges[s].end = max(Split ? min(ranges[s].begin + split_width, length) : length, ranges[s].begin);
  }
  const int first_tiles = ranges[0].tiles();
  const int tiles = first_tiles + ranges[1].tiles();
  if (Split && tiles == 0) return;  // the merge does not read it

  // The slot of the row that this warp copies as its row `lane % 8`; -1: none. Members are chosen one by one: an index
  // into `sets` at run time would put the parameters into local memory.
  const auto slot_of = [&](int tile) -> int {
    const bool second = tile >= first_tiles;
    const int entry = (second ? ranges[1].begin - first_tiles * entry_tile : ranges[0].begin) +
                      tile * entry_tile + warp * 8 + lane % 8;
    if (tile >= tiles || entry >= (second ? ranges[1].end : ranges[0].end)) return -1;
    const int* entries = second ? p.sets[1].entries.data : p.sets[0].entries.data;
    const long long pitch = second ? p.sets[1].entries.pitch() : p.sets[0].entries.pitch();
    const int slot = __ldg(entries + token * pitch + entry);
    return slot < (second ? p.sets[1].slots : p.sets[0].slots) ? slot : -1;
  };
  const auto copy_tile = [&](int tile, int slot) {
    const int stage = tile % stages;
    const __nv_bfloat16* cache = tile >= first_tiles ? p.sets[1].cache : p.sets[0].cache;
    if (lane < 8) shared.slots[stage][warp * 8 + lane] = slot;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int row_slot = __shfl_sync(0xffffffffu, slot, i);
      const __nv_bfloat16* from = cache + static_cast<long long>(max(row_slot, 0)) * latent_width;
      const int size = row_slot >= 0 ? 16 : 0;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int chunk = half * 32 + lane;
        copy_async(&shared.rows[stage][warp * 8 + i][chunk ^ i], from + chunk * 8, size);
      }
    }
  };

  // A group for each tile, also where there is none, so that counting groups counts tiles.
#pragma unroll
  for (int tile = 0; tile < stages - 1; ++tile) {
    if (tile < tiles) copy_tile(tile, slot_of(tile));
    end_copy_group();
  }
  int next_slot = slot_of(stages - 1);

  // q: this warp's columns, as the fragments of eight steps of 16. Not by __ldg: out may be q itself.
  unsigned q[warp_columns / 16][4];
  {
    const __nv_bfloat16* of_token = p.q + static_cast<long long>(token) * p.heads * latent_width;
    const int head = lane / 4;
    const int column = warp * warp_columns + lane % 4 * 2;
#pragma unroll
    for (int step = 0; step < warp_columns / 16; ++step) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int h = head + i % 2 * 8;
        const auto* at =
            reinterpret_cast<const unsigned*>(of_token + h * latent_width + column + step * 16 + i / 2 * 8);
        q[step][i] = h < p.heads ? *at : 0u;
      }
    }
  }

  float result[warp_columns / 8][4] = {};
  // Of the head `threadIdx.x / 8`, shared by eight lanes; the sum is over this lane's columns.
  const int my_head = static_cast<int>(threadIdx.x) / 8;
  const int my_column = static_cast<int>(threadIdx.x) % 8 * 4;
  float largest = -INFINITY;
  float sum = 0;

  for (int tile = 0; tile < tiles; ++tile) {
    const int stage = tile % stages;
    wait_for_copies<stages - 2>();
    __syncthreads();  // this tile has landed, and nobody reads the stage of the last one any more
    if (tile + stages - 1 < tiles) copy_tile(tile + stages - 1, next_slot);
    end_copy_group();
    next_slot = slot_of(tile + stages);

    float scores[entry_tile / 8][4] = {};
#pragma unroll
    for (int step = 0; step < warp_columns / 16; ++step) {
#pragma unroll
      for (int pair = 0; pair < entry_tile / 16; ++pair) {
        const int row = pair * 16 + lane / 16 * 8 + lane % 8;
        const int chunk = warp * (warp_columns / 8) + step * 2 + lane / 8 % 2;
        unsigned k[4];
        load_matrices(k, &shared.rows[stage][row][chunk ^ (lane % 8)]);
        multiply_add(scores[pair * 2], q[step], k[0], k[1]);
        multiply_add(scores[pair * 2 + 1], q[step], k[2], k[3]);
      }
    }
    // Chunks of four scores; chunk c of head h lies at c ^ (h % 4 * 2).
#pragma unroll
    for (int block = 0; block < entry_tile / 8; ++block) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int head = lane / 4 + half * 8;
        const int chunk = (block * 2 + lane % 4 / 2) ^ (head % 4 * 2);
        *reinterpret_cast<float2*>(&shared.partial_scores[warp][head][chunk * 4 + lane % 2 * 2]) =
            make_float2(scores[block][half * 2], scores[block][half * 2 + 1]);
      }
    }
    __syncthreads();

    float score[4] = {};
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      const int chunk = (my_column / 4) ^ (my_head % 4 * 2);
      const float4 part = *reinterpret_cast<const float4*>(&shared.partial_scores[w][my_head][chunk * 4]);
      score[0] += part.x;
      score[1] += part.y;
      score[2] += part.z;
      score[3] += part.w;
    }
    float tile_largest = -INFINITY;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      score[i] = shared.slots[stage][my_column + i] >= 0 ? score[i] * p.scale : -INFINITY;
      tile_largest = fmaxf(tile_largest, score[i]);
    }
#pragma unroll
    for (int step = 1; step < 8; step *= 2)
      tile_largest = fmaxf(tile_largest, __shfl_xor_sync(0xffffffffu, tile_largest, step));
    const float now_largest = fmaxf(largest, tile_largest);
    const float base = now_largest == -INFINITY ? 0 : now_largest;  // a tile may hold no entry
    const float rescale = exp2f(largest - base);
    largest = now_largest;
    sum *= rescale;
    __nv_bfloat162 weights[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      weights[i] = __floats2bfloat162_rn(exp2f(score[i * 2] - base), exp2f(score[i * 2 + 1] - base));
      sum += __low2float(weights[i]) + __high2float(weights[i]);
    }
    *reinterpret_cast<__nv_bfloat162*>(&shared.weights[my_head][my_column]) = weights[0];
    *reinterpret_cast<__nv_bfloat162*>(&shared.weights[my_head][my_column + 2]) = weights[1];
    if (my_column == 0) shared.rescale[my_head] = rescale;
    __syncthreads();

    const float rescale_low = shared.rescale[lane / 4];
    const float rescale_high = shared.rescale[lane / 4 + 8];
#pragma unroll
    for (float(&block)[4] : result) {
      block[0] *= rescale_low;
      block[1] *= rescale_low;
      block[2] *= rescale_high;
      block[3] *= rescale_high;
    }
#pragma unroll
    for (int step = 0; step < entry_tile / 16; ++step) {
      unsigned w[4];
      load_matrices(w, &shared.weights[lane % 16][step * 16 + lane / 16 * 8]);
#pragma unroll
      for (int pair = 0; pair < warp_columns / 16; ++pair) {
        const int row = step * 16 + lane % 16;
        const int chunk = warp * (warp_columns / 8) + pair * 2 + lane / 16;
        unsigned v[4];
        load_transposed_matrices(v, &shared.rows[stage][row][chunk ^ (lane % 8)]);
        multiply_add(result[pair * 2], w, v[0], v[1]);
        multiply_add(result[pair * 2 + 1], w, v[2], v[3]);
      }
    }
  }

#pragma unroll
  for (int step = 1; step < 8; step *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  const long long first_head = static_cast<long long>(Split ? token * p.splits + split : token) * p.heads;
  if (Split) {
    if (my_column == 0 && my_head < p.heads) p.partial_sums[first_head + my_head] = make_float2(largest, sum);
  } else {
    __syncthreads();  // everybody has read the last rescale
    if (my_column == 0) shared.rescale[my_head] = sum > 0 ? 1 / sum : 0;
    __syncthreads();
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int head = lane / 4 + half * 8;
    if (head >= p.heads) continue;
    const long long at = (first_head + head) * latent_width + warp * warp_columns + lane % 4 * 2;
    const float factor = Split ? 1 : shared.rescale[head];
#pragma unroll
    for (int block = 0; block < warp_columns / 8; ++block) {
      const float low = result[block][half * 2], high = result[block][half * 2 + 1];
      if (Split) {
        *reinterpret_cast<float2*>(p.partial + at + block * 8) = make_float2(low, high);
      } else {
        *reinterpret_cast<__nv_bfloat162*>(p.out + at + block * 8) =
            __floats2bfloat162_rn(low * factor, high * factor);
      }
    }
  }
}

// One block per token and head; reads the splits that hold entries and no other.
template <class IndexLayout>
__global__ void __launch_bounds__(latent_width / 4) merge(const __grid_constant__ problem<IndexLayout> p) {
  const int head = static_cast<int>(blockIdx.x);
  const int token = static_cast<int>(blockIdx.y);
  int length = 0;
#pragma unroll
  for (int s = 0; s < 2; ++s)
    if (p.sets[s].lengths != nullptr)
      length = max(length, min(p.sets[s].lengths[token], p.sets[s].entries.extent(1)));
  const int splits = (length + split_width - 1) / split_width;

  const auto row_of = [&](int split) {
    return static_cast<long long>(token * p.splits + split) * p.heads + head;
  };
  float largest = -INFINITY;
  for (int split = 0; split < splits; ++split) largest = fmaxf(largest, p.partial_sums[row_of(split)].x);
  const float base = largest == -INFINITY ? 0 : largest;
  float sum = 0;
  float4 result = make_float4(0, 0, 0, 0);
  for (int split = 0; split < splits; ++split) {
    const float2 sums = p.partial_sums[row_of(split)];
    const float weight = exp2f(sums.x - base);
    const float4 part =
        reinterpret_cast<const float4*>(p.partial + row_of(split) * latent_width)[threadIdx.x];
    sum += weight * sums.y;
    result.x += weight * part.x;
    result.y += weight * part.y;
    result.z += weight * part.z;
    result.w += weight * part.w;
  }
  const float factor = sum > 0 ? 1 / sum : 0;
  const long long at = (static_cast<long long>(token) * p.heads + head) * latent_width + threadIdx.x * 4;
  auto* out = reinterpret_cast<__nv_bfloat162*>(p.out + at);
  out[0] = __floats2bfloat162_rn(result.x * factor, result.y * factor);
  out[1] = __floats2bfloat162_rn(result.z * factor, result.w * factor);
}

template <class IndexLayout>
problem<IndexLayout> problem_of(const sparse_mla_arguments<IndexLayout>& a) {
  const auto bf16 = [](const bfloat16* p) { return reinterpret_cast<const __nv_bfloat16*>(p); };
  problem<IndexLayout> p;
  p.q = bf16(a.q.data);
  p.sets[0] = {require_index<int>(a.indices), a.lengths.data, bf16(a.cache.data),
               static_cast<int>(a.cache.extent(0))};
  if (a.extra) {
    // A dense problem has dense extra lists: its launcher has looked, or has decided not to.
    p.sets[1] = {require_index<int>(require_layout<IndexLayout>(a.extra->indices)), a.extra->lengths.data,
                 bf16(a.extra->cache.data), static_cast<int>(a.extra->cache.extent(0))};
  }
  p.out = reinterpret_cast<__nv_bfloat16*>(a.out.data);
  if (a.scratch) {
    p.partial = a.scratch->partial.data;
    p.partial_sums = reinterpret_cast<float2*>(a.scratch->partial_sums.data);
    p.splits = static_cast<int>(a.scratch->partial.extent(1));
  }
  p.heads = static_cast<int>(a.q.extent(1));
  p.scale = a.scale * 1.44269504088896340736f;
  return p;
}

template <class IndexLayout, bool Split>
void launch(dim3 grid, void* stream, const problem<IndexLayout>& p) {
  // Above 48 KiB a kernel has to ask, once on each device.
  static std::atomic<std::uint64_t> asked{0};
  int device = 0;
  throw_if_failed(cudaGetDevice(&device), "sparse_mla");
  const std::uint64_t bit = std::uint64_t{1} << (device % 64);
  if ((asked.load(std::memory_order_relaxed) & bit) == 0 || device >= 64) {
    throw_if_failed(
        cudaFuncSetAttribute(attend<IndexLayout, Split>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(sizeof(shared_tiles))),
        "sparse_mla");
    asked.fetch_or(bit, std::memory_order_relaxed);
  }
  attend<IndexLayout, Split><<<grid, threads, sizeof(shared_tiles), static_cast<cudaStream_t>(stream)>>>(p);
  throw_if_failed(cudaGetLastError(), "sparse_mla");
}

}  // namespace

template <class IndexLayout>
void device::sparse_mla_paged(void* stream, const sparse_mla_arguments<IndexLayout>& a) {
  launch<IndexLayout, false>(dim3(static_cast<unsigned>(a.q.extent(0))), stream, problem_of(a));
}

template <class IndexLayout>
void device::sparse_mla_decode(void* stream, const sparse_mla_arguments<IndexLayout>& a) {
  const problem<IndexLayout> p = problem_of(a);
  const auto tokens = static_cast<unsigned>(a.q.extent(0));
  const index_t width = a.extra && a.extra->indices.extent(1) > a.indices.extent(1)
                            ? a.extra->indices.extent(1)
                            : a.indices.extent(1);
  const auto splits = static_cast<unsigned>((width + split_width - 1) / split_width);
  if (splits > 0) launch<IndexLayout, true>(dim3(splits, tokens), stream, p);
  merge<<<dim3(static_cast<unsigned>(p.heads), tokens), latent_width / 4, 0,
          static_cast<cudaStream_t>(stream)>>>(p);
  throw_if_failed(cudaGetLastError(), "sparse_mla_decode");
}

template void device::sparse_mla_paged(void*, const sparse_mla_arguments<contiguous>&);
template void device::sparse_mla_paged(void*, const sparse_mla_arguments<row_pitched>&);
template void device::sparse_mla_decode(void*, const sparse_mla_arguments<contiguous>&);
template void device::sparse_mla_decode(void*, const sparse_mla_arguments<row_pitched>&);

}  // namespace stridelock::kernels
