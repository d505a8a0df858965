// expect-error: has one row pitch; this view lost it, see docs/semantics.md
#include "stridelock/view.h"
using namespace stridelock;

index_t call(view<float, 2> x) {
#ifdef MISUSE
  return x.transposed().pitch();
#else
  return x.columns(0, 4).pitch();
#endif
}
