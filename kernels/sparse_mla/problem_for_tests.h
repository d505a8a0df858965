// problem_for_tests.h: fresh random inputs of one attention call, on the host.
#pragma once

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/sparse_mla/sparse_mla.h"

namespace stridelock::kernels::testing {

struct problem_sizes {
  index_t tokens = 2;
  index_t heads = 8;
  index_t width = 256;     // of the view of the index lists
  index_t capacity = 256;  // of the buffer it is cut from
  index_t slots = 1000;
  index_t extra_width = 0;  // 0: no second set
};

// Some entries are -1, some rows are empty; columns beyond a row's length name valid slots, so that a kernel that reads
// them is wrong and not merely lucky.
struct host_problem {
  problem_sizes sizes;
  std::vector<bfloat16> q, cache, extra_cache, out;
  std::vector<std::int32_t> indices, lengths, extra_indices, extra_lengths;
  std::vector<float> partial, partial_sums;

  host_problem(const problem_sizes& s, unsigned seed) : sizes(s) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    const auto values = [&](index_t count, float factor) {
      std::vector<bfloat16> v(static_cast<std::size_t>(count));
      for (bfloat16& x : v) x = to_bfloat16(factor * normal(random));
      return v;
    };
    const auto lists = [&](index_t capacity, index_t width, std::vector<std::int32_t>& of_lengths) {
      std::vector<std::int32_t> v(static_cast<std::size_t>(s.tokens * capacity));
      for (std::int32_t& x : v)
        x = random() % 16 == 0 ? -1 : static_cast<std::int32_t>(random() % static_cast<unsigned>(s.slots));
      of_lengths.resize(static_cast<std::size_t>(s.tokens));
      for (std::int32_t& n : of_lengths)
        n = random() % 8 == 0 ? 0 : static_cast<std::int32_t>(random() % static_cast<unsigned>(width + 1));
      return v;
    };
    q = values(s.tokens * s.heads * latent_width, 1);
    cache = values(s.slots * latent_width, 1);
    indices = lists(s.capacity, s.width, lengths);
    if (s.extra_width > 0) {
      extra_cache = values(s.slots * latent_width, 1);
      extra_indices = lists(s.extra_width, s.extra_width, extra_lengths);
    }
    lengths[0] = static_cast<std::int32_t>(s.width);  // one full row, always
    out.assign(q.size(), bfloat16{0x7fc1});           // NaN until it is written
    const index_t splits = (std::max(s.width, s.extra_width) + split_width - 1) / split_width;
    partial.assign(static_cast<std::size_t>(s.tokens * splits * s.heads * latent_width), NAN);
    partial_sums.assign(static_cast<std::size_t>(s.tokens * splits * s.heads * 2), NAN);
  }

  float scale() const { return 1.0f / std::sqrt(static_cast<float>(latent_width)); }
  index_t splits() const {
    return (std::max(sizes.width, sizes.extra_width) + split_width - 1) / split_width;
  }

  // Views of these vectors, or of device memory of the same sizes.
  struct addresses {
    const bfloat16 *q, *cache, *extra_cache;
    const std::int32_t *indices, *lengths, *extra_indices, *extra_lengths;
    bfloat16* out;
    float *partial, *partial_sums;
  };
  addresses here() {
    return {q.data(),       cache.data(),         extra_cache.data(),   indices.data(),
            lengths.data(), extra_indices.data(), extra_lengths.data(), out.data(),
            partial.data(), partial_sums.data()};
  }
  sparse_mla_arguments<row_pitched> arguments(const addresses& at) const {
    sparse_mla_arguments<row_pitched> a;
    a.q = {at.q, {{sizes.tokens, sizes.heads, latent_width}}};
    a.cache = {at.cache, {{sizes.slots, latent_width}}};
    a.indices = {at.indices, {{sizes.tokens, sizes.width}, sizes.capacity}};
    a.lengths = {at.lengths, {{sizes.tokens}}};
    if (sizes.extra_width > 0) {
      a.extra = extra_slots{{at.extra_cache, {{sizes.slots, latent_width}}},
                            {at.extra_indices, {{sizes.tokens, sizes.extra_width}, sizes.extra_width}},
                            {at.extra_lengths, {{sizes.tokens}}}};
    }
    a.out = {at.out, {{sizes.tokens, sizes.heads, latent_width}}};
    a.scale = scale();
    a.scratch = split_scratch{{at.partial, {{sizes.tokens, splits(), sizes.heads, latent_width}}},
                              {at.partial_sums, {{sizes.tokens, splits(), sizes.heads, 2}}}};
    return a;
  }
  sparse_mla_arguments<row_pitched> arguments() { return arguments(here()); }
};

// |a - b| / |b|; NaN where a value is not a number.
inline double relative_error(const std::vector<bfloat16>& a, const std::vector<bfloat16>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = double{to_float(a[i])} - double{to_float(b[i])};
    difference += d * d;
    size += double{to_float(b[i])} * double{to_float(b[i])};
  }
  return std::sqrt(difference / (size > 0 ? size : 1));
}

}  // namespace stridelock::kernels::testing
