// Mock of ATen/core/Tensor.h (generated as TensorBody.h): the operators.
#pragma once
#include <ATen/core/TensorBase.h>

#include <initializer_list>
#include <vector>

namespace at {

class Tensor;
namespace indexing {
struct TensorIndex;
}

class Tensor : public TensorBase {
 public:
  Tensor();
  Tensor(const Tensor&);
  Tensor(Tensor&&) noexcept;
  explicit Tensor(const TensorBase& base);
  Tensor& operator=(const Tensor&) & noexcept;
  Tensor& operator=(Tensor&&) & noexcept;
  ~Tensor();

  // Views.
  Tensor narrow(std::int64_t dim, std::int64_t start, std::int64_t length) const;
  Tensor slice(std::int64_t dim = 0, std::optional<std::int64_t> start = std::nullopt,
               std::optional<std::int64_t> end = std::nullopt, std::int64_t step = 1) const;
  Tensor select(std::int64_t dim, std::int64_t index) const;
  Tensor operator[](std::int64_t index) const;
  Tensor index(ArrayRef<indexing::TensorIndex> indices) const;
  Tensor index(std::initializer_list<indexing::TensorIndex> indices) const;
  std::vector<Tensor> chunk(std::int64_t chunks, std::int64_t dim = 0) const;
  std::vector<Tensor> split(std::int64_t split_size, std::int64_t dim = 0) const;
  std::vector<Tensor> split_with_sizes(IntArrayRef split_sizes, std::int64_t dim = 0) const;
  std::vector<Tensor> unbind(std::int64_t dim = 0) const;
  Tensor transpose(std::int64_t dim0, std::int64_t dim1) const;
  Tensor t() const;
  Tensor permute(IntArrayRef dims) const;
  Tensor expand(IntArrayRef size, bool implicit = false) const;
  Tensor as_strided(IntArrayRef size, IntArrayRef stride,
                    std::optional<std::int64_t> storage_offset = std::nullopt) const;
  Tensor view(IntArrayRef size) const;
  Tensor squeeze(std::int64_t dim) const;
  Tensor unsqueeze(std::int64_t dim) const;
  Tensor& transpose_(std::int64_t dim0, std::int64_t dim1) const;
  Tensor& t_() const;

  // Alias or copy.
  Tensor contiguous(MemoryFormat memory_format = MemoryFormat::Contiguous) const;
  MaybeOwned<Tensor> expect_contiguous(MemoryFormat memory_format = MemoryFormat::Contiguous) const&;
  MaybeOwned<Tensor> expect_contiguous(MemoryFormat memory_format = MemoryFormat::Contiguous) && = delete;
  Tensor reshape(IntArrayRef shape) const;
  Tensor flatten(std::int64_t start_dim = 0, std::int64_t end_dim = -1) const;
  Tensor to(ScalarType dtype, bool non_blocking = false, bool copy = false,
            std::optional<MemoryFormat> memory_format = std::nullopt) const;
  Tensor to(Device device, ScalarType dtype, bool non_blocking = false, bool copy = false,
            std::optional<MemoryFormat> memory_format = std::nullopt) const;
  Tensor clone(std::optional<MemoryFormat> memory_format = std::nullopt) const;

  // In place.
  Tensor& copy_(const Tensor& src, bool non_blocking = false) const;
  Tensor& fill_(double value) const;
  Tensor& zero_() const;

  // New.
  Tensor new_empty(IntArrayRef size, TensorOptions options = {}) const;
  Tensor new_zeros(IntArrayRef size, TensorOptions options = {}) const;
  Tensor index_select(std::int64_t dim, const Tensor& index) const;
  Tensor add(const Tensor& other, double alpha = 1) const;
  Tensor mul(const Tensor& other) const;
  Tensor matmul(const Tensor& other) const;
  Tensor operator+(const Tensor& other) const;
};

}  // namespace at
