// engine::tensor: the engine's own strided tensor over shared storage.
//
// Promises:  views (narrow, rows) share storage and keep the strides of what they came from; contiguous()
// returns the
//            same storage where the layout is dense already and a dense copy where it is not.
// Does not:  check bounds. "Device" memory is host memory here, so that the example runs anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace engine {

class tensor {
 public:
  tensor() = default;

  template <class T>
  static tensor full(std::vector<std::int64_t> sizes, T value) {
    tensor made(std::move(sizes), sizeof(T));
    T* const elements = made.data<T>();
    for (std::int64_t i = 0; i < made.numel(); ++i) elements[i] = value;
    return made;
  }

  std::int64_t size(std::size_t dim) const { return sizes_[dim]; }
  std::int64_t stride(std::size_t dim) const { return strides_[dim]; }

  std::int64_t numel() const {
    std::int64_t count = 1;
    for (const std::int64_t size : sizes_) count *= size;
    return count;
  }

  // Dense row-major; the stride of an extent of 1 is never used and so never wrong.
  bool is_contiguous() const {
    std::int64_t expected = 1;
    for (std::size_t dim = sizes_.size(); dim-- > 0;) {
      if (sizes_[dim] != 1 && strides_[dim] != expected) return false;
      expected *= sizes_[dim];
    }
    return true;
  }

  tensor narrow(std::size_t dim, std::int64_t start, std::int64_t length) const {
    tensor view = *this;
    view.offset_ += start * strides_[dim];
    view.sizes_[dim] = length;
    return view;
  }
  tensor rows(std::int64_t begin, std::int64_t end) const { return narrow(0, begin, end - begin); }

  tensor contiguous() const {
    if (is_contiguous()) return *this;
    tensor dense(sizes_, item_size_);
    for (std::int64_t i = 0; i < numel(); ++i) {
      std::int64_t from = offset_;
      std::int64_t rest = i;
      for (std::size_t dim = sizes_.size(); dim-- > 0;) {
        from += rest % sizes_[dim] * strides_[dim];
        rest /= sizes_[dim];
      }
      const std::byte* const source = storage_->data() + from * item_size_;
      std::byte* const target = dense.storage_->data() + i * item_size_;
      for (std::int64_t byte = 0; byte < item_size_; ++byte) target[byte] = source[byte];
    }
    return dense;
  }

  template <class T>
  T* data() const {
    return reinterpret_cast<T*>(storage_->data()) + offset_;
  }

 private:
  tensor(std::vector<std::int64_t> sizes, std::int64_t item_size)
      : sizes_(std::move(sizes)), strides_(sizes_.size()), item_size_(item_size) {
    std::int64_t stride = 1;
    for (std::size_t dim = sizes_.size(); dim-- > 0;) {
      strides_[dim] = stride;
      stride *= sizes_[dim];
    }
    storage_ = std::make_shared<std::vector<std::byte>>(stride * item_size_);
  }

  std::shared_ptr<std::vector<std::byte>> storage_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::int64_t> strides_;
  std::int64_t offset_ = 0;  // elements
  std::int64_t item_size_ = 0;
};

}  // namespace engine
