// expect-error: error_two_arguments_of_one_name
#include "stridelock/contract.h"
using namespace stridelock;

#ifdef MISUSE
inline constexpr auto kernel = make_contract("kernel", arg("x"), arg("x"));
#else
inline constexpr auto kernel = make_contract("kernel", arg("x"), arg("y"));
#endif
