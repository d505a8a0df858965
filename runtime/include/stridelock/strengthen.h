// strengthen.h: from a weaker view to a stronger one, explicitly and checked.
//
// Promises:  the numbers are judged by the notions of layout.h, so a stride of an extent of 1 does not matter; what the
//            type already promises is not judged again. try_* never fails but says so; require_* goes to the failure hook.
// Does not:  copy or move a single element: a view that is not dense is refused, never packed behind your back.
//            After a failure hook that returns, and built without exceptions, the result is an empty view: null data,
//            extents 0.
// Cost:      hot, O(rank); cold only when it fails.
//
//   if (auto dense = try_layout<contiguous>(narrow)) paged(*dense);
//   paged(require_layout<contiguous>(narrow));
//   kernel(require_index<std::int32_t>(v));      // every reachable offset fits into 32 bits
//   kernel(require_alignment<16>(v));
#pragma once

#include <cstdint>
#include <limits>

#include "stridelock/check.h"
#include "stridelock/layout.h"
#include "stridelock/view.h"

namespace stridelock {
inline namespace v1 {

// A view, or nothing.
template <class View>
struct checked_view {
  bool ok = false;
  View value{};

  constexpr explicit operator bool() const noexcept { return ok; }
  constexpr const View& operator*() const noexcept { return value; }
  constexpr const View* operator->() const noexcept { return &value; }
};

namespace detail {

inline constexpr auto needs_contiguous = make_contract("require_layout", arg("view").layout(notion::dense));
inline constexpr auto needs_row_pitched =
    make_contract("require_layout", arg("view").layout(notion::row_pitched));
inline constexpr auto needs_inner =
    make_contract("require_layout", arg("view").layout(notion::inner_contiguous));
inline constexpr auto needs_32_bits = make_contract("require_index", arg("view").index_bits(32));
template <std::size_t Bytes>
inline constexpr auto needs_alignment =
    make_contract("require_alignment", arg("view").aligned(static_cast<int>(Bytes)));

template <class M>
constexpr bool has_layout(const layout_ref& l) {
  if constexpr (std::is_same_v<M, contiguous>)
    return is_dense(l);
  else if constexpr (std::is_same_v<M, row_pitched>)
    return is_row_pitched(l);
  else if constexpr (std::is_same_v<M, inner_contiguous>)
    return is_inner_contiguous(l);
  else
    return true;
}

template <class M, class V>
report layout_report(const V& v) noexcept {
  if constexpr (std::is_same_v<M, contiguous>)
    return check<needs_contiguous>(v);
  else if constexpr (std::is_same_v<M, row_pitched>)
    return check<needs_row_pitched>(v);
  else
    return check<needs_inner>(v);
}

}  // namespace detail

template <class M, class T, int R, class L, class I, class A>
constexpr checked_view<view<T, R, M, I, A>> try_layout(const view<T, R, L, I, A>& v) noexcept {
  checked_view<view<T, R, M, I, A>> result;
  if constexpr (implies_v<L, M>) {
    result.ok = true;
    result.value = v;
  } else {
    index_t n[detail::at_least_one<R>]{}, s[detail::at_least_one<R>]{};
    I own_n[detail::at_least_one<R>]{}, own_s[detail::at_least_one<R>]{};
    for (int i = 0; i < R; ++i) {
      n[i] = own_n[i] = v.extent(i);
      s[i] = own_s[i] = v.stride(i);
    }
    const layout_ref l{R, n, s};
    if (!detail::has_layout<M>(l)) return result;
    // The stride of the dimension before the last is the pitch only if its extent is not 1.
    if (R >= 2 && std::is_same_v<M, row_pitched>) {
      const pitch_result rows = row_pitch(l);
      own_s[detail::at_least_one<R - 1> - 1] = static_cast<I>(rows.has_pitch ? rows.pitch : n[R - 1]);
    }
    result.ok = true;
    result.value.data = v.data;
    result.value.numbers = geometry<M, R, I>::of(own_n, own_s);
  }
  return result;
}

inline namespace STRIDELOCK_BOUNDARY_NAMESPACE {
template <class M, class T, int R, class L, class I, class A>
view<T, R, M, I, A> require_layout(const view<T, R, L, I, A>& v) {
  const auto result = try_layout<M>(v);
  if (!result) refuse(detail::layout_report<M>(v));
  return result.value;
}
}  // namespace STRIDELOCK_BOUNDARY_NAMESPACE

// To a narrower or wider index type. Narrowing needs every extent, stride and reachable offset to fit.
template <class J, class T, int R, class L, class I, class A>
constexpr checked_view<view<T, R, L, J, A>> try_index(const view<T, R, L, I, A>& v) noexcept {
  checked_view<view<T, R, L, J, A>> result;
  index_t n[detail::at_least_one<R>]{}, s[detail::at_least_one<R>]{};
  J own_n[detail::at_least_one<R>]{}, own_s[detail::at_least_one<R>]{};
  for (int i = 0; i < R; ++i) {
    n[i] = v.extent(i);
    s[i] = v.stride(i);
    const bool fits =
        n[i] >= std::numeric_limits<J>::min() && n[i] <= std::numeric_limits<J>::max() &&
        (n[i] <= 1 || (s[i] >= std::numeric_limits<J>::min() && s[i] <= std::numeric_limits<J>::max()));
    if (!fits) return result;
    own_n[i] = static_cast<J>(n[i]);
    own_s[i] = n[i] <= 1 ? J{1} : static_cast<J>(s[i]);
  }
  if (!fits_index_bits({R, n, s}, static_cast<int>(sizeof(J) * 8))) return result;
  result.ok = true;
  result.value.data = v.data;
  if constexpr (std::is_same_v<L, row_pitched> && R >= 2) {
    const pitch_result rows = row_pitch({R, n, s});
    own_s[R - 2] = static_cast<J>(rows.has_pitch ? rows.pitch : n[R - 1]);
  }
  result.value.numbers = geometry<L, R, J>::of(own_n, own_s);
  return result;
}

inline namespace STRIDELOCK_BOUNDARY_NAMESPACE {
template <class J, class T, int R, class L, class I, class A>
view<T, R, L, J, A> require_index(const view<T, R, L, I, A>& v) {
  const auto result = try_index<J>(v);
  if (!result) refuse(check<detail::needs_32_bits>(v));
  return result.value;
}
}  // namespace STRIDELOCK_BOUNDARY_NAMESPACE

template <std::size_t Bytes, class T, int R, class L, class I, class A>
checked_view<view<T, R, L, I, aligned<Bytes>>> try_alignment(const view<T, R, L, I, A>& v) noexcept {
  checked_view<view<T, R, L, I, aligned<Bytes>>> result;
  result.ok = v.size() == 0 || is_aligned(reinterpret_cast<std::uintptr_t>(v.data), 0, Bytes);
  if (!result.ok) return result;
  result.value.data = v.data;
  result.value.numbers = v.numbers;
  return result;
}

inline namespace STRIDELOCK_BOUNDARY_NAMESPACE {
template <std::size_t Bytes, class T, int R, class L, class I, class A>
view<T, R, L, I, aligned<Bytes>> require_alignment(const view<T, R, L, I, A>& v) {
  const auto result = try_alignment<Bytes>(v);
  if (!result) refuse(check<detail::needs_alignment<Bytes>>(v));
  return result.value;
}
}  // namespace STRIDELOCK_BOUNDARY_NAMESPACE

}  // namespace v1
}  // namespace stridelock
