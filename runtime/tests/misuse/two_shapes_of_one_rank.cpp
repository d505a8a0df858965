// expect-error: error_too_many_shapes_or_two_of_one_rank
#include "stridelock/contract.h"
using namespace stridelock;

#ifdef MISUSE
inline constexpr auto kernel = make_contract("kernel", arg("x").shape(any, 4).or_shape(4, any));
#else
inline constexpr auto kernel = make_contract("kernel", arg("x").shape(any, 4).or_shape(4, any, 4));
#endif
