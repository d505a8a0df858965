// expect-error: names a parameter that the dispatch does not declare
#include "stridelock/check.h"
using namespace stridelock;

inline constexpr auto few =
    make_contract("few", arg("a").shape(sym("T"))).when(sym("T") <= parameter("most_tokens"));
inline constexpr auto many =
    make_contract("many", arg("a").shape(sym("T"))).when(sym("T") > parameter("most_tokens"));
#ifdef MISUSE
inline constexpr auto both = make_dispatch("both", few, many).with(library_parameter("max_tokens", {64}));
#else
inline constexpr auto both = make_dispatch("both", few, many).with(library_parameter("most_tokens", {64}));
#endif

bool call(view<float, 1> a) {
  return check<both>(a).ok();
}
