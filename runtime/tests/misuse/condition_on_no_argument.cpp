// expect-error: error_contract_has_no_argument_of_that_name
#include "stridelock/contract.h"
using namespace stridelock;

#ifdef MISUSE
inline constexpr auto kernel = make_contract("kernel", arg("x")).when(is_present("extra"));
#else
inline constexpr auto kernel =
    make_contract("kernel", arg("x"), arg("extra").optional()).when(is_present("extra"));
#endif
