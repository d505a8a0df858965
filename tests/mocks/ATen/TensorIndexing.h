// Mock of ATen/TensorIndexing.h: x.index({Slice(), Slice(0, k)}).
#pragma once
#include <ATen/core/Tensor.h>

namespace at::indexing {

enum class TensorIndexType { None, Ellipsis, SymInt, Boolean, Slice, Tensor };
struct EllipsisIndexType final {};
inline constexpr EllipsisIndexType Ellipsis{};
inline constexpr std::nullopt_t None = std::nullopt;

struct Slice final {
  explicit Slice(std::optional<std::int64_t> start_index = std::nullopt,
                 std::optional<std::int64_t> stop_index = std::nullopt,
                 std::optional<std::int64_t> step_index = std::nullopt);
};

struct TensorIndex final {
  TensorIndex(std::nullopt_t);
  TensorIndex(EllipsisIndexType);
  TensorIndex(Slice slice);
  TensorIndex(std::int64_t integer);
  TensorIndex(int integer);
  TensorIndex(Tensor tensor);
};

}  // namespace at::indexing
