// expect-error: error_branches_of_a_dispatch_must_have_the_same_arguments_in_the_same_order
#include "stridelock/contract.h"
using namespace stridelock;

inline constexpr auto one = make_contract("one", arg("x"), arg("y"));
#ifdef MISUSE
inline constexpr auto two = make_contract("two", arg("y"), arg("x"));
#else
inline constexpr auto two = make_contract("two", arg("x"), arg("y"));
#endif
inline constexpr auto both = make_dispatch("both", one, two);
