// expect-error: error_a_factor_or_unit_does_not_fit_into_32_bits
#include "stridelock/contract.h"
using namespace stridelock;

#ifdef MISUSE
inline constexpr expression width = 4294967297 * sym("W");
#else
inline constexpr expression width = 2147483647 * sym("W");
#endif
