// expect-error: must cover every case exactly once
#include "stridelock/coverage.h"
using namespace stridelock;
inline constexpr auto small =
    make_contract("small", arg("x").shape(sym("T"), any)).when(sym("T") <= parameter("limit"));
#ifdef MISUSE
inline constexpr auto large =
    make_contract("large", arg("x").shape(sym("T"), any)).when(sym("T") > parameter("limit") + 1);
#else
inline constexpr auto large =
    make_contract("large", arg("x").shape(sym("T"), any)).when(sym("T") > parameter("limit"));
#endif
inline constexpr auto both = make_dispatch("both", small, large).with(library_parameter("limit", {8, 64}));
static_assert(covers_every_case<both>());
