// buffers.h: registered memory of a machine.
#pragma once

#include <cstring>
#include <string_view>
#include <vector>

#include "engine/machine.h"
#include "stridelock/persistent_buffer.h"

namespace sparse_mla_engine {

template <class T, int Rank>
using buffer = stridelock::persistent_buffer<T, Rank>;

template <class T, class... Extents>
buffer<T, sizeof...(Extents)> make_buffer(machine& on, stridelock::registry& in, std::string_view name,
                                          Extents... extents) {
  stridelock::view<T, sizeof...(Extents)> whole;
  int i = 0;
  ((whole.numbers.extents[i++] = extents), ...);
  whole.data = static_cast<T*>(on.allocate(static_cast<std::size_t>(whole.size()) * sizeof(T)));
  return buffer<T, sizeof...(Extents)>::own(
      name, whole, [&on](void* memory) { on.release(memory); }, on.where(), in);
}

template <class T>
void upload(machine& on, T* to, const std::vector<T>& from) {
  if (!from.empty()) on.upload(to, from.data(), from.size() * sizeof(T));
}
template <class T>
std::vector<T> download(machine& on, const T* from, stridelock::index_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  if (count > 0) on.download(values.data(), from, values.size() * sizeof(T));
  return values;
}

}  // namespace sparse_mla_engine
