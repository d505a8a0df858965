// topk_metadata: index lists of a compressed sparse attention, for all tokens of a step in one launch.
//
// One entry stands for `ratio` positions. A token at position p has n = (p + 1) / ratio entries.
//   decode token:   entry i is block_table(request, i / block_size) * block_size + i % block_size; its length is n, or 0
//                   where its slot mapping is negative (a padded row).
//   prefill token:  entry i is i.
// Entries from n to the width of the view are -1; a row is written also when its length is 0.
//
// Promises:  writes rows by the pitch of the views and nothing outside them: columns beyond the width keep what they
//            held. A width, or a block table, that is too small for max_position is refused: the kernel would truncate the
//            rows and nobody would notice. Bad input is a contract violation and never a launch.
// Does not:  look at contents: a decode row whose request is not in the block table gets -1 throughout, and positions
//            above max_position truncate.
//
//   topk_metadata(stream, {…, .decode_indices = buffer.first_rows(66).first_columns(256), …});
#pragma once

#include <cstdint>

#include "kernels/common/queue.h"
#include "stridelock/contract.h"
#include "stridelock/view.h"

namespace stridelock::kernels {

namespace detail {
inline constexpr auto topk_metadata_branch =
    make_contract("topk_metadata",
                  arg("decode_positions").type(types::int64).shape(sym("D")).layout(notion::dense),
                  arg("decode_requests").type(types::int32).shape(sym("D")).layout(notion::dense),
                  arg("decode_slots").type(types::int64).shape(sym("D")).layout(notion::dense),
                  arg("prefill_positions").type(types::int64).shape(sym("P")).layout(notion::dense),
                  arg("block_table")
                      .type(types::int32)
                      .shape(sym("R"), sym("B"))
                      .layout(notion::row_pitched)
                      .index_bits(32),
                  arg("decode_indices")
                      .type(types::int32)
                      .shape(sym("D"), sym("W"))
                      .layout(notion::row_pitched)
                      .index_bits(32)
                      .output(),
                  arg("decode_lengths").type(types::int32).shape(sym("D")).layout(notion::dense).output(),
                  arg("prefill_indices")
                      .type(types::int32)
                      .shape(sym("P"), sym("V"))
                      .layout(notion::row_pitched)
                      .index_bits(32)
                      .output())
        .needs(sym("W") >= parameter("entries"))
        .needs(sym("V") >= parameter("entries"))
        .needs(sym("B") >= parameter("blocks"))
        .needs(parameter("block_size") >= 1)
        .needs(parameter("ratio") >= 1);
}  // namespace detail

// entries: what max_position needs, (max_position + 1) / ratio; blocks: how many blocks hold that many entries. The
// launcher sets all four for each call.
inline constexpr auto topk_metadata_contract = make_dispatch("topk_metadata", detail::topk_metadata_branch)
                                                   .with(library_parameter("entries", {0}))
                                                   .with(library_parameter("blocks", {0}))
                                                   .with(library_parameter("block_size", {256}))
                                                   .with(library_parameter("ratio", {128}));

struct topk_metadata_arguments {
  view<const std::int64_t, 1> decode_positions;
  view<const std::int32_t, 1> decode_requests;
  view<const std::int64_t, 1> decode_slots;
  view<const std::int64_t, 1> prefill_positions;
  view<const std::int32_t, 2, row_pitched> block_table;
  view<std::int32_t, 2, row_pitched> decode_indices;
  view<std::int32_t, 1> decode_lengths;
  view<std::int32_t, 2, row_pitched> prefill_indices;
  std::int64_t max_position = -1;  // of all tokens; the scheduler knows it without asking the device
  std::int32_t block_size = 256;   // entries of one block
  std::int32_t ratio = 128;
};

void topk_metadata(const queue& to, const topk_metadata_arguments& a);

namespace host {
void topk_metadata(const topk_metadata_arguments& a);
}
namespace device {
void topk_metadata(void* stream, const topk_metadata_arguments& a);
}

}  // namespace stridelock::kernels
