#include "without_exceptions.h"

#include "stridelock/check.h"
#include "stridelock/strengthen.h"

#if defined(__cpp_exceptions)
#error "build this file with -fno-exceptions"
#endif

namespace stridelock::without_exceptions {

inline constexpr auto dense_rows =
    make_contract("dense_rows", arg("x").type(types::int32).layout(notion::dense));

bool require_dense(const tensor_ref& x) {
  return require<dense_rows>(x);
}
bool require_dense_in(const evaluation_context& context, const tensor_ref& x) {
  return require_in<dense_rows>(context, x);
}
bool layout_is_empty_after_refusal(int* data) {
  const view<int, 2> buffer{data, {{4, 8}}};
  const auto dense = require_layout<contiguous>(buffer.columns(0, 4));
  return dense.data == nullptr && dense.extent(0) == 0;
}

}  // namespace stridelock::without_exceptions
