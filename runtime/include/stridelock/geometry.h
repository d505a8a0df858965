// geometry.h: the numbers a view needs beside its pointer, for each layout kind. What a layout promises is not stored.
//
// Promises:  trivially copyable, no padding word: contiguous keeps extents only, row_pitched one pitch more,
//            inner_contiguous all strides but the last, strided all.
// Does not:  check: numbers that contradict the layout kind make a wrong view.
#pragma once

#include "stridelock/host_device.h"
#include "stridelock/layout_kind.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

// Array bound for N numbers; a constant rather than a function, which nvcc would not call from device code.
template <int N>
inline constexpr int at_least_one = N > 0 ? N : 1;

// Extents or strides by value.
template <class I, int R>
struct numbers {
  I v[at_least_one<R>]{};
};

}  // namespace detail

template <class L, int R, class I>
struct geometry {  // strided
  I extents[detail::at_least_one<R>]{};
  I strides[detail::at_least_one<R>]{};

  STRIDELOCK_HOST_DEVICE constexpr I stride(int dim) const { return strides[dim]; }
  // Offset of an element. A fold, not a loop: compilers do not unroll a loop over dimensions at -O2.
  template <class... At>
  STRIDELOCK_HOST_DEVICE constexpr I offset(At... at) const {
    I sum = 0;
    int dim = 0;
    ((sum = static_cast<I>(sum + at * strides[dim++])), ...);
    (void)dim;
    return sum;
  }
  STRIDELOCK_HOST_DEVICE static constexpr geometry of(const I* n, const I* s) {
    geometry g;
    for (int i = 0; i < R; ++i) {
      g.extents[i] = n[i];
      g.strides[i] = s[i];
    }
    return g;
  }
};

template <int R, class I>
struct geometry<inner_contiguous, R, I> {
  I extents[detail::at_least_one<R>]{};
  I outer_strides[detail::at_least_one<R - 1>]{};  // rank 1 and below: unused

  STRIDELOCK_HOST_DEVICE constexpr I stride(int dim) const {
    return dim == R - 1 ? I{1} : outer_strides[dim];
  }
  template <class... At>
  STRIDELOCK_HOST_DEVICE constexpr I offset(At... at) const {
    I sum = 0;
    int dim = 0;
    ((sum = static_cast<I>(sum + (dim == R - 1 ? at : at * outer_strides[dim])), ++dim), ...);
    (void)dim;
    return sum;
  }
  STRIDELOCK_HOST_DEVICE static constexpr geometry of(const I* n, const I* s) {
    geometry g;
    for (int i = 0; i < R; ++i) g.extents[i] = n[i];
    for (int i = 0; i < R - 1; ++i) g.outer_strides[i] = s[i];
    return g;
  }
};

template <int R, class I>
struct geometry<row_pitched, R, I> {
  I extents[detail::at_least_one<R>]{};
  I pitch = 0;

  STRIDELOCK_HOST_DEVICE constexpr I stride(int dim) const {
    if (dim == R - 1) return I{1};
    I s = pitch;
    for (int i = R - 2; i > dim; --i) s = static_cast<I>(s * extents[i]);
    return s;
  }
  template <class... At>
  STRIDELOCK_HOST_DEVICE constexpr I offset(At... at) const {
    I sum = 0;
    int dim = 0;
    ((sum = static_cast<I>(sum * (dim == R - 1 ? pitch : extents[dim]) + at), ++dim), ...);
    (void)dim;
    return sum;
  }
  STRIDELOCK_HOST_DEVICE static constexpr geometry of(const I* n, const I* s) {
    geometry g;
    for (int i = 0; i < R; ++i) g.extents[i] = n[i];
    if (R >= 2) g.pitch = s[detail::at_least_one<R - 1> - 1];
    return g;
  }
};

template <int R, class I>
struct geometry<contiguous, R, I> {
  I extents[detail::at_least_one<R>]{};

  STRIDELOCK_HOST_DEVICE constexpr I stride(int dim) const {
    I s = 1;
    for (int i = R - 1; i > dim; --i) s = static_cast<I>(s * extents[i]);
    return s;
  }
  template <class... At>
  STRIDELOCK_HOST_DEVICE constexpr I offset(At... at) const {
    I sum = 0;
    int dim = 0;
    ((sum = static_cast<I>(sum * extents[dim] + at), ++dim), ...);
    (void)dim;
    return sum;
  }
  STRIDELOCK_HOST_DEVICE static constexpr geometry of(const I* n, const I*) {
    geometry g;
    for (int i = 0; i < R; ++i) g.extents[i] = n[i];
    return g;
  }
};

}  // namespace v1
}  // namespace stridelock
