// pack_rows: copies a row-pitched view densely into a persistent workspace.
//
// Promises:  packed(r, c) == rows(r, c) afterwards, at every replay too: the address of the workspace is the graph's, so
//            this is the copy that may stand inside a capture, where `.contiguous()` may not.
//            Bad input, a workspace that overlaps the rows included, is a contract violation and never a launch.
// Does not:  make the copy free: it costs its bytes at every step. A kernel that takes the pitch costs nothing.
//
//   pack_rows(stream, {indices.columns(0, 256), workspace.first_rows(66).first_columns(256)});   // does not compile:
//   // a narrowed workspace is not dense. Hand out what is:  view<int, 2>{workspace.data, {{66, 256}}}
#pragma once

#include <cstdint>

#include "kernels/common/queue.h"
#include "stridelock/contract.h"
#include "stridelock/view.h"

namespace stridelock::kernels {

inline constexpr auto pack_rows_contract = make_contract("pack_rows",
                                                         arg("rows")
                                                             .type(types::int32)
                                                             .shape(sym("R"), sym("C"))
                                                             .layout(notion::row_pitched)
                                                             .index_bits(32)
                                                             .aligned(alignof(std::int32_t)),
                                                         arg("packed")
                                                             .type(types::int32)
                                                             .shape(sym("R"), sym("C"))
                                                             .layout(notion::dense)
                                                             .index_bits(32)
                                                             .aligned(alignof(std::int32_t))
                                                             .output()
                                                             .disjoint_from("rows"));

struct pack_rows_arguments {
  view<const std::int32_t, 2, row_pitched> rows;
  view<std::int32_t, 2> packed;
};

void pack_rows(const queue& to, const pack_rows_arguments& a);

namespace host {
void pack_rows(const pack_rows_arguments& a);
}
namespace device {
void pack_rows(void* stream, const pack_rows_arguments& a);
}

}  // namespace stridelock::kernels
