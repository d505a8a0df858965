// view.h: view<T, Rank, Layout, Index, Align>: a pointer and the numbers its layout leaves open.
//
// Promises:  what the type says holds: every narrowing returns the type that the narrowing table allows, a stronger view
//            converts to a weaker one implicitly and for free, and the other way does not compile. Trivially copyable,
//            an aggregate, usable as a kernel parameter; a contiguous view carries no strides.
// Does not:  own memory or keep it alive, check indices and bounds, or know its device. Passed by value through a call
//            that is not inlined it goes through memory. As a kernel parameter it has no __restrict__: bind
//            `const T* __restrict__ p = v.data;` inside the kernel.
// Cost:      none: what raw pointer and sizes cost.
//
//   view<const int, 2> buffer{data, {{512, 1024}}};
//   auto rows = buffer.rows(0, 66);                 // view<const int, 2, contiguous>
//   auto narrow = rows.columns(0, 256);             // view<const int, 2, row_pitched>, pitch 1024
//   void paged(view<const int, 2> indices);         // asks for contiguous
//   paged(rows);                                    // compiles
//   paged(narrow);                                  // does not: the columns lost it
//   paged(require_layout<contiguous>(narrow));      // checked at run time (strengthen.h)
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "stridelock/geometry.h"
#include "stridelock/host_device.h"
#include "stridelock/integers.h"
#include "stridelock/layout_kind.h"
#include "stridelock/narrowing.h"

namespace stridelock {
inline namespace v1 {

// The base address is a multiple of Bytes.
template <std::size_t Bytes>
struct aligned {
  static constexpr std::size_t value = Bytes;
  static_assert(Bytes > 0 && (Bytes & (Bytes - 1)) == 0, "aligned<Bytes>: Bytes must be a power of two");
};

template <class T, int Rank, class Layout = contiguous, class Index = index_t,
          class Align = aligned<alignof(T)>>
class view;

namespace detail {

// May a view of From be passed where a view of To is asked, without looking at a number?
template <class FromT, class FromL, class FromA, class ToT, class ToL, class ToA>
inline constexpr bool weakens_v = (std::is_same_v<FromT, ToT> || std::is_same_v<const FromT, ToT>) &&
                                  implies_v<FromL, ToL> && FromA::value >= ToA::value;

template <int R, int Dim>
inline constexpr operation slice_of_dim = Dim == 0       ? operation::rows
                                          : Dim == R - 1 ? operation::columns
                                                         : operation::middle_slice;
template <int R, int Dim>
inline constexpr operation step_of_dim = Dim == R - 1 ? operation::step_last : operation::step_first;
template <int R, int Dim>
inline constexpr operation select_of_dim =
    Dim == 0       ? (R == 1 ? operation::dense_copy : operation::select_first)  // a scalar is dense
    : Dim == R - 1 ? operation::select_last
    : Dim == R - 2 ? operation::select_next_to_last
                   : operation::select_middle;

}  // namespace detail

template <class T, int Rank, class Layout, class Index, class Align>
class view {
 public:
  static_assert(Rank >= 0 && Rank <= max_rank, "view: the rank must be 0 to 8");
  static_assert(is_layout_kind_v<Layout>,
                "view: the layout must be contiguous, row_pitched, inner_contiguous or strided");
  static_assert(std::is_integral_v<Index> && std::is_signed_v<Index> && sizeof(Index) >= 4,
                "view: the index type must be a signed integer of 32 bits or more");

  using element = T;
  using layout_kind = Layout;
  using index = Index;
  using alignment = Align;
  using unaligned = aligned<alignof(T)>;
  static constexpr int rank = Rank;

  T* data = nullptr;
  geometry<Layout, Rank, Index> numbers{};

  STRIDELOCK_HOST_DEVICE constexpr Index extent(int dim) const noexcept { return numbers.extents[dim]; }
  STRIDELOCK_HOST_DEVICE constexpr Index stride(int dim) const noexcept { return numbers.stride(dim); }

  // Distance between rows, in elements.
  STRIDELOCK_HOST_DEVICE constexpr Index pitch() const noexcept {
    static_assert(Rank >= 2 && implies_v<Layout, row_pitched>,
                  "pitch(): only a row_pitched or contiguous view of rank 2 or more has one row pitch; "
                  "this view lost it, see docs/semantics.md#narrowing");
    if constexpr (std::is_same_v<Layout, contiguous>) {
      return numbers.extents[detail::at_least_one<Rank> - 1];
    } else {
      return numbers.pitch;
    }
  }

  STRIDELOCK_HOST_DEVICE constexpr Index size() const noexcept {
    Index count = 1;
    for (int i = 0; i < Rank; ++i) count = static_cast<Index>(count * numbers.extents[i]);
    return count;
  }

  // Element at an index; not checked.
  template <class... I>
  STRIDELOCK_HOST_DEVICE constexpr T& operator()(I... at) const noexcept {
    static_assert(sizeof...(I) == Rank, "view: as many indices as dimensions");
    return data[numbers.offset(static_cast<Index>(at)...)];
  }

  // ---- narrowing: the result type is what the table in narrowing.h leaves ---------------------------------------------

  // [begin, end) of dimension Dim.
  template <int Dim>
  STRIDELOCK_HOST_DEVICE constexpr auto slice(Index begin, Index end) const noexcept {
    static_assert(Dim >= 0 && Dim < Rank, "slice<Dim>: no such dimension");
    using kept = result_of<detail::slice_of_dim<Rank, Dim>, Layout>;
    auto n = extents_copy();
    n.v[Dim] = static_cast<Index>(end - begin);
    return make<kept, Rank, unaligned>(data + offset_of(Dim, begin), n, strides_copy());
  }
  STRIDELOCK_HOST_DEVICE constexpr auto rows(Index begin, Index end) const noexcept {
    static_assert(Rank >= 1, "rows(): a scalar has none");
    return slice<0>(begin, end);
  }
  STRIDELOCK_HOST_DEVICE constexpr auto columns(Index begin, Index end) const noexcept {
    static_assert(Rank >= 2, "columns(): of a matrix or more; a vector has rows()");
    return slice<(Rank > 0 ? Rank - 1 : 0)>(begin, end);
  }

  // From the start of the dimension: the base address stays, and with it the alignment.
  STRIDELOCK_HOST_DEVICE constexpr auto first_rows(Index count) const noexcept {
    static_assert(Rank >= 1, "first_rows(): a scalar has none");
    auto n = extents_copy();
    n.v[0] = count;
    return make<rows_of<Layout>, Rank, Align>(data, n, strides_copy());
  }
  STRIDELOCK_HOST_DEVICE constexpr auto first_columns(Index count) const noexcept {
    static_assert(Rank >= 2, "first_columns(): of a matrix or more; a vector has first_rows()");
    auto n = extents_copy();
    n.v[detail::at_least_one<Rank> - 1] = count;
    return make<columns_of<Layout>, Rank, Align>(data, n, strides_copy());
  }

  // Every step-th of dimension Dim; step must be positive.
  template <int Dim>
  STRIDELOCK_HOST_DEVICE constexpr auto stepped(Index step) const noexcept {
    static_assert(Dim >= 0 && Dim < Rank, "stepped<Dim>: no such dimension");
    using kept = result_of<detail::step_of_dim<Rank, Dim>, Layout>;
    auto n = extents_copy();
    auto s = strides_copy();
    n.v[Dim] = static_cast<Index>((n.v[Dim] + step - 1) / step);
    s.v[Dim] = static_cast<Index>(s.v[Dim] * step);
    return make<kept, Rank, Align>(data, n, s);
  }

  // One index of dimension Dim, which disappears.
  template <int Dim>
  STRIDELOCK_HOST_DEVICE constexpr auto select(Index at) const noexcept {
    static_assert(Dim >= 0 && Dim < Rank, "select<Dim>: no such dimension");
    using kept = result_of<detail::select_of_dim<Rank, Dim>, Layout>;
    detail::numbers<Index, Rank - 1> n, s;
    for (int i = 0; i < Rank - 1; ++i) {
      n.v[i] = extent(i < Dim ? i : i + 1);
      s.v[i] = stride(i < Dim ? i : i + 1);
    }
    return make<kept, Rank - 1, unaligned>(data + offset_of(Dim, at), n, s);
  }

  // Dimensions A and B swapped; the last two where not said.
  template <int A, int B>
  STRIDELOCK_HOST_DEVICE constexpr auto transposed() const noexcept {
    static_assert(A >= 0 && B >= 0 && A < Rank && B < Rank && A != B,
                  "transposed<A, B>: two different dimensions");
    constexpr bool moves_last = A == Rank - 1 || B == Rank - 1;
    using kept = result_of<moves_last ? operation::transpose : operation::transpose_outer, Layout>;
    auto n = extents_copy();
    auto s = strides_copy();
    n.v[A] = extent(B);
    n.v[B] = extent(A);
    s.v[A] = stride(B);
    s.v[B] = stride(A);
    return make<kept, Rank, Align>(data, n, s);
  }
  STRIDELOCK_HOST_DEVICE constexpr auto transposed() const noexcept {
    static_assert(Rank >= 2, "transposed(): of a matrix or more");
    return transposed<(Rank >= 2 ? Rank - 2 : 0), (Rank >= 2 ? Rank - 1 : 1)>();
  }

  // All outer dimensions merged into rows: a matrix over the same elements.
  STRIDELOCK_HOST_DEVICE constexpr auto as_matrix() const noexcept {
    static_assert(
        Rank >= 2 && implies_v<Layout, row_pitched>,
        "as_matrix(): outer dimensions merge into rows only if the view is row_pitched or contiguous; "
        "this view lost it, see docs/semantics.md#narrowing");
    detail::numbers<Index, 2> n, s;
    n.v[0] = 1;
    for (int i = 0; i < Rank - 1; ++i) n.v[0] = static_cast<Index>(n.v[0] * extent(i));
    n.v[1] = extent(Rank - 1);
    s.v[0] = pitch();
    s.v[1] = 1;
    return make<Layout, 2, Align>(data, n, s);
  }

  // ---- conversions -----------------------------------------------------------------------------------------------------

  // Weakening is implicit and free.
  template <class U, class M, class B,
            std::enable_if_t<detail::weakens_v<T, Layout, Align, U, M, B> &&
                                 !std::is_same_v<view, view<U, Rank, M, Index, B>>,
                             int> = 0>
  STRIDELOCK_HOST_DEVICE constexpr operator view<U, Rank, M, Index, B>() const noexcept {
    view<U, Rank, M, Index, B> weaker;
    weaker.data = data;
    weaker.numbers = geometry<M, Rank, Index>::of(numbers.extents, strides_copy().v);
    return weaker;
  }
  // Strengthening is not: this view's type does not promise that. Use require_layout or try_layout, which check.
  template <class U, class M, class B,
            std::enable_if_t<!detail::weakens_v<T, Layout, Align, U, M, B>, int>
                this_view_does_not_promise_that__use_require_layout = 0>
  constexpr operator view<U, Rank, M, Index, B>() const = delete;

 private:
  STRIDELOCK_HOST_DEVICE constexpr std::ptrdiff_t offset_of(int dim, Index at) const noexcept {
    return static_cast<std::ptrdiff_t>(at) * static_cast<std::ptrdiff_t>(stride(dim));
  }
  STRIDELOCK_HOST_DEVICE constexpr detail::numbers<Index, Rank> extents_copy() const noexcept {
    detail::numbers<Index, Rank> n;
    for (int i = 0; i < Rank; ++i) n.v[i] = numbers.extents[i];
    return n;
  }
  STRIDELOCK_HOST_DEVICE constexpr detail::numbers<Index, Rank> strides_copy() const noexcept {
    detail::numbers<Index, Rank> s;
    for (int i = 0; i < Rank; ++i) s.v[i] = numbers.stride(i);
    return s;
  }
  template <class L, int R, class A>
  STRIDELOCK_HOST_DEVICE static constexpr view<T, R, L, Index, A> make(
      T* at, const detail::numbers<Index, R>& n, const detail::numbers<Index, R>& s) noexcept {
    view<T, R, L, Index, A> result;
    result.data = at;
    result.numbers = geometry<L, R, Index>::of(n.v, s.v);
    return result;
  }
};

}  // namespace v1
}  // namespace stridelock
