// expect-error: error_an_expression_does_not_fit_into_64_bits
#include "stridelock/contract.h"
using namespace stridelock;

#ifdef MISUSE
inline constexpr expression width = 4 * (sym("W") + (index_t{1} << 62));
#else
inline constexpr expression width = 4 * (sym("W") + (index_t{1} << 60));
#endif
