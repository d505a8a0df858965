// strengthen.h: from a weaker view to a stronger one, explicitly and checked.
//
// Promises:  the numbers are judged by the notions of layout.h, so a stride of an extent of 1 does not matter; what the
//            type already promises is not judged again. try_* never fails but says so; require_* goes to the failure hook.
// Does not:  copy or move a single element: a view that is not dense is refused, never packed behind your back.
//            The message names the line that asked. After a failure hook that returns, and built without exceptions, the result is an empty view: null data,
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
template <std::size_t Bytes>
inline constexpr auto needs_alignment =
    make_contract("require_alignment", arg("view").aligned(static_cast<int>(Bytes)));

// Every reachable offset fits, and every extent from dimension `First` on, as many as a contract has room for.
template <class J, int First, std::size_t... D>
constexpr contract<1> make_index_contract(std::index_sequence<D...>) {
  constexpr std::string_view names[] = {"d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7"};
  contract<1> c = make_contract(
      "require_index", arg("view").shape(sym(names[D])...).index_bits(static_cast<int>(8 * sizeof(J))));
  constexpr index_t largest = std::numeric_limits<J>::max();
  for (std::size_t d = First; d < sizeof...(D) && d < First + contract<1>::most_conditions; ++d)
    c = c.needs(sym(names[d]) <= largest);
  return c;
}
template <class J, int Rank, int First>
inline constexpr auto needs_index_type =
    make_index_contract<J, First>(std::make_index_sequence<static_cast<std::size_t>(Rank)>());

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

// What is wrong with a view, and on which line it was asked.
template <const auto& C, class T, int R, class L, class I, class A>
STRIDELOCK_COLD report report_of(const view<T, R, L, I, A>& v, const char* file, int line) noexcept {
  const auto described = stridelock::describe(v);
  tensor_ref r = described.ref();
  provenance from;
  from.root = "view";
  from.root_line = line_in(file, line);
  from.root_rank = R;
  for (int i = 0; i < R; ++i) {
    from.root_extents[i] = r.extents[i];
    from.root_strides[i] = r.strides[i];
  }
  r.from = &from;
  return evaluate_described(boundary_of<C>, no_context, described_in_place{r});
}

template <class M, class V>
report layout_report(const V& v, const char* file, int line) noexcept {
  if constexpr (std::is_same_v<M, contiguous>)
    return report_of<needs_contiguous>(v, file, line);
  else if constexpr (std::is_same_v<M, row_pitched>)
    return report_of<needs_row_pitched>(v, file, line);
  else
    return report_of<needs_inner>(v, file, line);
}

template <class J, class T, int R, class L, class I, class A>
report index_report(const view<T, R, L, I, A>& v, const char* file, int line) noexcept {
  report r = report_of<needs_index_type<J, R, 0>>(v, file, line);
  if constexpr (R > contract<1>::most_conditions)
    if (r.ok()) r = report_of<needs_index_type<J, R, contract<1>::most_conditions>>(v, file, line);
  return r;
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
view<T, R, M, I, A> require_layout(const view<T, R, L, I, A>& v, const char* file = STRIDELOCK_CALLER_FILE,
                                   int line = STRIDELOCK_CALLER_LINE) {
  const auto result = try_layout<M>(v);
  if (!result) refuse(detail::layout_report<M>(v, file, line));
  return result.value;
}
}  // namespace STRIDELOCK_BOUNDARY_NAMESPACE

// To a narrower or wider index type. Narrowing needs every extent and every reachable offset to fit.
template <class J, class T, int R, class L, class I, class A>
constexpr checked_view<view<T, R, L, J, A>> try_index(const view<T, R, L, I, A>& v) noexcept {
  checked_view<view<T, R, L, J, A>> result;
  index_t n[detail::at_least_one<R>]{}, s[detail::at_least_one<R>]{};
  J own_n[detail::at_least_one<R>]{}, own_s[detail::at_least_one<R>]{};
  const bool is_empty = v.size() == 0;  // no stride is ever used
  constexpr index_t least = std::numeric_limits<J>::min(), largest = std::numeric_limits<J>::max();
  for (int i = 0; i < R; ++i) {
    n[i] = v.extent(i);
    s[i] = is_empty || n[i] <= 1 ? 1 : v.stride(i);
    if (n[i] < least || n[i] > largest || s[i] < least || s[i] > largest) return result;
    own_n[i] = static_cast<J>(n[i]);
    own_s[i] = static_cast<J>(s[i]);
  }
  if (!fits_index_bits({R, n, s}, static_cast<int>(sizeof(J) * 8))) return result;
  result.ok = true;
  result.value.data = v.data;
  if constexpr (std::is_same_v<L, row_pitched> && R >= 2) {
    const pitch_result rows = row_pitch({R, n, s});
    own_s[R - 2] = static_cast<J>(rows.has_pitch && !is_empty ? rows.pitch : n[R - 1]);
  }
  result.value.numbers = geometry<L, R, J>::of(own_n, own_s);
  return result;
}

inline namespace STRIDELOCK_BOUNDARY_NAMESPACE {
template <class J, class T, int R, class L, class I, class A>
view<T, R, L, J, A> require_index(const view<T, R, L, I, A>& v, const char* file = STRIDELOCK_CALLER_FILE,
                                  int line = STRIDELOCK_CALLER_LINE) {
  const auto result = try_index<J>(v);
  if (!result) refuse(detail::index_report<J>(v, file, line));
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
view<T, R, L, I, aligned<Bytes>> require_alignment(const view<T, R, L, I, A>& v,
                                                   const char* file = STRIDELOCK_CALLER_FILE,
                                                   int line = STRIDELOCK_CALLER_LINE) {
  const auto result = try_alignment<Bytes>(v);
  if (!result) refuse(detail::report_of<detail::needs_alignment<Bytes>>(v, file, line));
  return result.value;
}
}  // namespace STRIDELOCK_BOUNDARY_NAMESPACE

}  // namespace v1
}  // namespace stridelock
