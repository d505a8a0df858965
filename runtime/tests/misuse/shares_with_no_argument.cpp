// expect-error: error_contract_has_no_argument_of_that_name
#include "stridelock/contract.h"
using namespace stridelock;

#ifdef MISUSE
inline constexpr auto kernel = make_contract("kernel", arg("x"), arg("out").disjoint_from("y"));
#else
inline constexpr auto kernel = make_contract("kernel", arg("x"), arg("out").disjoint_from("x"));
#endif
