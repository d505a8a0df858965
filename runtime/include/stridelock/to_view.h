// to_view.h: from any tensor that a boundary understands to a typed view, checked.
//
// Promises:  the view's type is true of the tensor: element type, rank, layout, index width, alignment (of the element type
//            at least), and that it may be written if its elements are not const. try_view never fails but says so;
//            require_view hands every violation to the failure hook. The byte offset becomes part of the pointer.
// Does not:  copy an element or keep the tensor alive. A view does not know its device: tensors on devices whose data word
//            is a handle are refused. Whether a tensor may be written is not always known; unknown is accepted.
//            After a failure hook that returns, and built without exceptions, the result is an empty view: null data,
//            extents 0.
// Cost:      hot, O(rank); cold only when it fails.
//
//   if (auto rows = try_view<view<const float, 2, row_pitched>>(tensor)) kernel(*rows);
//   kernel(require_view<view<float, 2>>(tensor));        // a DLTensor, an at::Tensor, a tensor_ref, …
#pragma once

#include <cstdint>
#include <type_traits>

#include "stridelock/strengthen.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

template <class L>
constexpr argument with_layout(const argument& a) {
  if constexpr (std::is_same_v<L, contiguous>)
    return a.layout(notion::dense);
  else if constexpr (std::is_same_v<L, row_pitched>)
    return a.layout(notion::row_pitched);
  else if constexpr (std::is_same_v<L, inner_contiguous>)
    return a.layout(notion::inner_contiguous);
  else
    return a;
}

template <class V>
constexpr argument argument_for() {
  using element = typename V::element;
  argument a = with_layout<typename V::layout_kind>(arg("tensor")
                                                        .type(dtype_of<element>)
                                                        .rank_in({V::rank})
                                                        .aligned(static_cast<int>(V::alignment::value)));
  if (sizeof(typename V::index) < sizeof(index_t))
    a = a.index_bits(static_cast<int>(sizeof(typename V::index) * 8));
  return std::is_const_v<element> ? a : a.require({notion::writable, 0, 0, {}});
}
template <class V>
inline constexpr auto needs_view = make_contract("require_view", argument_for<V>());
template <std::size_t Bits>
inline constexpr auto needs_index =
    make_contract("require_view", arg("tensor").index_bits(static_cast<int>(Bits)));
inline constexpr auto needs_addresses = make_contract("require_view", arg("tensor").on(device_kind::cpu));

template <class V>
checked_view<V> typed_view_of(const tensor_ref& r) noexcept {
  using element = typename V::element;
  using loose = view<element, V::rank, strided>;
  static_assert(dtype_of<element>.element_bits() == index_t{sizeof(element)} * 8,
                "try_view: the element type must be as large as the dtype it stands for; views do not "
                "address sub-byte values");
  if (r.rank != V::rank || !accepts(dtype_of<element>, r.type) || !has_addresses(r.where)) return {};
  if (r.rank > 0 && r.extents == nullptr) return {};
  if (!std::is_const_v<element> && r.read_only == tri::yes) return {};

  index_t strides[at_least_one<V::rank>]{};
  for (int i = 0; i < V::rank; ++i) {
    if (r.strides != nullptr) {
      strides[i] = r.strides[i];
    } else {
      const checked stride = canonical_stride({r.rank, r.extents, nullptr}, i);
      if (!stride.ok) return {};
      strides[i] = stride.value;
    }
  }
  const layout_ref l{r.rank, r.extents, strides};
  if (!is_addressable(l)) return {};

  loose whole;
  if (r.data != nullptr) {
    const std::uintptr_t address =
        reinterpret_cast<std::uintptr_t>(r.data) + static_cast<std::uintptr_t>(r.byte_offset);
    whole.data = reinterpret_cast<element*>(address);
  } else if (!is_empty(l)) {
    return {};
  }
  whole.numbers = geometry<strided, V::rank, index_t>::of(r.extents, strides);

  const auto with_layout = try_layout<typename V::layout_kind>(whole);
  if (!with_layout) return {};
  const auto with_index = try_index<typename V::index>(*with_layout);
  if (!with_index) return {};
  return try_alignment<V::alignment::value>(*with_index);
}

// Why there is no view. Never a report that is fine.
template <class V>
report why_no_view(const tensor_ref& r) noexcept {
  report why = check<needs_view<V>>(r);
  if (why.ok() && !has_addresses(r.where)) why = check<needs_addresses>(r);
  if (why.ok()) {  // an extent alone is beyond the index type: one that is never multiplied by a stride, or of an empty tensor
    index_t largest = 0;
    for (int i = 0; i < r.rank; ++i) largest = r.extents[i] > largest ? r.extents[i] : largest;
    const index_t unit = 1;
    tensor_ref line = r;
    line.rank = 1;
    line.extents = &largest;
    line.strides = &unit;
    why = check<needs_index<sizeof(typename V::index) * 8>>(line);
  }
  return why;
}

}  // namespace detail

template <class View, class Tensor>
checked_view<View> try_view(const Tensor& tensor) noexcept {
  const auto described = describe(tensor);
  const argument_value given = detail::argument_of(described);
  return given.is_present ? detail::typed_view_of<View>(given.tensor) : checked_view<View>{};
}

inline namespace STRIDELOCK_BOUNDARY_NAMESPACE {
template <class View, class Tensor>
View require_view(const Tensor& tensor) {
  const auto described = describe(tensor);
  const argument_value given = detail::argument_of(described);
  checked_view<View> result;
  if (given.is_present) result = detail::typed_view_of<View>(given.tensor);
  if (!result)
    refuse(given.is_present ? detail::why_no_view<View>(given.tensor)
                            : check<detail::needs_view<View>>(absent));
  return result.value;
}
}  // namespace STRIDELOCK_BOUNDARY_NAMESPACE

}  // namespace v1
}  // namespace stridelock
