// expect-error: as many arguments as the contract has; pass `absent` for an optional one
#include "stridelock/check.h"
using namespace stridelock;

inline constexpr auto pair = make_contract("pair", arg("a"), arg("b").optional());

bool call(view<float, 1> a) {
#ifdef MISUSE
  return check<pair>(a).ok();
#else
  return check<pair>(a, absent).ok();
#endif
}
