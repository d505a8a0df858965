// tvm_ffi.h: tvm::ffi::TensorView and tvm::ffi::Tensor as arguments of a boundary, as typed views, and back.
//
// Promises:  a Tensor that is not defined, and an empty optional, is an absent argument. Strides that are null are compact
//            and never read, although TensorView::stride() would read them. Everything a DLTensor says is kept (dlpack.h).
// Does not:  keep the tensor alive, or know whether it may be written: neither class says.
// Cost:      hot.
//
//   void rms_norm(tvm::ffi::TensorView x, tvm::ffi::TensorView w, tvm::ffi::Optional<tvm::ffi::TensorView> bias) {
//     require<rms_norm_contract>(x, w, bias);
//     const auto rows = require_view<view<const float, 2, row_pitched>>(x);       // to_view.h
//     …
//   }
//
//   dlpack::numbers shape;                                              // keep it as long as the view
//   scale(*tvm_ffi::lend(v, {device_kind::cuda, 0}, shape));            // TensorView, borrowed
//   return tvm_ffi::lend_tensor(v, {device_kind::cuda, 0}, buffer);     // Tensor that owns a copy of buffer
#pragma once

#include <tvm/ffi/container/tensor.h>

#include <optional>
#include <type_traits>
#include <utility>

#include "stridelock/adapters/dlpack.h"

namespace stridelock {
inline namespace v1 {
namespace tvm_ffi {

// The tensor inside a view, which it lends only to the calling convention.
inline const DLTensor& tensor_of(const tvm::ffi::TensorView& v) noexcept {
  TVMFFIAny any{};
  tvm::ffi::TypeTraits<tvm::ffi::TensorView>::CopyToAnyView(v, &any);
  return *static_cast<const DLTensor*>(any.v_ptr);
}

inline dlpack::description describe(const tvm::ffi::TensorView& v) noexcept {
  return dlpack::read(tensor_of(v));
}
inline described_optional<dlpack::description> describe(const tvm::ffi::Tensor& t) noexcept {
  described_optional<dlpack::description> d;
  d.is_present = t.defined();
  if (d.is_present) d.value = dlpack::read(*t.GetDLTensorPtr());
  return d;
}

// A view whose shape and strides are in `store`. Nothing where a DLTensor cannot say what the description says.
inline std::optional<tvm::ffi::TensorView> lend(const tensor_ref& r, dlpack::numbers& store) {
  const dlpack::lent<DLTensor> lent = dlpack::lend<DLTensor>(r, store);
  if (!lent.ok()) return std::nullopt;
  return tvm::ffi::TensorView(&lent.tensor);
}
template <class T, int R, class L, class I, class A>
std::optional<tvm::ffi::TensorView> lend(const view<T, R, L, I, A>& v, device where, dlpack::numbers& store) {
  const auto described = stridelock::describe(v, where);
  return lend(described.ref(), store);
}

// A tensor that owns `keep`. Not defined where DLPack cannot say what the description says.
template <class Keep>
tvm::ffi::Tensor lend_tensor(const tensor_ref& r, Keep keep) {
  dlpack::taken<DLManagedTensorVersioned> managed =
      dlpack::lend_managed<DLManagedTensorVersioned>(r, std::move(keep));
  if (!managed.ok()) return tvm::ffi::Tensor();
  tvm::ffi::Tensor t = tvm::ffi::Tensor::FromDLPackVersioned(managed.get());
  managed.release();  // it owns the block now
  return t;
}
template <class T, int R, class L, class I, class A, class Keep>
tvm::ffi::Tensor lend_tensor(const view<T, R, L, I, A>& v, device where, Keep keep) {
  const auto described = stridelock::describe(v, where);
  return lend_tensor(described.ref(), std::move(keep));
}

}  // namespace tvm_ffi

template <>
struct adapter<tvm::ffi::TensorView> {
  static dlpack::description describe(const tvm::ffi::TensorView& v) noexcept { return tvm_ffi::describe(v); }
};

template <class Tensor>
struct adapter<Tensor, std::enable_if_t<std::is_base_of_v<tvm::ffi::Tensor, Tensor>>> {
  static described_optional<dlpack::description> describe(const tvm::ffi::Tensor& t) noexcept {
    return tvm_ffi::describe(t);
  }
};

}  // namespace v1
}  // namespace stridelock
