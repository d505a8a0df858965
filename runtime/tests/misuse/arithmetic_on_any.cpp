// expect-error: error_any_has_no_arithmetic
#include "stridelock/contract.h"
using namespace stridelock;

#ifdef MISUSE
inline constexpr expression width = 2 * any;
#else
inline constexpr expression width = 2 * sym("W");
#endif
