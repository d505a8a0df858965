// device_memory.h: for tests and benchmarks: device memory with guard bands, and CUDA calls that throw.
#pragma once

#include <cuda_runtime_api.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace stridelock::kernels::testing {

inline void cuda(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(error));
}

inline bool has_device() {
  int count = 0;
  const bool found = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
  cudaGetLastError();
  return found;
}

template <class T>
class device_memory {
 public:
  static constexpr std::size_t guard = 256;  // bytes; keeps the alignment of the allocation
  static constexpr unsigned char guard_byte = 0xa5;

  explicit device_memory(std::size_t count) : count_(count) {
    cuda(cudaMalloc(reinterpret_cast<void**>(&base_), bytes() + 2 * guard));
    cuda(cudaMemset(base_, guard_byte, bytes() + 2 * guard));
  }
  explicit device_memory(const std::vector<T>& values) : device_memory(values.size()) { set(values); }
  ~device_memory() { cudaFree(base_); }
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;

  T* data() const { return reinterpret_cast<T*>(base_ + guard); }
  std::size_t bytes() const { return count_ * sizeof(T); }
  void set(const std::vector<T>& values) {
    cuda(cudaMemcpy(data(), values.data(), bytes(), cudaMemcpyHostToDevice));
  }
  void poison(unsigned char byte) { cuda(cudaMemset(data(), byte, bytes())); }
  std::vector<T> get() const {
    std::vector<T> values(count_);
    cuda(cudaMemcpy(values.data(), data(), bytes(), cudaMemcpyDeviceToHost));
    return values;
  }
  bool guards_hold() const {
    std::vector<unsigned char> bands(2 * guard);
    cuda(cudaMemcpy(bands.data(), base_, guard, cudaMemcpyDeviceToHost));
    cuda(cudaMemcpy(bands.data() + guard, base_ + guard + bytes(), guard, cudaMemcpyDeviceToHost));
    for (unsigned char byte : bands)
      if (byte != guard_byte) return false;
    return true;
  }

 private:
  unsigned char* base_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace stridelock::kernels::testing
