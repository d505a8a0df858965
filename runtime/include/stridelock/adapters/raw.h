// raw.h: a pointer, its sizes, and what is known about its rows, as an argument of a boundary.
//
// Promises:  check<C>(raw(p, rows, columns)) judges exactly these numbers: dense where no strides are given, a pitch in
//            elements or, as cudaMallocPitch gives it, in bytes. An overflow is a violation.
// Does not:  know how large the allocation is, where it lives unless told by .on(…), or keep it alive.
// Cost:      none; the numbers are in the object.
//
//   check<scale>(raw(x, rows, columns).on({device_kind::cuda, 0}), raw_pitched(out, rows, columns, pitch));
//   check<scale>(raw(bytes, types::bfloat16, rows, columns));
//   kernel(require_view<view<float, 2, row_pitched>>(raw_pitched_bytes(x, rows, columns, pitch_in_bytes)));
//
// And back: v.data, v.extent(d) and v.stride(d) of a view are the pointer and the numbers; pitch_bytes(v) is for cudaMemcpy2D.
#pragma once

#include <cstddef>
#include <type_traits>

#include "stridelock/describe.h"

namespace stridelock {
inline namespace v1 {

template <int Rank>
struct raw_tensor {
  const void* data = nullptr;
  dtype type{};
  index_t extents[detail::at_least_one<Rank>]{};
  index_t strides[detail::at_least_one<Rank>]{};
  bool has_strides = false;  // else compact row-major
  bool valid = true;         // false: a pitch in bytes that is no multiple of the element
  device where{};
  tri read_only = tri::unknown;

  constexpr raw_tensor on(device d) const {
    raw_tensor t = *this;
    t.where = d;
    return t;
  }
  constexpr tensor_ref ref() const& {
    tensor_ref r;
    r.data = data;
    r.type = type;
    r.rank = valid ? Rank : -1;
    r.where = where;
    r.extents = extents;
    r.strides = has_strides ? strides : nullptr;
    r.read_only = read_only;
    return r;
  }
  tensor_ref ref() const&& = delete;
};

template <int Rank>
struct adapter<raw_tensor<Rank>> {
  static constexpr raw_tensor<Rank> describe(const raw_tensor<Rank>& t) noexcept { return t; }
};

// Compact row-major; the element type says whether it may be written.
template <class T, class... N,
          std::enable_if_t<(!std::is_void_v<T> && ... && std::is_integral_v<N>), int> = 0>
constexpr raw_tensor<static_cast<int>(sizeof...(N))> raw(T* data, N... extents) {
  raw_tensor<static_cast<int>(sizeof...(N))> t{data, dtype_of<T>, {static_cast<index_t>(extents)...}};
  t.read_only = std::is_const_v<T> ? tri::yes : tri::no;
  return t;
}

// The same without an element type in C++.
template <class... N>
constexpr raw_tensor<static_cast<int>(sizeof...(N))> raw(void* data, dtype type, N... extents) {
  raw_tensor<static_cast<int>(sizeof...(N))> t{data, type, {static_cast<index_t>(extents)...}};
  t.read_only = tri::no;
  return t;
}
template <class... N>
constexpr raw_tensor<static_cast<int>(sizeof...(N))> raw(const void* data, dtype type, N... extents) {
  raw_tensor<static_cast<int>(sizeof...(N))> t{data, type, {static_cast<index_t>(extents)...}};
  t.read_only = tri::yes;
  return t;
}

// Any strides, in elements, dimension 0 outermost.
template <class T, int Rank>
constexpr raw_tensor<Rank> raw_strided(T* data, const index_t (&extents)[Rank],
                                       const index_t (&strides)[Rank]) {
  raw_tensor<Rank> t{data, dtype_of<T>};
  t.read_only = std::is_const_v<T> ? tri::yes : tri::no;
  t.has_strides = true;
  for (int i = 0; i < Rank; ++i) {
    t.extents[i] = extents[i];
    t.strides[i] = strides[i];
  }
  return t;
}

// Rows of unit stride, `pitch` elements apart.
template <class T>
constexpr raw_tensor<2> raw_pitched(T* data, index_t rows, index_t columns, index_t pitch) {
  const index_t extents[] = {rows, columns}, strides[] = {pitch, 1};
  return raw_strided(data, extents, strides);
}

// The same with the pitch in bytes. One that is no multiple of the element size makes rows that no stride can express:
// such a tensor is not valid, and every boundary refuses it.
template <class T>
constexpr raw_tensor<2> raw_pitched_bytes(T* data, index_t rows, index_t columns, std::size_t bytes) {
  raw_tensor<2> t = raw_pitched(data, rows, columns, static_cast<index_t>(bytes / sizeof(T)));
  t.valid = bytes % sizeof(T) == 0;
  return t;
}

// What cudaMemcpy2D takes. Never negative for a view that is row-pitched.
template <class V>
constexpr std::size_t pitch_bytes(const V& v) {
  return static_cast<std::size_t>(v.pitch()) * sizeof(typename V::element);
}

}  // namespace v1
}  // namespace stridelock
