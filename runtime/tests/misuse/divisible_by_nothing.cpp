// expect-error: error_a_divisor_is_at_least_1
#include "stridelock/contract.h"
using namespace stridelock;

#ifdef MISUSE
inline constexpr condition whole_tiles = divisible(sym("W"), -128);
#else
inline constexpr condition whole_tiles = divisible(sym("W"), 128);
#endif
