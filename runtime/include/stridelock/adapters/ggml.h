// ggml.h: ggml_tensor as an argument of a boundary, as a typed view, and back.
//
// Promises:  includes no ggml.h: what has its members is a ggml_tensor. Dimensions are turned round (ggml counts from the inner
//            one), byte strides become element strides, and the rank is 4 unless asked for with ggml::as_rank. Of block types
//            (quantised ones) one block is one element, whose type is ggml::block_type(t): the inner extent and all strides
//            count blocks. Byte strides that are no multiple of the element are malformed, not rounded.
// Does not:  know the device or whether the tensor may be written, follow view_src, or keep anything alive. A tensor that is not
//            allocated yet has no data: see context_of.
// Cost:      hot; of block types two calls into ggml.
//
//   bool supports_op(const ggml_tensor* dst) {          // the graph builder's and the kernel's contract as well
//     return check_in<rope_contract>(ggml::context_of(dst->src[0], dst), dst->src[0], dst).ok();
//   }
//   const auto rows = require_view<view<const float, 2, row_pitched>>(ggml::as_rank<2>(*t));    // to_view.h
//   if (!ggml::assign(*t, v)) …                          // and back: sizes, strides and data of v
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "stridelock/describe.h"
#include "stridelock/layout.h"

namespace stridelock {
inline namespace v1 {
namespace ggml {

inline constexpr int dims = 4;

namespace detail {

template <class T, class = void>
inline constexpr bool is_tensor = false;
template <class T>
inline constexpr bool
    is_tensor<T, std::void_t<decltype(std::declval<T&>().type), decltype(std::declval<T&>().buffer),
                             decltype(std::declval<T&>().ne[0]), decltype(std::declval<T&>().nb[0]),
                             decltype(std::declval<T&>().view_src), decltype(std::declval<T&>().data)>> =
        true;

}  // namespace detail

// Types whose blocks are single values; bits == 0 for the others. The numbers are those of GGUF files, which do not change.
constexpr dtype plain_type(int ggml_type) {
  switch (ggml_type) {
    case 0:
      return types::float32;
    case 1:
      return types::float16;
    case 24:
      return types::int8;
    case 25:
      return types::int16;
    case 26:
      return types::int32;
    case 27:
      return types::int64;
    case 28:
      return types::float64;
    case 30:
      return types::bfloat16;
    default:
      return {};
  }
}

// A block of a quantised type, as one opaque element. Codes above 128 are free for such uses in DLPack's numbering.
constexpr dtype block_type(int ggml_type, int bytes) {
  const bool fits = ggml_type >= 0 && ggml_type < 127 && bytes > 0 && bytes <= 255;
  return fits ? dtype{static_cast<type_code>(129 + ggml_type), 8, static_cast<std::uint8_t>(bytes), tag::none}
              : dtype{};
}

struct description {
  tensor_ref value{};  // extents and strides are below
  bool has_data = true;
  index_t extents[dims]{};  // dimension 0 outermost
  index_t strides[dims]{};
  std::int32_t first = 0;  // leading extents of 1 that as_rank left out

  tensor_ref ref() const& {
    tensor_ref r = value;
    r.extents = extents + first;
    r.strides = strides + first;
    return r;
  }
  tensor_ref ref() const&& = delete;
};

template <class Tensor, std::enable_if_t<detail::is_tensor<Tensor>, int> = 0>
description read(const Tensor& t, int rank = dims) noexcept {
  description d;
  d.value.rank = -1;
  d.value.data = t.data;
  d.has_data = t.data != nullptr || t.buffer != nullptr;
  d.value.type = plain_type(static_cast<int>(t.type));
  index_t unit = d.value.type.storage_bytes(), block = 1;
  if (unit == 0) {  // found where the tensor's type comes from
    unit = static_cast<index_t>(ggml_type_size(t.type));
    block = static_cast<index_t>(ggml_blck_size(t.type));
    d.value.type = block_type(static_cast<int>(t.type), static_cast<int>(unit));
  }
  bool fits = d.value.type.bits != 0 && rank >= 0 && rank <= dims && block > 0 && t.ne[0] % block == 0;
  for (int i = 0; i < dims; ++i) {
    const auto bytes = static_cast<std::uint64_t>(t.nb[i]);
    const index_t n = i == 0 && block > 0 ? t.ne[0] / block : t.ne[i];
    const bool used = n > 1;
    const bool whole = unit > 0 && bytes <= static_cast<std::uint64_t>(std::numeric_limits<index_t>::max()) &&
                       static_cast<index_t>(bytes) % unit == 0;
    fits = fits && (whole || !used) && (i < rank || n == 1);
    d.extents[dims - 1 - i] = n;
    d.strides[dims - 1 - i] = whole ? static_cast<index_t>(bytes) / unit : 1;
  }
  d.first = rank >= 0 && rank <= dims ? dims - rank : 0;
  if (fits) d.value.rank = rank;
  return d;
}

// The type of one block of a tensor's type; of plain types the type itself.
template <class Tensor, std::enable_if_t<detail::is_tensor<Tensor>, int> = 0>
dtype type_of(const Tensor& t) noexcept {
  const dtype plain = plain_type(static_cast<int>(t.type));
  return plain.bits != 0 ? plain
                         : block_type(static_cast<int>(t.type), static_cast<int>(ggml_type_size(t.type)));
}

// The inner Rank dimensions; the outer ones must be 1.
template <int Rank, class Tensor>
struct ranked {
  static_assert(Rank >= 1 && Rank <= dims, "ggml::as_rank: a ggml tensor has 1 to 4 dimensions");
  const Tensor* tensor = nullptr;
};
template <int Rank, class Tensor, std::enable_if_t<detail::is_tensor<Tensor>, int> = 0>
ranked<Rank, Tensor> as_rank(const Tensor& t) noexcept {
  return {&t};
}

namespace detail {
template <class Tensor>
auto has_data(const Tensor& t) noexcept -> decltype(t.nb[0], bool()) {
  return t.data != nullptr || t.buffer != nullptr;
}
template <class Tensor>
auto has_data(const Tensor* t) noexcept -> decltype(t->nb[0], bool()) {
  return t == nullptr || has_data(*t);
}
}  // namespace detail

// The context for a boundary that is also run while a graph is built or measured: if one of the tensors is not allocated, facts
// about addresses are skipped for all.
template <class... Tensor>
evaluation_context context_of(const Tensor&... tensors) noexcept {
  evaluation_context context;
  context.without_data = !(detail::has_data(tensors) && ...);
  return context;
}

// Sizes, strides and data of a description into a tensor of the same type; false, and the tensor is as it was, where ggml
// cannot say it: another type, more than 4 dimensions, negative strides, read-only memory.
template <class Tensor, std::enable_if_t<detail::is_tensor<Tensor>, int> = 0>
bool assign(Tensor& t, const tensor_ref& r) noexcept {
  const dtype plain = plain_type(static_cast<int>(t.type));
  if (plain.bits == 0 || !same_representation(plain, r.type) || r.rank < 0 || r.rank > dims ||
      r.read_only == tri::yes || (r.rank > 0 && r.extents == nullptr))
    return false;
  const index_t unit = plain.storage_bytes();
  index_t ne[dims] = {1, 1, 1, 1};
  checked nb[dims];
  for (int i = 0; i < dims; ++i) {
    const int d = r.rank - 1 - i;
    if (d < 0) {
      nb[i] = i == 0 ? checked(unit) : nb[i - 1] * checked(ne[i - 1] > 1 ? ne[i - 1] : 1);
      continue;
    }
    const checked stride =
        r.strides != nullptr ? checked(r.strides[d]) : canonical_stride({r.rank, r.extents, nullptr}, d);
    ne[i] = r.extents[d];
    nb[i] = stride * checked(unit);
  }
  for (int i = 0; i < dims; ++i)
    if (ne[i] < 0 || !nb[i].ok || nb[i].value < 0) return false;
  for (int i = 0; i < dims; ++i) {
    t.ne[i] = ne[i];
    t.nb[i] = static_cast<std::remove_reference_t<decltype(t.nb[i])>>(nb[i].value);
  }
  t.data = r.data == nullptr ? nullptr
                             : reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(r.data) +
                                                       static_cast<std::uintptr_t>(r.byte_offset));
  return true;
}
template <class Tensor, class T, int R, class L, class I, class A>
bool assign(Tensor& t, const view<T, R, L, I, A>& v) noexcept {
  static_assert(R <= dims, "ggml::assign: a ggml tensor has at most 4 dimensions");
  static_assert(!std::is_const_v<T>, "ggml::assign: a ggml tensor cannot be read-only");
  const auto described = stridelock::describe(v);
  return assign(t, described.ref());
}

}  // namespace ggml

template <class Tensor>
struct adapter<Tensor, std::enable_if_t<ggml::detail::is_tensor<Tensor>>> {
  static ggml::description describe(const Tensor& t) noexcept { return ggml::read(t); }
};
template <int Rank, class Tensor>
struct adapter<ggml::ranked<Rank, Tensor>> {
  static ggml::description describe(const ggml::ranked<Rank, Tensor>& t) noexcept {
    return ggml::read(*t.tensor, Rank);
  }
};

}  // namespace v1
}  // namespace stridelock
