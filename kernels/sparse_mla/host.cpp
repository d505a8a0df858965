// The host reference: the definition in sparse_mla.h, in double.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/sparse_mla/sparse_mla.h"

namespace stridelock::kernels {
namespace {

void append_slots(const view<const bfloat16, 2>& cache,
                  const view<const std::int32_t, 2, row_pitched>& indices, index_t length, index_t token,
                  std::vector<const bfloat16*>& slots) {
  const index_t count = std::min(length, indices.extent(1));
  for (index_t i = 0; i < count; ++i) {
    const std::int32_t slot = indices(token, i);
    if (slot >= 0 && slot < cache.extent(0)) slots.push_back(&cache(slot, 0));
  }
}

void attend(const bfloat16* q, const std::vector<const bfloat16*>& slots, double scale, bfloat16* out) {
  std::vector<double> weights(slots.size());
  double largest = -INFINITY;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    double score = 0;
    for (int d = 0; d < latent_width; ++d) score += double{to_float(q[d])} * double{to_float(slots[i][d])};
    weights[i] = score * scale;
    largest = std::max(largest, weights[i]);
  }
  double sum = 0;
  std::vector<double> result(latent_width, 0.0);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    weights[i] = std::exp(weights[i] - largest);
    sum += weights[i];
    for (int d = 0; d < latent_width; ++d) result[d] += weights[i] * double{to_float(slots[i][d])};
  }
  for (int d = 0; d < latent_width; ++d)
    out[d] = to_bfloat16(slots.empty() ? 0.0f : static_cast<float>(result[d] / sum));
}

}  // namespace

void host::sparse_mla(const sparse_mla_arguments<row_pitched>& a) {
  for (index_t token = 0; token < a.q.extent(0); ++token) {
    std::vector<const bfloat16*> slots;
    append_slots(a.cache, a.indices, a.lengths(token), token, slots);
    if (a.extra) append_slots(a.extra->cache, a.extra->indices, a.extra->lengths(token), token, slots);
    for (index_t head = 0; head < a.q.extent(1); ++head)
      attend(&a.q(token, head, 0), slots, a.scale, &a.out(token, head, 0));
  }
}

}  // namespace stridelock::kernels
