// expect-error: the dtype of this element type is not known; specialise stridelock::element_type
#include "stridelock/describe.h"
using namespace stridelock;

struct half {
  unsigned short bits;
};
#ifndef MISUSE
template <>
struct stridelock::element_type<half> {
  static constexpr dtype value = types::float16;
};
#endif

int call(view<half, 1> x) {
  return describe(x).type.bits;
}
