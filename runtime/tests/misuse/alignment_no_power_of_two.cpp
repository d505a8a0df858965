// expect-error: error_numbers_of_a_requirement_are_out_of_range
#include "stridelock/contract.h"
using namespace stridelock;

#ifdef MISUSE
inline constexpr auto kernel = make_contract("kernel", arg("x").aligned_rows(5));
#else
inline constexpr auto kernel = make_contract("kernel", arg("x").aligned_rows(4));
#endif
