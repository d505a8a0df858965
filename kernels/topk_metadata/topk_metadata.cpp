#include "kernels/topk_metadata/topk_metadata.h"

#include <algorithm>
#include <limits>

#include "kernels/common/admit.h"
#include "stridelock/check.h"

namespace stridelock::kernels {
namespace {

// Entries of a token at `position` in a row of `width`. Unsigned, so that the last position can be counted too.
index_t entries_of(std::int64_t position, std::int32_t ratio, index_t width) {
  if (position < 0) return 0;
  const std::uint64_t count = (static_cast<std::uint64_t>(position) + 1) / static_cast<std::uint64_t>(ratio);
  return static_cast<index_t>(std::min(count, static_cast<std::uint64_t>(width)));
}

std::int32_t entry_in(std::int32_t block, std::int32_t block_size, index_t i) {
  const std::int64_t entry = std::int64_t{block} * block_size + i % block_size;
  const auto narrow = static_cast<std::int32_t>(entry);
  return narrow == entry ? narrow : -1;
}

}  // namespace

void topk_metadata(const queue& to, const topk_metadata_arguments& a) {
  const bool has_tokens = a.decode_positions.size() > 0 || a.prefill_positions.size() > 0;
  const std::int64_t max_position = has_tokens ? a.max_position : 0;
  const bool sane = a.ratio >= 1 && a.block_size >= 1 && has_tokens;
  const index_t entries = sane ? entries_of(max_position, a.ratio, std::numeric_limits<index_t>::max()) : 0;
  const index_t blocks = sane && a.decode_positions.size() > 0
                             ? entries / a.block_size + (entries % a.block_size != 0 ? 1 : 0)
                             : 0;
  const parameter_value sizes[] = {{"max_position", max_position},
                                   {"entries", entries},
                                   {"blocks", blocks},
                                   {"block_size", a.block_size},
                                   {"ratio", a.ratio}};
  evaluation_context context;
  context.parameters = sizes;
  context.parameter_count = 5;
  if (!admit(check_in<topk_metadata_contract>(context, a.decode_positions, a.decode_requests, a.decode_slots,
                                              a.prefill_positions, a.block_table, a.decode_indices,
                                              a.decode_lengths, a.prefill_indices)) ||
      !has_tokens) {
    return;
  }
  if (to.is_host()) {
    to.run_on_host([a] { host::topk_metadata(a); });
  } else {
    device::topk_metadata(to.stream(), a);
  }
}

void host::topk_metadata(const topk_metadata_arguments& a) {
  for (index_t row = 0; row < a.decode_positions.extent(0); ++row) {
    const index_t width = a.decode_indices.extent(1);
    const index_t count = entries_of(a.decode_positions(row), a.ratio, width);
    const std::int32_t request = a.decode_requests(row);
    const bool known = request >= 0 && request < a.block_table.extent(0);
    for (index_t i = 0; i < width; ++i) {
      const index_t block = i / a.block_size;
      const bool held = i < count && known && block < a.block_table.extent(1);
      a.decode_indices(row, i) = held ? entry_in(a.block_table(request, block), a.block_size, i) : -1;
    }
    a.decode_lengths(row) = a.decode_slots(row) < 0 ? 0 : static_cast<std::int32_t>(count);
  }
  for (index_t row = 0; row < a.prefill_positions.extent(0); ++row) {
    const index_t width = a.prefill_indices.extent(1);
    const index_t count = entries_of(a.prefill_positions(row), a.ratio, width);
    for (index_t i = 0; i < width; ++i)
      a.prefill_indices(row, i) = i < count ? static_cast<std::int32_t>(i) : -1;
  }
}

}  // namespace stridelock::kernels
