// expect-error: this_view_does_not_promise_that__use_require_layout|strided.*row_pitched
#include "stridelock/view.h"
using namespace stridelock;

void rows(view<float, 2, row_pitched> x);

void call(view<float, 2> x) {
#ifdef MISUSE
  rows(x.transposed());
#else
  rows(x.columns(0, 4));
#endif
}
