// expect-error: an argument of this type is not known: include its header under stridelock/adapters/
#include "stridelock/check.h"
using namespace stridelock;

inline constexpr auto one = make_contract("one", arg("a"));

struct my_tensor {
  void* data;
};

#ifndef MISUSE
template <>
struct stridelock::adapter<my_tensor> {
  static described_ref describe(const my_tensor& t) noexcept {
    return {{t.data, types::float32, 0, {}, nullptr, nullptr}};
  }
};
#endif

bool call(const my_tensor& a) {
  return check<one>(a).ok();
}
