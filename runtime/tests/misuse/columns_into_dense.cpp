// expect-error: this_view_does_not_promise_that__use_require_layout|row_pitched.*contiguous
#include "stridelock/view.h"
using namespace stridelock;

void paged(view<const int, 2> indices);  // asks for contiguous

void call(view<const int, 2> buffer) {
#ifdef MISUSE
  paged(buffer.rows(0, 66).columns(0, 256));  // the columns lost it
#else
  paged(buffer.rows(0, 66));
#endif
}
