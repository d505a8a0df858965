#include "engine/engine.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <stdexcept>

#include "kernels/pack_rows/pack_rows.h"
#include "kernels/prefill_row_count/prefill_row_count.h"
#include "stridelock/capture_guard.h"
#include "stridelock/message.h"

namespace sparse_mla_engine {

using namespace stridelock;
using kernels::bfloat16;
using kernels::latent_width;

namespace {

std::vector<bfloat16> random_values(index_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<bfloat16> v(static_cast<std::size_t>(count));
  for (bfloat16& x : v) x = kernels::to_bfloat16(normal(random));
  return v;
}

float scale() {
  return 1.0f / std::sqrt(static_cast<float>(latent_width));
}

index_t splits_of(index_t width) {
  return (width + kernels::split_width - 1) / kernels::split_width;
}

}  // namespace

engine::engine(machine& on, const engine_options& options)
    : machine_(on),
      options_(options),
      builder_(on, registry_, options.max_rows, options.capacity),
      host_q_(random_values(options.max_rows * options.heads * latent_width, 1)),
      host_cache_(random_values(slots_of_demonstrations * latent_width, 2)),
      q_(make_buffer<bfloat16>(on, registry_, "q", options.max_rows, options.heads, index_t{latent_width})),
      out_(make_buffer<bfloat16>(on, registry_, "out", options.max_rows, options.heads,
                                 index_t{latent_width})),
      cache_(
          make_buffer<bfloat16>(on, registry_, "kv_cache", slots_of_demonstrations, index_t{latent_width})),
      partial_(make_buffer<float>(
          on, registry_, "split_partial",
          kernels::decode_max_tokens * splits_of(options.capacity) * options.heads * latent_width)),
      partial_sums_(
          make_buffer<float>(on, registry_, "split_sums",
                             kernels::decode_max_tokens * splits_of(options.capacity) * options.heads * 2)),
      prefill_counts_(make_buffer<std::int32_t>(on, registry_, "prefill_counts", options.max_rows)) {
  upload(machine_, q_.full().data, host_q_);
  upload(machine_, cache_.full().data, host_cache_);
}

engine::~engine() {
  for (auto& [key, graph] : graphs_) machine_.destroy(graph.executable);
}

kernels::sparse_mla_arguments<row_pitched> engine::arguments(const metadata& m) const {
  const index_t rows = m.decode.extent(0);
  kernels::sparse_mla_arguments<row_pitched> a;
  a.q = q_.full().first_rows(rows);
  a.cache = cache_.full();
  a.indices = m.decode;
  a.lengths = m.lengths;
  a.out = out_.full().first_rows(rows);
  a.scale = scale();
  if (rows <= kernels::decode_max_tokens) {
    const index_t splits = splits_of(m.decode.extent(1));
    a.scratch = kernels::split_scratch{{partial_.full().data, {{rows, splits, options_.heads, latent_width}}},
                                       {partial_sums_.full().data, {{rows, splits, options_.heads, 2}}}};
  }
  return a;
}

// The part of a step that is captured. This thread's capture guard, if there is one, hears of every boundary.
void engine::launch_all(const step& s, const metadata& m) {
  const index_t rows = s.rows();
  auto a = arguments(m);
  tensor_desc indices_from = m.decode_from;
  capture_guard* const guard = capture_guard::current();

  if (options_.rows == policy::copy_in_capture) {  // indices.contiguous()
    const index_t width = m.decode.extent(1);
    auto* const copy =
        static_cast<std::int32_t*>(machine_.allocate_in_capture(static_cast<std::size_t>(rows * width) * 4));
    kernels::pack_rows(machine_.queue(), {m.decode, {copy, {{rows, width}}}});
    a.indices = view<const std::int32_t, 2>{copy, {{rows, width}}};
    indices_from =
        tensor_desc::dense("indices.contiguous()", types::int32, {rows, width}, machine_.where(), copy);
  }

  if (guard != nullptr) {
    const device where = machine_.where();
    const auto q = describe(a.q, where), out = describe(a.out, where);
    const auto cache = describe(a.cache, where);
    described_view<4> partial, sums;
    if (a.scratch) {
      partial = describe(a.scratch->partial, where);
      sums = describe(a.scratch->partial_sums, where);
    }
    const argument_value values[] = {argument_value(q.ref()),
                                     argument_value(cache.ref()),
                                     argument_value(indices_from.ref()),
                                     argument_value(m.lengths_from.ref()),
                                     {},
                                     {},
                                     {},
                                     argument_value(out.ref()),
                                     a.scratch ? argument_value(partial.ref()) : argument_value(),
                                     a.scratch ? argument_value(sums.ref()) : argument_value()};
    guard->boundary(contract_of(library_of(options_.rows)), values, 10).scalar("scale", a.scale);
  }
  attend(machine_.queue(), library_of(options_.rows), options_.on, a);
}

// Not captured: its width changes from step to step, and it reads whole rows.
void engine::count_prefill_rows(const metadata& m) {
  const view<std::int32_t, 1> counts = prefill_counts_.full().first_rows(m.prefill.extent(0));
  if (options_.watch) {
    const auto d = describe(counts, machine_.where());
    require<kernels::prefill_row_count_contract>(m.prefill_from, d.ref());
  }
  kernels::prefill_row_count(machine_.queue(), {m.prefill, counts});
}

captured_step engine::capture(const step& s, const metadata& m) {
  const std::string graph_name = "decode[rows=" + std::to_string(s.rows()) + "]";
  captured_step result;
  if (options_.watch) {
    capture_guard guard(machine_.capture(), machine_.stream(), graph_name, capture_mode::thread_local_,
                        registry_);
    launch_all(s, m);
    captured_graph captured = guard.finish();
    if (!captured.ok()) throw std::runtime_error(text(captured.fault()));
    result.book = captured.take_ledger();
    result.indices = result.book.expectation_of("sparse_mla", "indices");
    result.lengths = result.book.expectation_of("sparse_mla", "lengths");
    result.executable = machine_.instantiate(captured.release());
    return result;
  }
  const capture_backend& backend = machine_.capture();
  void* graph = nullptr;
  if (backend.begin(backend.self, machine_.stream(), capture_mode::thread_local_) != capture_code::success)
    throw std::runtime_error("the capture did not begin");
  try {
    launch_all(s, m);
  } catch (...) {
    backend.end(backend.self, machine_.stream(), &graph);
    if (graph != nullptr) backend.destroy_graph(backend.self, graph);
    backend.last_error(backend.self, true);
    throw;
  }
  if (backend.end(backend.self, machine_.stream(), &graph) != capture_code::success)
    throw std::runtime_error("the capture was invalidated");
  result.executable = machine_.instantiate(graph);
  return result;
}

std::string engine::drift(const captured_step& graph, const metadata& m) const {
  if (!graph.book.owners_current()) return text(graph.book.verify_owners());
  for (const auto& [argument, now] :
       {std::pair{"indices", &m.decode_from}, std::pair{"lengths", &m.lengths_from}}) {
    const drift_report r = graph.book.expect("sparse_mla", argument, *now);
    if (!r.ok()) return text(r);
  }
  return "an argument is not as it was captured";
}

std::pair<index_t, index_t> engine::key_of(const metadata& m) const {
  return {m.decode.extent(0), options_.width_in_key ? m.decode.extent(1) : 0};
}

const captured_step* engine::graph_of(const metadata& m) const {
  const auto found = graphs_.find(key_of(m));
  return found == graphs_.end() ? nullptr : &found->second;
}

step_result engine::run(const step& s) {
  const scoped_capability pretend(options_.on);
  const metadata m = builder_.build(s, options_.rows, options_.on);
  step_result result;
  result.width = m.width;

  auto found = graphs_.find(key_of(m));
  if (found == graphs_.end()) {
    try {
      found = graphs_.emplace(key_of(m), capture(s, m)).first;
      result.captured = true;
    } catch (const std::exception& error) {
      result.what = options_.watch ? outcome::refused_at_capture : outcome::died;
      result.message = error.what();
      return result;
    }
  } else if (options_.watch && !found->second.current(m)) {
    result.message = drift(found->second, m);
    result.what = outcome::refused_at_replay;
    return result;
  }
  machine_.launch(found->second.executable);
  count_prefill_rows(m);
  result.out = download(machine_, out_.full().data, s.rows() * options_.heads * latent_width);
  result.prefill_counts = download(machine_, prefill_counts_.full().data, m.prefill.extent(0));
  return result;
}

std::vector<bfloat16> engine::reference(const step& s) const {
  index_t longest = 1;
  for (const std::int64_t position : s.positions) longest = std::max(longest, s.entries(position));
  std::vector<std::int32_t> indices(static_cast<std::size_t>(s.rows() * longest), -1), lengths;
  for (index_t row = 0; row < s.rows(); ++row) {
    const index_t entries = s.entries(s.positions[static_cast<std::size_t>(row)]);
    for (index_t i = 0; i < entries; ++i)
      indices[static_cast<std::size_t>(row * longest + i)] = s.slot(row, i);
    lengths.push_back(static_cast<std::int32_t>(entries));
  }
  std::vector<bfloat16> out(static_cast<std::size_t>(s.rows() * options_.heads * latent_width));
  kernels::sparse_mla_arguments<row_pitched> a;
  a.q = {host_q_.data(), {{s.rows(), options_.heads, latent_width}}};
  a.cache = {host_cache_.data(), {{slots_of_demonstrations, latent_width}}};
  a.indices = {indices.data(), {{s.rows(), longest}, longest}};
  a.lengths = {lengths.data(), {{s.rows()}}};
  a.out = {out.data(), {{s.rows(), options_.heads, latent_width}}};
  a.scale = scale();
  kernels::host::sparse_mla(a);
  return out;
}

row_errors compare(const std::vector<bfloat16>& got, const std::vector<bfloat16>& needed, index_t rows) {
  row_errors errors;
  const std::size_t width = needed.size() / static_cast<std::size_t>(rows);
  for (index_t row = rows; row-- > 0;) {
    double difference = 0, size = 0;
    for (std::size_t i = static_cast<std::size_t>(row) * width;
         i < (static_cast<std::size_t>(row) + 1) * width; ++i) {
      const double d = double{kernels::to_float(got[i])} - double{kernels::to_float(needed[i])};
      difference += d * d;
      size += double{kernels::to_float(needed[i])} * double{kernels::to_float(needed[i])};
    }
    if (std::sqrt(difference) < 1e-2 * std::sqrt(size)) continue;  // false for NaN
    ++errors.wrong;
    errors.first = row;
  }
  return errors;
}

}  // namespace sparse_mla_engine
