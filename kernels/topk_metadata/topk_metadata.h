// topk_metadata: index lists of a compressed sparse attention, for all tokens of a step in one launch.
//
// One entry stands for `ratio` positions. A token at position p has n = (p + 1) / ratio entries.
//   decode token:   entry i is block_table(request, i / block_size) * block_size + i % block_size; its length is n, or 0
//                   where its slot mapping is negative (a padded row).
//   prefill token:  entry i is i.
// Entries from n to the width of the view are -1, and so is one that does not fit 32 bits; a row is written also when its
// length is 0.
//
// Promises:  writes rows by the pitch of the views and nothing outside them: columns beyond the width keep what they
//            held. A width, or a block table, that is too small for max_position is refused, and so is a max_position that
//            nobody has set: the kernel would truncate the rows and nobody would notice. Bad input is a contract
//            violation and never a launch.
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
// Any block may read any of the inputs after any other has written its outputs.
constexpr argument topk_metadata_input(const argument& a) {
  return a.disjoint_from("decode_indices").disjoint_from("decode_lengths").disjoint_from("prefill_indices");
}
constexpr argument one_for_each(const char* name, dtype type, const char* tokens) {
  return arg(name)
      .type(type)
      .shape(sym(tokens))
      .layout(notion::dense)
      .index_bits(32)
      .aligned(static_cast<int>(type.element_bits() / 8));
}
constexpr argument pitched_rows(const char* name, const char* rows, const char* columns) {
  return arg(name)
      .type(types::int32)
      .shape(sym(rows), sym(columns))
      .layout(notion::row_pitched)
      .index_bits(32)
      .aligned(alignof(std::int32_t));
}

inline constexpr auto topk_metadata_branch =
    make_contract("topk_metadata", topk_metadata_input(one_for_each("decode_positions", types::int64, "D")),
                  topk_metadata_input(one_for_each("decode_requests", types::int32, "D")),
                  topk_metadata_input(one_for_each("decode_slots", types::int64, "D")),
                  topk_metadata_input(one_for_each("prefill_positions", types::int64, "P")),
                  topk_metadata_input(pitched_rows("block_table", "R", "B")),
                  pitched_rows("decode_indices", "D", "W").output(),
                  one_for_each("decode_lengths", types::int32, "D").output().disjoint_from("decode_indices"),
                  pitched_rows("prefill_indices", "P", "V")
                      .output()
                      .disjoint_from("decode_indices")
                      .disjoint_from("decode_lengths"))
        .needs(parameter("max_position") >= 0)
        .needs(sym("W") >= parameter("entries"))
        .needs(sym("V") >= parameter("entries"))
        .needs(sym("B") >= parameter("blocks"))
        .needs(parameter("block_size") >= 1)
        .needs(parameter("ratio") >= 1);
}  // namespace detail

// entries: what max_position needs, (max_position + 1) / ratio; blocks: how many blocks hold that many entries. The
// launcher sets all five for each call.
inline constexpr auto topk_metadata_contract = make_dispatch("topk_metadata", detail::topk_metadata_branch)
                                                   .with(library_parameter("max_position", {0}))
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
  // Of all tokens; the scheduler knows it without asking the device. Must be set unless there are no tokens.
  std::int64_t max_position = -1;
  std::int32_t block_size = 256;  // entries of one block
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
