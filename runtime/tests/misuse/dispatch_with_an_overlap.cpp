// expect-error: must cover every case exactly once
#include "stridelock/coverage.h"
using namespace stridelock;

inline constexpr auto with_extra =
    make_contract("with_extra", arg("x"), arg("extra").optional()).when(is_present("extra"));
#ifdef MISUSE
inline constexpr auto without = make_contract("without", arg("x"), arg("extra").optional());
#else
inline constexpr auto without =
    make_contract("without", arg("x"), arg("extra").optional()).when(is_absent("extra"));
#endif
inline constexpr auto both = make_dispatch("both", with_extra, without);
static_assert(covers_every_case<both>());
