// expect-error: error_an_expression_does_not_fit_into_64_bits
#include "stridelock/contract.h"
using namespace stridelock;

#ifdef MISUSE
inline constexpr expression width = sym("W") - 1 - checked::highest - 1;
#else
inline constexpr expression width = sym("W") - 1 - checked::highest;
#endif
