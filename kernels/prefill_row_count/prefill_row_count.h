// prefill_row_count: counts the non-negative entries of each row. It reads whole rows.
//
// Promises:  counts(r) is the number of entries >= 0 in all columns of row r. Bad input is a contract violation and never
//            a launch.
// Does not:  stop at a length: it has none. Columns that this step did not write are counted like any other, so the
//            contract refuses a view whose columns are only partly active (tensor_desc::activated_columns). A typed view
//            does not know that; a boundary over descriptions does.
//
//   prefill_row_count(stream, {prefill_indices.columns(0, width), counts});      // not the full width
#pragma once

#include <cstdint>

#include "kernels/common/queue.h"
#include "stridelock/contract.h"
#include "stridelock/view.h"

namespace stridelock::kernels {

inline constexpr auto prefill_row_count_contract = make_contract("prefill_row_count",
                                                                 arg("indices")
                                                                     .type(types::int32)
                                                                     .shape(sym("P"), sym("W"))
                                                                     .layout(notion::row_pitched)
                                                                     .index_bits(32)
                                                                     .aligned(alignof(std::int32_t))
                                                                     .whole_row(),
                                                                 arg("counts")
                                                                     .type(types::int32)
                                                                     .shape(sym("P"))
                                                                     .layout(notion::dense)
                                                                     .index_bits(32)
                                                                     .aligned(alignof(std::int32_t))
                                                                     .output()
                                                                     .disjoint_from("indices"));

struct prefill_row_count_arguments {
  view<const std::int32_t, 2, row_pitched> indices;
  view<std::int32_t, 1> counts;
};

void prefill_row_count(const queue& to, const prefill_row_count_arguments& a);

namespace host {
void prefill_row_count(const prefill_row_count_arguments& a);
}
namespace device {
void prefill_row_count(void* stream, const prefill_row_count_arguments& a);
}

}  // namespace stridelock::kernels
