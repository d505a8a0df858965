// Mock of ATen/core/TensorBase.h: what needs no operator is declared here, not in at::Tensor.
#pragma once
#include <c10/core/MemoryFormat.h>
#include <c10/core/TensorOptions.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/Exception.h>
#include <c10/util/MaybeOwned.h>
#include <c10/util/Optional.h>

namespace at {

using namespace c10;

class TensorBase {
 public:
  TensorBase();
  TensorBase(const TensorBase&);
  TensorBase(TensorBase&&) noexcept;
  TensorBase& operator=(const TensorBase&) &;
  TensorBase& operator=(TensorBase&&) & noexcept;
  ~TensorBase() noexcept;

  std::int64_t dim() const;
  std::int64_t size(std::int64_t dim) const;
  std::int64_t stride(std::int64_t dim) const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  std::int64_t numel() const;
  std::size_t nbytes() const;
  std::size_t itemsize() const;
  std::int64_t element_size() const;
  std::int64_t storage_offset() const;
  bool defined() const;
  bool is_contiguous(MemoryFormat memory_format = MemoryFormat::Contiguous) const;
  bool is_non_overlapping_and_dense() const;
  bool is_cuda() const;
  bool is_alias_of(const TensorBase& other) const;
  ScalarType scalar_type() const;
  Device device() const;
  std::int64_t get_device() const;
  TensorOptions options() const;

  TensorBase contiguous(MemoryFormat memory_format = MemoryFormat::Contiguous) const;

  void* data_ptr() const;
  const void* const_data_ptr() const;
  void* mutable_data_ptr() const;
  template <typename T>
  T* data_ptr() const;
  template <typename T>
  const T* const_data_ptr() const;
  template <typename T>
  T* mutable_data_ptr() const;
};

}  // namespace at
