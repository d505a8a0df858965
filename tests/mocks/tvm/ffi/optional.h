// Mock of tvm/ffi/optional.h.
#pragma once
#include <tvm/ffi/error.h>

#include <optional>
#include <utility>

namespace tvm::ffi {

template <typename T>
class Optional {
 public:
  Optional() = default;
  Optional(const Optional& other) = default;
  Optional(Optional&& other) noexcept = default;
  Optional(std::optional<T> other);
  Optional(std::nullopt_t);
  Optional(T other);
  Optional& operator=(const Optional& other) = default;
  Optional& operator=(T other);
  Optional& operator=(std::nullopt_t);

  const T& value() const&;
  T&& value() &&;
  template <typename U = T>
  T value_or(U&& default_value) const;
  bool has_value() const noexcept;
  explicit operator bool() const noexcept;
  const T& operator*() const& noexcept;
  const T* operator->() const noexcept;

 private:
  std::optional<T> data_;
};

}  // namespace tvm::ffi
