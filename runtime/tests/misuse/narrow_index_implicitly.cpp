// expect-error: could not convert|no viable conversion|no matching function
#include "stridelock/strengthen.h"
using namespace stridelock;

void kernel(view<float, 1, contiguous, std::int32_t> x);

void call(view<float, 1> x) {
#ifdef MISUSE
  kernel(x);
#else
  kernel(require_index<std::int32_t>(x));
#endif
}
