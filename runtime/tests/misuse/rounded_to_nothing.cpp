// expect-error: error_a_unit_of_rounding_is_at_least_1
#include "stridelock/contract.h"
using namespace stridelock;

#ifdef MISUSE
inline constexpr expression width = rounded_up(sym("W"), 0);
#else
inline constexpr expression width = rounded_up(sym("W"), 1);
#endif
