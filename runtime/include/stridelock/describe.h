// describe.h: what a boundary knows about an argument: typed views, borrowed and owning descriptions, and "absent".
//
// Promises:  describe(x) gives an object whose ref() is the borrowed description of x; nothing is allocated.
// Does not:  keep the tensor alive. Adapters add overloads of describe() for their library's tensors, found by ADL or
//            declared in namespace stridelock.
//
//   const auto d = describe(view, {device_kind::cuda, 0});
//   const argument_value values[] = {argument_value(d.ref())};
#pragma once

#include "stridelock/element_type.h"
#include "stridelock/evaluate.h"
#include "stridelock/view.h"

namespace stridelock {
inline namespace v1 {

// Stands for an optional argument that is not passed.
struct absent_t {};
inline constexpr absent_t absent{};

// Numbers of a typed view in the form that descriptions use. Borrowed by ref(): keep it alive.
template <int Rank>
struct described_view {
  const void* data = nullptr;
  dtype type{};
  device where{};
  index_t extents[detail::at_least_one<Rank>]{};
  index_t strides[detail::at_least_one<Rank>]{};
  tri read_only = tri::unknown;

  constexpr tensor_ref ref() const& {
    return {data, type, Rank, where, extents, strides, 0, read_only, nullptr};
  }
  tensor_ref ref() const&& = delete;
};

template <class T, int Rank, class L, class I, class A>
constexpr described_view<Rank> describe(const view<T, Rank, L, I, A>& v, device where = {}) noexcept {
  described_view<Rank> d;
  d.data = v.data;
  d.type = dtype_of<T>;
  d.where = where;
  d.read_only = std::is_const_v<T> ? tri::yes : tri::no;
  for (int i = 0; i < Rank; ++i) {
    d.extents[i] = v.extent(i);
    d.strides[i] = v.stride(i);
  }
  return d;
}

struct described_ref {
  tensor_ref value{};
  constexpr const tensor_ref& ref() const& { return value; }
};
constexpr described_ref describe(const tensor_ref& r) noexcept {
  return {r};
}
constexpr described_ref describe(const tensor_desc& d) noexcept {
  return {d.ref()};
}

namespace detail {
template <class D>
constexpr argument_value argument_of(const D& described) {
  return argument_value(described.ref());
}
constexpr argument_value argument_of(absent_t) {
  return argument_value();
}
}  // namespace detail

constexpr absent_t describe(absent_t) noexcept {
  return {};
}

}  // namespace v1
}  // namespace stridelock
