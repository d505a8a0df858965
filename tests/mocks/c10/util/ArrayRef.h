// Mock of c10/util/ArrayRef.h.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace c10 {

template <typename T>
class ArrayRef {
 public:
  using iterator = const T*;

  constexpr ArrayRef() = default;
  constexpr ArrayRef(const T& one) : data_(&one), length_(1) {}
  constexpr ArrayRef(const T* data, std::size_t length) : data_(data), length_(length) {}
  template <typename A>
  ArrayRef(const std::vector<T, A>& all) : data_(all.data()), length_(all.size()) {}
  ArrayRef(const std::initializer_list<T>& all) : data_(all.begin()), length_(all.size()) {}

  constexpr iterator begin() const { return data_; }
  constexpr iterator end() const { return data_ + length_; }
  constexpr const T* data() const { return data_; }
  constexpr std::size_t size() const { return length_; }
  constexpr const T& front() const { return data_[0]; }
  constexpr const T& back() const { return data_[length_ - 1]; }
  constexpr const T& operator[](std::size_t i) const { return data_[i]; }
  std::vector<T> vec() const;

 private:
  const T* data_ = nullptr;
  std::size_t length_ = 0;
};

template <typename T>
bool operator==(ArrayRef<T> a, ArrayRef<T> b);
template <typename T>
bool operator!=(ArrayRef<T> a, ArrayRef<T> b);

using IntArrayRef = ArrayRef<std::int64_t>;

}  // namespace c10
