// Mock of tvm/ffi/container/tensor.h: Tensor owns, TensorView does not.
#pragma once
#include <dlpack/dlpack.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/optional.h>

#include <cstddef>
#include <initializer_list>

namespace tvm::ffi {

class ShapeView {
 public:
  ShapeView();
  ShapeView(const int64_t* data, size_t size);
  ShapeView(const std::initializer_list<int64_t>& other);
  const int64_t* data() const;
  size_t size() const;
  int64_t Product() const;
  int64_t operator[](size_t idx) const;
};

class Tensor {
 public:
  Tensor();
  Tensor(const Tensor&);
  Tensor(Tensor&&) noexcept;
  Tensor& operator=(const Tensor&);
  Tensor& operator=(Tensor&&) noexcept;
  ~Tensor();

  void* data_ptr() const;
  DLDevice device() const;
  int32_t ndim() const;
  int32_t dim() const;
  DLDataType dtype() const;
  ShapeView shape() const;
  ShapeView sizes() const;
  ShapeView strides() const;
  int64_t size(int64_t idx) const;
  int64_t stride(int64_t idx) const;
  int64_t numel() const;
  uint64_t byte_offset() const;
  bool IsContiguous() const;
  bool is_contiguous() const;
  bool defined() const;
  Tensor as_strided(ShapeView shape, ShapeView strides,
                    std::optional<int64_t> element_offset = std::nullopt) const;
};

class TensorView {
 public:
  TensorView(const Tensor& tensor);
  TensorView(const DLTensor* tensor);
  TensorView(Tensor&& tensor) = delete;
  TensorView(const TensorView& tensor) = default;
  TensorView(TensorView&& tensor) = default;
  TensorView& operator=(const TensorView& tensor) = default;
  TensorView& operator=(TensorView&& tensor) = default;

  void* data_ptr() const;
  DLDevice device() const;
  int32_t ndim() const;
  int32_t dim() const;
  DLDataType dtype() const;
  ShapeView shape() const;
  ShapeView sizes() const;
  ShapeView strides() const;
  int64_t size(int64_t idx) const;
  int64_t stride(int64_t idx) const;
  int64_t numel() const;
  uint64_t byte_offset() const;
  bool IsContiguous() const;
  bool is_contiguous() const;
  TensorView as_strided(ShapeView shape, ShapeView strides,
                        std::optional<int64_t> element_offset = std::nullopt) const;

 private:
  DLTensor tensor_;
};

}  // namespace tvm::ffi
