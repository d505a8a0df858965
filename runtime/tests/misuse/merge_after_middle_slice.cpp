// expect-error: outer dimensions merge into rows only if
#include "stridelock/view.h"
using namespace stridelock;

index_t call(view<float, 3> x) {
#ifdef MISUSE
  return x.slice<1>(0, 2).as_matrix().extent(0);
#else
  return x.slice<2>(0, 2).as_matrix().extent(0);
#endif
}
