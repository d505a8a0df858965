// expect-error: aligned<
#include "stridelock/view.h"
using namespace stridelock;

using vector_rows = view<float, 2, row_pitched, index_t, aligned<16>>;
void load4(vector_rows x);

void call(view<float, 2, contiguous, index_t, aligned<64>> x) {
#ifdef MISUSE
  load4(x.columns(1, 5));
#else
  load4(x.first_columns(4));
#endif
}
