// expect-error: const float
#include "stridelock/view.h"
using namespace stridelock;

void fill(view<float, 1> out);
void read(view<const float, 1> in);

void call(view<const float, 1> x) {
#ifdef MISUSE
  fill(x);
#else
  read(x);
#endif
}
