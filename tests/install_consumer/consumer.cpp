#include "stridelock/check.h"
#include "stridelock/view.h"

namespace sl = stridelock;
inline constexpr auto paged = sl::make_contract("paged", sl::arg("indices").layout(sl::notion::dense));

#ifdef HAS_CONTRACTS_YAML
bool reads_contracts_from_yaml();
#else
bool reads_contracts_from_yaml() {
  return true;
}
#endif

int main() {
  const int data[4 * 8] = {};
  const sl::view<const int, 2> buffer{data, {{4, 8}}};
  return reads_contracts_from_yaml() && sl::check<paged>(buffer.rows(0, 2)).ok() &&
                 !sl::check<paged>(buffer.columns(0, 4)).ok()
             ? 0
             : 1;
}
