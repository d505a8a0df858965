// expect-error: error_this_arithmetic_on_a_rounded_expression_cannot_be_expressed
#include "stridelock/contract.h"
using namespace stridelock;

#ifdef MISUSE
inline constexpr expression width = rounded_up(rounded_up(sym("W"), 6), 4);
#else
inline constexpr expression width = rounded_up(rounded_up(sym("W"), 6), 12);
#endif
