// aten.h: at::Tensor as an argument of a boundary, as a typed view, and back.
//
// Promises:  an undefined tensor, and an empty optional, is an absent argument. Sizes and strides are borrowed from the tensor;
//            its address is its storage's, and the storage offset the byte offset; nothing of autograd is touched. What ATen
//            cannot lay bare as numbers is malformed: sparse and quantised tensors, conjugated and negated ones (their memory
//            does not hold their values: call resolve_conj() or resolve_neg()), symbolic sizes, ranks above 8.
//            A tensor that shares its memory until it is written (copy on write) is read-only.
// Does not:  know whether memory is pinned, or keep the tensor alive: a view dies with its storage. A HIP build says cuda.
// Cost:      hot; ATen's accessors are most of it. The data pointer is taken from the storage, not through data_ptr(),
//            which checks more.
//
//   at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& w, const std::optional<at::Tensor>& bias) {
//     require<rms_norm_contract>(x, w, bias);
//     const auto rows = require_view<view<const float, 2, row_pitched>>(x);       // to_view.h
//     …
//   }
//   // A function that also runs with fake or meta tensors skips the facts about addresses for those:
//   require_in<rms_norm_contract>(aten::context_of(x, w, bias), x, w, bias);
//
//   at::Tensor t = aten::lend(v, at::kCPU, buffer);           // owns a copy of buffer; same memory
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/ScalarType.h>
#if __has_include(<c10/core/impl/COW.h>)
#include <c10/core/impl/COW.h>
#define STRIDELOCK_ATEN_HAS_COPY_ON_WRITE 1
#endif

#include <type_traits>
#include <utility>

#include "stridelock/describe.h"
#include "stridelock/layout.h"

namespace stridelock {
inline namespace v1 {
namespace aten {

// bits == 0 where ATen's type is no element that memory holds as it stands: quantised types carry a scale elsewhere, and
// the narrow integers define no packing. Numbers of ATen, because one header must know the types of all its versions.
constexpr dtype type_of(at::ScalarType type) {
  if (type == at::ScalarType::Undefined) return {};
  switch (static_cast<int>(type)) {
    case 0:
      return types::uint8;
    case 1:
      return types::int8;
    case 2:
      return types::int16;
    case 3:
      return types::int32;
    case 4:
      return types::int64;
    case 5:
      return types::float16;
    case 6:
      return types::float32;
    case 7:
      return types::float64;
    case 8:
      return {type_code::complex, 32, 1, tag::none};
    case 9:
      return {type_code::complex, 64, 1, tag::none};
    case 10:
      return {type_code::complex, 128, 1, tag::none};
    case 11:
      return types::boolean;
    case 15:
      return types::bfloat16;
    case 23:
      return types::float8_e5m2;
    case 24:
      return types::float8_e4m3fn;
    case 25:
      return {type_code::float8_e5m2fnuz, 8, 1, tag::none};
    case 26:
      return {type_code::float8_e4m3fnuz, 8, 1, tag::none};
    case 27:
      return types::uint16;
    case 28:
      return types::uint32;
    case 29:
      return types::uint64;
    case 44:
      return types::float8_e8m0fnu;
    case 45:
      return types::float4_e2m1fn;  // two to a byte; ATen counts the bytes
    default:
      return {};
  }
}

inline device device_of(at::Device d) {
  const std::int32_t ordinal = d.index() < 0 ? 0 : d.index();
  switch (d.type()) {
    case at::DeviceType::CPU:
      return {device_kind::cpu, 0};
    case at::DeviceType::CUDA:
      return {device_kind::cuda, ordinal};
    case at::DeviceType::HIP:
      return {device_kind::rocm, ordinal};
    case at::DeviceType::XPU:
      return {device_kind::oneapi, ordinal};
    case at::DeviceType::MPS:
      return {device_kind::metal, ordinal};
    case at::DeviceType::Vulkan:
      return {device_kind::vulkan, ordinal};
    case at::DeviceType::OPENCL:
      return {device_kind::opencl, ordinal};
    case at::DeviceType::Meta:
      return {};
    default:
      return {device_kind::extension, ordinal};
  }
}

// What one tensor says. Borrows sizes and strides from it, unless ATen counts bytes where we count elements.
struct description {
  tensor_ref value{};
  bool has_data = true;  // false: fake, meta, or a wrapper without storage
  bool recounted = false;
  index_t extents[max_rank];  // not set unless recounted
  index_t strides[max_rank];

  description() noexcept {
  }  // NOLINT(modernize-use-equals-default): `= default` would zero the arrays in every call

  tensor_ref ref() const& {
    tensor_ref r = value;
    if (recounted) {
      r.extents = extents;
      r.strides = strides;
    }
    return r;
  }
  tensor_ref ref() const&& = delete;
};

namespace detail {

inline constexpr c10::DispatchKeySet memory_is_not_values = c10::DispatchKeySet(
    {c10::DispatchKey::Conjugate, c10::DispatchKey::Negative, c10::DispatchKey::ZeroTensor});

// Two values to a byte: the packed dimension is the one of unit stride, which must be the last.
inline void count_values_of_pairs(description& d) {
  const tensor_ref& r = d.value;
  const int last = r.rank - 1;
  bool fits = r.rank > 0 && (r.extents[last] <= 1 || r.strides[last] == 1);
  for (int i = 0; fits && i < r.rank; ++i) {
    const checked stride = i == last ? checked(1) : checked(r.strides[i]) * checked(2);
    const checked extent = i == last ? checked(r.extents[i]) * checked(2) : checked(r.extents[i]);
    fits = stride.ok && extent.ok;
    d.strides[i] = stride.value;
    d.extents[i] = extent.value;
  }
  d.recounted = fits;
  if (!fits) d.value.rank = -1;
}

inline void describe(const at::TensorBase& t, description& d) {
  const c10::TensorImpl& impl = *t.unsafeGetTensorImpl();
  const at::ScalarType scalar = t.scalar_type();
  d.value.rank = -1;
  d.value.type = type_of(scalar);
  d.value.where = device_of(t.device());
  const at::IntArrayRef sizes = t.sizes();  // throws where sizes are symbolic
  if (t.layout() != at::kStrided || t.key_set().has_any(memory_is_not_values) || d.value.type.bits == 0 ||
      sizes.size() > static_cast<std::size_t>(max_rank))
    return;
  d.value.extents = sizes.data();
  d.value.strides = t.strides().data();
  d.value.rank = static_cast<std::int32_t>(sizes.size());
  d.value.read_only = tri::no;

  d.has_data = t.has_storage() && !impl.unsafe_storage().device().is_meta();
  if (d.has_data) {
    const c10::Storage& storage = impl.unsafe_storage();
    d.value.data = static_cast<const c10::StorageImpl*>(storage.unsafeGetStorageImpl())->data();
    d.value.byte_offset = static_cast<std::uint64_t>(t.storage_offset()) * t.itemsize();
#if defined(STRIDELOCK_ATEN_HAS_COPY_ON_WRITE)
    if (c10::impl::cow::is_cow_data_ptr(storage.data_ptr())) d.value.read_only = tri::yes;
#endif
  }
  if (d.value.type.bits == 4) count_values_of_pairs(d);
}

}  // namespace detail

inline described_optional<description> describe(const at::TensorBase& t) noexcept {
  described_optional<description> d;
  d.is_present = t.defined();
  if (!d.is_present) return d;
  try {
    detail::describe(t, d.value);
  } catch (...) {  // symbolic sizes, or a wrapper that does not let its storage be looked at
    d.value.has_data = false;
    d.value.value.data = nullptr;
  }
  return d;
}

namespace detail {

inline bool has_data(const at::TensorBase& t) noexcept {
  const described_optional<description> d = aten::describe(t);
  return !d.is_present || d.value.has_data;
}
template <class Optional>
auto has_data(const Optional& o) noexcept -> decltype(o.has_value()) {
  return !o.has_value() || has_data(*o);
}

}  // namespace detail

// The context for a boundary that also runs with fake or meta tensors: if one of the tensors has no data, facts about
// addresses are skipped for all; sizes, strides and types are judged.
template <class... Tensor>
evaluation_context context_of(const Tensor&... tensors) noexcept {
  evaluation_context context;
  context.without_data = !(detail::has_data(tensors) && ...);
  return context;
}

// ---- back to ATen ----------------------------------------------------------------------------------------------------

// ScalarType::Undefined where this version of ATen has no such type.
constexpr at::ScalarType scalar_type_of(dtype type) {
  for (int i = 0; i < static_cast<int>(at::ScalarType::Undefined); ++i) {
    const auto candidate = static_cast<at::ScalarType>(i);
    if (!type_of(candidate).is_sub_byte() && type_of(candidate).bits != 0 &&
        same_representation(type_of(candidate), type))
      return candidate;
  }
  return at::ScalarType::Undefined;
}

// A tensor over the same memory that owns `keep` (a tensor, a shared_ptr, …). Undefined where ATen cannot say what the
// description says: a type or a device it does not have, read-only memory, negative strides, null data that is not empty.
template <class Keep>
at::Tensor lend(const tensor_ref& r, at::Device where, Keep keep) {
  const at::ScalarType scalar = scalar_type_of(r.type);
  const bool on_device = r.where.kind == device_kind::none || r.where == device_of(where);
  if (scalar == at::ScalarType::Undefined || !on_device || !has_addresses(r.where) ||
      r.read_only == tri::yes || r.rank < 0 || r.rank > max_rank)
    return {};
  index_t strides[max_rank]{};
  for (int i = 0; i < r.rank; ++i) {
    const checked stride =
        r.strides != nullptr ? checked(r.strides[i]) : canonical_stride({r.rank, r.extents, nullptr}, i);
    if (!stride.ok || (stride.value < 0 && r.extents[i] > 1)) return {};
    strides[i] = stride.value < 0 ? 1 : stride.value;
  }
  const layout_ref l{r.rank, r.extents, strides};
  if (!is_addressable(l) || (r.data == nullptr && !is_empty(l))) return {};
  const auto rank = static_cast<std::size_t>(r.rank);
  const auto address = reinterpret_cast<std::uintptr_t>(r.data) + static_cast<std::uintptr_t>(r.byte_offset);
  return at::from_blob(
      reinterpret_cast<void*>(address), at::IntArrayRef(r.extents, rank), at::IntArrayRef(strides, rank),
      [kept = std::move(keep)](void*) {}, at::TensorOptions().dtype(scalar).device(where), where);
}

template <class T, int R, class L, class I, class A, class Keep>
at::Tensor lend(const view<T, R, L, I, A>& v, at::Device where, Keep keep) {
  static_assert(
      !std::is_const_v<T>,
      "aten::lend: a tensor of ATen cannot be read-only; lend a view of elements that may be written");
  const auto described = stridelock::describe(v);
  return lend(described.ref(), where, std::move(keep));
}

}  // namespace aten

template <class Tensor>
struct adapter<Tensor, std::enable_if_t<std::is_base_of_v<at::TensorBase, Tensor>>> {
  static described_optional<aten::description> describe(const at::TensorBase& t) noexcept {
    return aten::describe(t);
  }
};

// Element types of ATen.
template <>
struct element_type<at::Half> {
  static constexpr dtype value = types::float16;
};
template <>
struct element_type<at::BFloat16> {
  static constexpr dtype value = types::bfloat16;
};

}  // namespace v1
}  // namespace stridelock
