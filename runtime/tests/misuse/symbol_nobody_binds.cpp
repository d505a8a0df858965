// expect-error: error_symbol_is_bound_by_no_extent_or_stride
#include "stridelock/contract.h"
using namespace stridelock;

#ifdef MISUSE
inline constexpr auto kernel = make_contract("kernel", arg("x").shape(64 * sym("W")));
#else
inline constexpr auto kernel =
    make_contract("kernel", arg("x").shape(64 * sym("W")), arg("y").shape(sym("W")));
#endif
