// What every test of the evaluator needs: a device, a base that is never read, and calls without ceremony.
#pragma once

#include <string_view>
#include <vector>

#include "stridelock/contract.h"
#include "stridelock/evaluate.h"
#include "stridelock/message.h"

namespace stridelock::testing {

inline constexpr device gpu{device_kind::cuda, 0};

// A non-null base that is a multiple of 256.
alignas(256) inline char memory[256];
inline const void* const base = memory;

inline tensor_desc tensor(std::string_view name, dtype type, std::initializer_list<index_t> extents,
                          std::initializer_list<index_t> strides) {
  return tensor_desc::strided(name, type, extents, strides, gpu, base);
}

template <class C, class... T>
report judge_in(const evaluation_context& context, const C& what, const T&... tensors) {
  const argument_value values[] = {argument_value(tensors.ref())...};
  return evaluate(what.view(), values, static_cast<int>(sizeof...(T)), context);
}
template <class C, class... T>
report judge(const C& what, const T&... tensors) {
  return judge_in({}, what, tensors...);
}

inline std::vector<violation_kind> kinds(const report& r) {
  std::vector<violation_kind> out;
  for (const violation& v : r) out.push_back(v.kind);
  return out;
}
using list = std::vector<violation_kind>;

}  // namespace stridelock::testing
