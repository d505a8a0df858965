// expect-error: error_bounded_names_no_argument_of_the_contract__use_bounded_outside
#include "stridelock/contract.h"
using namespace stridelock;

#ifdef MISUSE
inline constexpr auto kernel =
    make_contract("kernel", arg("x").bounded("lenghts"), arg("lengths").optional());
#else
inline constexpr auto kernel = make_contract("kernel", arg("x").bounded("lengths"), arg("lengths").optional(),
                                             arg("y").bounded_outside("table lengths"));
#endif
