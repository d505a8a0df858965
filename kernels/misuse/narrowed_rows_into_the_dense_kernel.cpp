// expect-error: require_layout
// The seed's crash as a compile error: columns of a buffer are not dense rows.
#include "kernels/sparse_mla/sparse_mla.h"

using namespace stridelock;

void step(const kernels::queue& stream, kernels::sparse_mla_arguments<contiguous> a,
          view<const std::int32_t, 2> buffer, index_t rows, index_t width) {
#ifdef MISUSE
  a.indices = buffer.first_rows(rows).first_columns(width);
#else
  (void)width;
  a.indices = buffer.first_rows(rows);  // full rows: dense, and the lengths bound what is read
#endif
  kernels::sparse_mla_paged_dense(stream, a);
}
