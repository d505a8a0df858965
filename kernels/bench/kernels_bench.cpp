// Measures the kernels on the first CUDA device and prints tables in Markdown. Ratios are taken within one run.
//
// usage: kernels_bench [pairs]
#include <cstdio>
#include <cstdlib>
#include <random>

#include "kernels/bench/roofs.h"
#include "kernels/bench/timing.h"
#include "kernels/pack_rows/pack_rows.h"
#include "kernels/prefill_row_count/prefill_row_count.h"
#include "kernels/sparse_mla/sparse_mla.h"
#include "kernels/topk_metadata/topk_metadata.h"
#include "stridelock/check.h"

namespace stridelock::kernels::bench {
namespace {

using testing::device_memory;

template <class T>
std::vector<T> random_values(std::size_t count, const std::function<T(std::mt19937&)>& one) {
  std::mt19937 random(7);
  std::vector<T> v(count);
  for (T& x : v) x = one(random);
  return v;
}
std::vector<bfloat16> random_bfloat16(std::size_t count) {
  // One random megabyte of values, repeated: drawing gigabytes of them takes longer than the measurement.
  std::normal_distribution<float> normal;
  const auto base = random_values<bfloat16>(std::min<std::size_t>(count, 1 << 20),
                                            [&](std::mt19937& r) { return to_bfloat16(normal(r)); });
  std::vector<bfloat16> v(count);
  for (std::size_t i = 0; i < count; i += base.size())
    std::copy_n(base.begin(), std::min(base.size(), count - i), v.begin() + static_cast<std::ptrdiff_t>(i));
  return v;
}
std::vector<std::int32_t> random_slots(std::size_t count, index_t slots) {
  return random_values<std::int32_t>(
      count, [&](std::mt19937& r) { return static_cast<std::int32_t>(r() % static_cast<unsigned>(slots)); });
}

struct setup {
  index_t tokens, heads, capacity, slots, scratch_splits;
  device_memory<bfloat16> q, cache, out;
  device_memory<std::int32_t> indices, dense, lengths;
  device_memory<float> partial, partial_sums;

  setup(index_t t, index_t h, index_t c, index_t s, index_t length, index_t scratch_width)
      : tokens(t),
        heads(h),
        capacity(c),
        slots(s),
        scratch_splits(scratch_width / split_width),
        q(random_bfloat16(static_cast<std::size_t>(t * h * latent_width))),
        cache(random_bfloat16(static_cast<std::size_t>(s * latent_width))),
        out(static_cast<std::size_t>(t * h * latent_width)),
        indices(random_slots(static_cast<std::size_t>(t * c), s)),
        dense(static_cast<std::size_t>(t * c)),
        lengths(std::vector<std::int32_t>(static_cast<std::size_t>(t), static_cast<std::int32_t>(length))),
        partial(static_cast<std::size_t>(t * scratch_splits * h * latent_width)),
        partial_sums(static_cast<std::size_t>(t * scratch_splits * h * 2)) {}

  view<const std::int32_t, 2, row_pitched> columns(index_t width) const {
    return {indices.data(), {{tokens, width}, capacity}};
  }
  template <class L>
  sparse_mla_arguments<L> arguments(const view<const std::int32_t, 2, L>& rows) const {
    sparse_mla_arguments<L> a;
    a.q = {q.data(), {{tokens, heads, latent_width}}};
    a.cache = {cache.data(), {{slots, latent_width}}};
    a.indices = rows;
    a.lengths = {lengths.data(), {{tokens}}};
    a.out = {out.data(), {{tokens, heads, latent_width}}};
    a.scale = 0.044f;
    const index_t splits = (rows.extent(1) + split_width - 1) / split_width;
    // The paged kernels take none; a view of more than there is would be refused.
    if (splits > scratch_splits) return a;
    a.scratch = split_scratch{{partial.data(), {{tokens, splits, heads, latent_width}}},
                              {partial_sums.data(), {{tokens, splits, heads, 2}}}};
    return a;
  }
};

void print_ratio(const char* what, const ratio& r) {
  std::printf("| %s | %.2f | %.2f | %.5f | %.5f to %.5f |\n", what, r.a, r.b, r.value, r.low, r.high);
}

struct bandwidth {
  double copied = 0, read = 0;  // TB/s; a copy counts bytes read and written
};
bandwidth measure_bandwidth(cudaStream_t stream, int processors) {
  constexpr std::size_t bytes = std::size_t{2} << 30;
  device_memory<bfloat16> from(random_bfloat16(bytes / 2)), to(bytes / 2);
  device_memory<float> scratch(256);
  const auto us = interleaved(stream,
                              {[&] { run_copy(stream, to.data(), from.data(), bytes, processors); },
                               [&] { run_read(stream, scratch.data(), from.data(), bytes, processors); }},
                              20, 1);
  return {2.0 * bytes / us[0] * 1e-6, 1.0 * bytes / us[1] * 1e-6};
}

double measure_mma(cudaStream_t stream, int processors) {
  device_memory<float> scratch(256);
  double operations = 0;
  const double us = interleaved(
      stream, {[&] { operations = run_matrix_rate(stream, scratch.data(), processors * 4, 20000); }}, 20,
      1)[0];
  return operations / us * 1e-6;  // TFLOP/s
}

// ---- the pitch and the roofs ---------------------------------------------------------------------------------------

void pitch_against_dense(cudaStream_t stream, int pairs, const bandwidth& memory, double mma_rate) {
  const queue to = queue::cuda(stream);
  constexpr index_t tokens = 512, width = 2048, capacity = 8192, slots = index_t{2} << 20;
  std::printf("\n### Paged kernel: true pitch against dense rows only (%lld tokens, 2048 entries each)\n\n",
              static_cast<long long>(tokens));
  std::printf(
      "| second over first | first, us | second, us | ratio | 95 %% interval |\n|---|---|---|---|---|\n");
  std::string roofs;
  for (const index_t heads : {8, 16}) {
    const setup s(tokens, heads, capacity, slots, width, split_width);
    const view<std::int32_t, 2> packed{s.dense.data(), {{tokens, width}}};
    pack_rows(to, {s.columns(width), packed});
    const auto dense = s.arguments<contiguous>(packed);
    const auto pitched_same = s.arguments<row_pitched>(packed);
    const auto pitched = s.arguments<row_pitched>(s.columns(width));
    const work a = [&] { sparse_mla_paged_dense(to, dense); };
    const work b = [&] { sparse_mla_paged(to, pitched_same); };
    const work c = [&] { sparse_mla_paged(to, pitched); };
    const std::string h = std::to_string(heads) + " heads: ";
    print_ratio((h + "dense over dense (A/A)").c_str(), abba(stream, a, a, pairs));
    const ratio main = abba(stream, a, b, pairs);
    print_ratio((h + "pitch-aware over dense, same memory").c_str(), main);
    print_ratio((h + "pitch-aware, rows 8192 apart, over dense").c_str(), abba(stream, a, c, pairs));

    const double entries = static_cast<double>(tokens) * width;
    const double bytes = entries * (latent_width * 2 + 4) + 2.0 * tokens * heads * latent_width * 2;
    const double useful = entries * static_cast<double>(heads) * latent_width * 4;
    const double done = entries * 16 * latent_width * 4;
    char line[256];
    std::snprintf(line, sizeof line, "| %lld | %.1f | %.2f | %.0f %% | %.0f %% | %.0f | %.0f | %.0f %% |\n",
                  static_cast<long long>(heads), main.b, bytes / main.b * 1e-6,
                  100 * bytes / main.b * 1e-6 / memory.copied, 100 * bytes / main.b * 1e-6 / memory.read,
                  useful / main.b * 1e-6, done / main.b * 1e-6, 100 * done / main.b * 1e-6 / mma_rate);
    roofs += line;
  }
  std::printf(
      "\n### Paged kernel against both roofs\n\nCopying moves %.2f TB/s (bytes read and written), reading "
      "%.2f TB/s, "
      "mma.sync does %.0f TFLOP/s, all measured in this run.\n\n",
      memory.copied, memory.read, mma_rate);
  std::printf(
      "| heads | us | TB/s | of copying | of reading | useful TFLOP/s | with padded heads | of mma.sync |\n"
      "|---|---|---|---|---|---|---|---|\n%s",
      roofs.c_str());
}

// ---- what adaptive width saves -------------------------------------------------------------------------------------

struct metadata_setup {
  index_t decodes, prefills, capacity = 8192;
  device_memory<std::int64_t> decode_positions, slots, prefill_positions;
  device_memory<std::int32_t> requests, table, decode, lengths, prefill;

  metadata_setup(index_t d, index_t p)
      : decodes(d),
        prefills(p),
        decode_positions(std::vector<std::int64_t>(static_cast<std::size_t>(d), 200 * 128)),
        slots(std::vector<std::int64_t>(static_cast<std::size_t>(d), 1)),
        prefill_positions(std::vector<std::int64_t>(static_cast<std::size_t>(p), 200 * 128)),
        requests(std::vector<std::int32_t>(static_cast<std::size_t>(d), 0)),
        table(random_slots(8192 / 2, 1000)),
        decode(static_cast<std::size_t>(d * 8192)),
        lengths(static_cast<std::size_t>(d)),
        prefill(static_cast<std::size_t>(p * 8192)) {}

  topk_metadata_arguments arguments(index_t width) const {
    topk_metadata_arguments a;
    a.decode_positions = {decode_positions.data(), {{decodes}}};
    a.decode_requests = {requests.data(), {{decodes}}};
    a.decode_slots = {slots.data(), {{decodes}}};
    a.prefill_positions = {prefill_positions.data(), {{prefills}}};
    a.block_table = {table.data(), {{1, 8192 / 2}, 8192 / 2}};
    a.decode_indices = {decode.data(), {{decodes, width}, capacity}};
    a.decode_lengths = {lengths.data(), {{decodes}}};
    a.prefill_indices = {prefill.data(), {{prefills, width}, capacity}};
    a.max_position = 200 * 128;
    a.block_size = 2;
    return a;
  }
};

void print_widths(const char* what, const std::vector<double>& us) {
  std::printf("| %s | %.2f us | %.2f us | %.2f |\n", what, us[0], us[1], us[1] / us[0]);
}

void widths(cudaStream_t stream) {
  const queue to = queue::cuda(stream);
  std::printf(
      "\n### What width costs at equal lengths (200 entries per row)\n\n| part | 256 columns | 8192 columns "
      "| "
      "ratio |\n|---|---|---|---|\n");
  for (const index_t prefills : {index_t{0}, index_t{512}, index_t{4096}}) {
    const metadata_setup m(64, prefills);
    const auto narrow = m.arguments(256), wide = m.arguments(8192);
    const std::string what = "topk_metadata, 64 decode and " + std::to_string(prefills) + " prefill tokens";
    print_widths(
        what.c_str(),
        interleaved(stream, {[&] { topk_metadata(to, narrow); }, [&] { topk_metadata(to, wide); }}, 100, 20));
    if (prefills == 0) continue;
    device_memory<std::int32_t> counts(static_cast<std::size_t>(prefills));
    const auto count = [&](index_t width) {
      prefill_row_count(to, {{m.prefill.data(), {{prefills, width}, 8192}}, {counts.data(), {{prefills}}}});
    };
    print_widths(("prefill_row_count, " + std::to_string(prefills) + " rows").c_str(),
                 interleaved(stream, {[&] { count(256); }, [&] { count(8192); }}, 100, 20));
  }
  for (const index_t tokens : {index_t{6}, index_t{60}}) {
    for (const index_t length : {index_t{200}, index_t{0}}) {
      const setup s(tokens, 16, 8192, 1 << 17, length, 8192);
      const auto narrow = s.arguments(s.columns(256)), wide = s.arguments(s.columns(8192));
      print_widths(
          ("sparse_mla_decode, splits and merge, " + std::to_string(tokens) + " tokens, " +
           std::to_string(length) + " entries")
              .c_str(),
          interleaved(stream, {[&] { sparse_mla_decode(to, narrow); }, [&] { sparse_mla_decode(to, wide); }},
                      100, 20));
    }
  }
  const setup s(512, 16, 8192, 1 << 17, 200, 64);
  const auto narrow = s.arguments(s.columns(256)), wide = s.arguments(s.columns(8192));
  print_widths(
      "sparse_mla_paged, 512 tokens, bounded by lengths",
      interleaved(stream, {[&] { sparse_mla_paged(to, narrow); }, [&] { sparse_mla_paged(to, wide); }}, 100,
                  10));
  std::printf(
      "| scratch of sparse_mla_decode, 64 tokens, 16 heads | %.1f MB | %.1f MB | %.0f |\n",
      static_cast<double>(scratch_bytes(64, 16, 256)) * 1e-6,
      static_cast<double>(scratch_bytes(64, 16, 8192)) * 1e-6,
      static_cast<double>(scratch_bytes(64, 16, 8192)) / static_cast<double>(scratch_bytes(64, 16, 256)));
}

// ---- copies, and checked launches ----------------------------------------------------------------------------------

void copies(cudaStream_t stream) {
  const queue to = queue::cuda(stream);
  std::printf(
      "\n### What a packing copy costs per step (66 rows of 256 columns, 16 heads, 200 entries)\n\n"
      "| captured step | us |\n|---|---|\n");
  const setup s(66, 16, 8192, 1 << 17, 200, 64);
  const view<std::int32_t, 2> packed{s.dense.data(), {{66, 256}}};
  const auto pitched = s.arguments(s.columns(256));
  const auto dense = s.arguments<contiguous>(packed);
  const auto allocated_copy = [&] {
    void* temporary = nullptr;
    cuda(cudaMallocAsync(&temporary, 66 * 256 * 4, stream));
    cuda(cudaMemcpy2DAsync(temporary, 256 * 4, s.indices.data(), 8192 * 4, 256 * 4, 66,
                           cudaMemcpyDeviceToDevice, stream));
    auto a = dense;
    a.indices.data = static_cast<const std::int32_t*>(temporary);
    sparse_mla_paged_dense(to, a);
    cuda(cudaFreeAsync(temporary, stream));
  };
  const auto us = interleaved(stream,
                              {[&] { sparse_mla_paged(to, pitched); },
                               [&] {
                                 pack_rows(to, {s.columns(256), packed});
                                 sparse_mla_paged_dense(to, dense);
                               },
                               [&] { pack_rows(to, {s.columns(256), packed}); }, allocated_copy},
                              100, 10);
  const char* names[] = {"pitch-aware kernel", "pack_rows, then the dense kernel", "pack_rows alone",
                         "allocate, copy, dense kernel, free: nodes of the graph"};
  for (int i = 0; i < 4; ++i) std::printf("| %s | %.2f |\n", names[i], us[static_cast<std::size_t>(i)]);
}

void checked_launches(cudaStream_t stream) {
  const queue to = queue::cuda(stream);
  std::printf(
      "\n### Host time of a launch, with its contract and without\n\n| launcher | checked, ns | raw, ns | "
      "ratio |\n|---|---|---|---|\n");
  const work synchronise = [&] { cuda(cudaStreamSynchronize(stream)); };
  const auto row = [&](const char* what, const work& checked, const work& raw) {
    const double c = host_nanoseconds(checked, 300, 15, synchronise);
    const double r = host_nanoseconds(raw, 300, 15, synchronise);
    std::printf("| %s | %.0f | %.0f | %.2f |\n", what, c, r, c / r);
  };
  const setup s(66, 16, 1024, 1 << 12, 16, 64);
  const view<std::int32_t, 2> packed{s.dense.data(), {{66, 256}}};
  const pack_rows_arguments pack{s.columns(256), packed};
  row("pack_rows, 2 tensors", [&] { pack_rows(to, pack); }, [&] { device::pack_rows(stream, pack); });
  const auto attention = s.arguments(s.columns(256));
  row(
      "sparse_mla_paged, 7 tensors", [&] { sparse_mla_paged(to, attention); },
      [&] { device::sparse_mla_paged(stream, attention); });
  const metadata_setup m(66, 66);
  const auto metadata = m.arguments(256);
  row(
      "topk_metadata, 8 tensors", [&] { topk_metadata(to, metadata); },
      [&] { device::topk_metadata(stream, metadata); });
}

int run(int pairs) {
  if (!testing::has_device()) {
    std::puts("kernels_bench: no CUDA device");
    return 77;
  }
  cudaDeviceProp properties{};
  cuda(cudaGetDeviceProperties(&properties, 0));
  int driver = 0, runtime = 0;
  cuda(cudaDriverGetVersion(&driver));
  cuda(cudaRuntimeGetVersion(&runtime));
  std::printf("%s, %d multiprocessors, CUDA driver %d, runtime %d, %d pairs\n", properties.name,
              properties.multiProcessorCount, driver, runtime, pairs);
  cudaStream_t stream = nullptr;
  cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const bandwidth memory = measure_bandwidth(stream, properties.multiProcessorCount);
  const double mma_rate = measure_mma(stream, properties.multiProcessorCount);
  pitch_against_dense(stream, pairs, memory, mma_rate);
  widths(stream);
  copies(stream);
  checked_launches(stream);
  cuda(cudaDeviceSynchronize());
  return 0;
}

}  // namespace
}  // namespace stridelock::kernels::bench

int main(int argc, char** argv) {
  return stridelock::kernels::bench::run(argc > 1 ? std::atoi(argv[1]) : 300);
}
