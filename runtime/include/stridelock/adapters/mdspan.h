// mdspan.h: mdspan of any library (std::, cuda::std::, the reference implementation) as an argument, as a typed view, and back.
//
// Promises:  includes no mdspan: what has its members is one. What a layout policy proves is in the view's type: layout_right is
//            contiguous, layout_right_padded row-pitched, everything else strided; an aligned accessor's alignment is kept.
//            The way back compiles without a check exactly if the types prove it (to_mdspan), else it is checked (try_mdspan):
//            static extents, index range, alignment, and that layout_stride gets what it demands: strides above 0, no overlap.
// Does not:  keep static extents in the view's type, know where memory lives, or take accessors that compute: elements
//            must be reachable as element_type& through a plain pointer.
// Cost:      none from an mdspan and to a proved one; hot where it checks.
//
//   check<scale>(x);                                                        // any mdspan
//   const auto v = from_mdspan(x);                                          // view<float, 2, contiguous, …>, no check
//   const auto m = to_mdspan<std::mdspan<float, std::dextents<int, 2>>>(v);
//   if (auto p = try_mdspan<std::mdspan<float, std::dextents<int, 2>, std::layout_stride>>(narrow)) kernel(*p);
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "stridelock/describe.h"
#include "stridelock/strengthen.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

template <class M, class = void>
inline constexpr bool is_mdspan = false;
template <class M>
inline constexpr bool
    is_mdspan<M, std::void_t<typename M::extents_type, typename M::layout_type, typename M::accessor_type,
                             typename M::mapping_type, decltype(std::declval<const M&>().data_handle()),
                             decltype(std::declval<const M&>().mapping()), decltype(M::rank())>> = true;

// The same kind of extents with other values, to ask a layout policy what strides it gives.
inline constexpr std::size_t probe_extents[max_rank] = {2, 3, 5, 7, 11, 13, 17, 19};

template <class Extents, class Dims>
struct probe;
template <template <class, std::size_t...> class X, class I, std::size_t... N, std::size_t... D>
struct probe<X<I, N...>, std::index_sequence<D...>> {
  using type = X<long long, probe_extents[D]...>;
};
template <class M>
using probe_mapping = typename M::layout_type::template mapping<
    typename probe<typename M::extents_type, std::make_index_sequence<M::rank()>>::type>;

template <class M>
constexpr bool probes_as(bool with_pitch) {
  const probe_mapping<M> mapping{};
  constexpr int rank = static_cast<int>(M::rank());
  long long expected = 1;
  for (int d = rank - 1; d >= 0; --d) {
    const auto stride = static_cast<long long>(mapping.stride(static_cast<std::size_t>(d)));
    if (with_pitch && d == rank - 2 && stride >= expected) expected = stride;
    if (stride != expected) return false;
    expected *= static_cast<long long>(probe_extents[d]);
  }
  return true;
}

template <class Mapping, class = void>
inline constexpr bool has_padding = false;
template <class Mapping>
inline constexpr bool has_padding<Mapping, std::void_t<decltype(Mapping::padding_value)>> = true;

// Row-major, if no layout of the policy leaves a gap and its strides are the row-major ones for extents that differ; padded rows,
// if it says so of itself.
template <class M>
constexpr auto layout_kind_of_mdspan() {
  if constexpr (M::rank() == 0) {
    return contiguous{};
  } else if constexpr (M::mapping_type::is_always_exhaustive()) {
    if constexpr (probes_as<M>(false))
      return contiguous{};
    else
      return strided{};
  } else if constexpr (has_padding<typename M::mapping_type>) {
    if constexpr (probes_as<M>(true))
      return row_pitched{};
    else
      return strided{};
  } else {
    return strided{};
  }
}

template <class Accessor, class Element, class = void>
inline constexpr std::size_t alignment_of_accessor = alignof(Element);
template <class Accessor, class Element>
inline constexpr std::size_t
    alignment_of_accessor<Accessor, Element, std::void_t<decltype(Accessor::byte_alignment)>> =
        Accessor::byte_alignment;

template <class I>
using view_index =
    std::conditional_t<(sizeof(I) < 4 || (sizeof(I) == 4 && std::is_signed_v<I>)), std::int32_t, index_t>;

template <class M>
struct mdspan_traits {
  using element = typename M::element_type;
  static_assert(M::rank() <= static_cast<std::size_t>(max_rank), "mdspan: views have at most 8 dimensions");
  static_assert(std::is_same_v<typename M::reference, element&> &&
                    std::is_convertible_v<typename M::data_handle_type, element*>,
                "mdspan: this accessor computes its elements; a view needs memory that holds them");
  static_assert(M::mapping_type::is_always_strided(), "mdspan: this layout policy has no strides");
  using view_type = view<element, static_cast<int>(M::rank()), decltype(layout_kind_of_mdspan<M>()),
                         view_index<typename M::index_type>,
                         aligned<alignment_of_accessor<typename M::accessor_type, element>>>;
};

}  // namespace detail

template <class M>
using view_of_mdspan = typename detail::mdspan_traits<M>::view_type;

template <class M, std::enable_if_t<detail::is_mdspan<M>, int> = 0>
constexpr view_of_mdspan<M> from_mdspan(const M& m) noexcept {
  using result = view_of_mdspan<M>;
  using index = typename result::index;
  index n[detail::at_least_one<result::rank>]{}, s[detail::at_least_one<result::rank>]{};
  for (int d = 0; d < result::rank; ++d) {
    n[d] = static_cast<index>(m.extent(static_cast<std::size_t>(d)));
    s[d] = static_cast<index>(m.mapping().stride(static_cast<std::size_t>(d)));
  }
  result v;
  v.data = m.data_handle();
  v.numbers = geometry<typename result::layout_kind, result::rank, index>::of(n, s);
  return v;
}

template <class M>
struct adapter<M, std::enable_if_t<detail::is_mdspan<M>>> {
  static constexpr described_view<static_cast<int>(M::rank())> describe(const M& m) noexcept {
    return stridelock::describe(from_mdspan(m));
  }
};

// ---- back ------------------------------------------------------------------------------------------------------------

namespace detail {

template <class M, class V>
inline constexpr bool can_become =
    static_cast<int>(M::rank()) == V::rank &&
    std::is_convertible_v<typename V::element (*)[], typename M::element_type (*)[]>;

// Nothing about the numbers is left to ask.
template <class M, class V>
inline constexpr bool proves =
    can_become<M, V> && M::rank_dynamic() == M::rank() &&
    std::is_same_v<decltype(layout_kind_of_mdspan<M>()), contiguous> &&
    std::is_same_v<typename V::layout_kind, contiguous> &&
    std::numeric_limits<typename M::index_type>::max() >= std::numeric_limits<typename V::index>::max() &&
    alignment_of_accessor<typename M::accessor_type, typename M::element_type> <= V::alignment::value;

template <class M, std::size_t... D>
constexpr typename M::extents_type extents_for(const index_t* n, std::index_sequence<D...>) {
  (void)n;
  return typename M::extents_type(static_cast<typename M::index_type>(n[D])...);
}

// A mapping made from an array of strides, as layout_stride's.
template <class Mapping, class Extents, class = void>
inline constexpr bool takes_strides = false;
template <class Mapping, class Extents>
inline constexpr bool
    takes_strides<Mapping, Extents,
                  std::void_t<decltype(Mapping(std::declval<const Extents&>(),
                                               std::declval<const Mapping&>().strides()))>> = true;

// What layout_stride demands: positive strides, and in some order each at least the extent of the one before. That is stricter
// than having no overlap.
constexpr bool suits_layout_stride(const layout_ref& l) {
  if (is_empty(l)) return true;
  for (int i = 0; i < l.rank; ++i)
    if (l.extents[i] > 1 && l.strides[i] <= 0) return false;
  const sorted_dims dims(l);
  for (int i = 1; i < dims.count; ++i) {
    const checked inner = checked(dims.strides[i - 1]) * checked(dims.extents[i - 1]);
    if (!inner.ok || dims.strides[i] < inner.value) return false;
  }
  return true;
}

template <class M>
constexpr bool mapping_has_strides(const typename M::mapping_type& mapping, const layout_ref& l) {
  if (is_empty(l)) return true;
  for (int d = 0; d < l.rank; ++d)
    if (l.extents[d] > 1 && static_cast<index_t>(mapping.stride(static_cast<std::size_t>(d))) != l.strides[d])
      return false;
  return true;
}

}  // namespace detail

// Only where the types prove that nothing can go wrong.
template <class M, class T, int R, class L, class I, class A>
constexpr M to_mdspan(const view<T, R, L, I, A>& v) noexcept {
  static_assert(detail::proves<M, view<T, R, L, I, A>>,
                "to_mdspan: the view's type does not prove this mdspan (layout, static extents, index type "
                "or alignment); "
                "use try_mdspan, which checks");
  index_t n[detail::at_least_one<R>]{};
  for (int d = 0; d < R; ++d) n[d] = v.extent(d);
  return M(v.data, typename M::mapping_type(
                       detail::extents_for<M>(n, std::make_index_sequence<static_cast<std::size_t>(R)>())));
}

template <class M, class T, int R, class L, class I, class A>
std::optional<M> try_mdspan(const view<T, R, L, I, A>& v) {
  using mapping_type = typename M::mapping_type;
  using index = typename M::index_type;
  static_assert(detail::can_become<M, view<T, R, L, I, A>>,
                "try_mdspan: another rank or element type than the view");
  index_t n[detail::at_least_one<R>]{}, s[detail::at_least_one<R>]{};
  for (int d = 0; d < R; ++d) {
    n[d] = v.extent(d);
    s[d] = v.stride(d);
    const std::size_t fixed = M::static_extent(static_cast<std::size_t>(d));
    if (fixed != static_cast<std::size_t>(-1) && static_cast<index_t>(fixed) != n[d]) return std::nullopt;
  }
  const layout_ref l{R, n, s};
  if (!is_addressable(l)) return std::nullopt;
  // Extents, their product and the span must be values of the index type.
  const auto fits = [](index_t value) {
    return value >= 0 &&
           static_cast<std::uint64_t>(value) <= static_cast<std::uint64_t>(std::numeric_limits<index>::max());
  };
  const reach span = offsets_of(l);
  bool all_fit =
      fits(element_count(l).value) && (span.empty || (span.high != checked::highest && fits(span.high + 1)));
  for (int d = 0; d < R; ++d) all_fit = all_fit && fits(n[d]);
  if (!all_fit) return std::nullopt;
  constexpr std::size_t alignment =
      detail::alignment_of_accessor<typename M::accessor_type, typename M::element_type>;
  if (!span.empty && !is_aligned(reinterpret_cast<std::uintptr_t>(v.data), 0, alignment)) return std::nullopt;

  const auto extents = detail::extents_for<M>(n, std::make_index_sequence<static_cast<std::size_t>(R)>());
  if constexpr (detail::takes_strides<mapping_type, typename M::extents_type>) {
    if (!detail::suits_layout_stride(l)) return std::nullopt;
    auto strides = mapping_type().strides();
    for (int d = 0; d < R; ++d) {
      // A stride that is never used may be anything, but layout_stride wants it positive.
      const index_t used = span.empty ? canonical_stride(l, d).value : n[d] > 1 ? s[d] : 1;
      if (!fits(used)) return std::nullopt;
      strides[static_cast<std::size_t>(d)] = static_cast<index>(used);
    }
    return M(v.data, mapping_type(extents, strides));
  } else if constexpr (detail::has_padding<mapping_type> && R >= 2) {
    const pitch_result rows = row_pitch(l);
    const index_t pitch = rows.has_pitch ? rows.pitch : n[R - 1];
    if (!fits(pitch) || !is_row_pitched(l)) return std::nullopt;
    const mapping_type mapping = mapping_type::padding_value == static_cast<std::size_t>(-1)
                                     ? mapping_type(extents, static_cast<index>(pitch > 0 ? pitch : 1))
                                     : mapping_type(extents);
    if (!detail::mapping_has_strides<M>(mapping, l)) return std::nullopt;
    return M(v.data, mapping);
  } else {
    const mapping_type mapping(extents);
    if (!detail::mapping_has_strides<M>(mapping, l)) return std::nullopt;
    return M(v.data, mapping);
  }
}

}  // namespace v1
}  // namespace stridelock
