// Mock of ATen/ATen.h: tensors and the functions that make them.
#pragma once
#include <ATen/TensorIndexing.h>
#include <ATen/core/Tensor.h>

namespace at {

Tensor empty(IntArrayRef size, TensorOptions options = {},
             std::optional<MemoryFormat> memory_format = std::nullopt);
Tensor zeros(IntArrayRef size, TensorOptions options = {});
Tensor ones(IntArrayRef size, TensorOptions options = {});
Tensor full(IntArrayRef size, double fill_value, TensorOptions options = {});
Tensor arange(std::int64_t end, TensorOptions options = {});
Tensor empty_like(const Tensor& self, TensorOptions options = {},
                  std::optional<MemoryFormat> memory_format = std::nullopt);
Tensor zeros_like(const Tensor& self, TensorOptions options = {},
                  std::optional<MemoryFormat> memory_format = std::nullopt);
Tensor cat(ArrayRef<Tensor> tensors, std::int64_t dim = 0);
Tensor stack(ArrayRef<Tensor> tensors, std::int64_t dim = 0);
Tensor from_blob(void* data, IntArrayRef sizes, TensorOptions options = {});

Tensor narrow(const Tensor& self, std::int64_t dim, std::int64_t start, std::int64_t length);
Tensor slice(const Tensor& self, std::int64_t dim = 0, std::optional<std::int64_t> start = std::nullopt,
             std::optional<std::int64_t> end = std::nullopt, std::int64_t step = 1);
Tensor transpose(const Tensor& self, std::int64_t dim0, std::int64_t dim1);
std::vector<Tensor> chunk(const Tensor& self, std::int64_t chunks, std::int64_t dim = 0);

Tensor relu(const Tensor& self);
Tensor matmul(const Tensor& self, const Tensor& other);

}  // namespace at
