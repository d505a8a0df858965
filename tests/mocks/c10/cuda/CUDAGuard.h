// Mock of c10/cuda/CUDAGuard.h.
#pragma once
#include <c10/cuda/CUDAStream.h>

namespace c10::cuda {

struct CUDAGuard {
  explicit CUDAGuard(DeviceIndex device_index);
  ~CUDAGuard();
  CUDAGuard(const CUDAGuard&) = delete;
};

struct CUDAStreamGuard {
  explicit CUDAStreamGuard(CUDAStream stream);
  ~CUDAStreamGuard();
  CUDAStreamGuard(const CUDAStreamGuard&) = delete;
};

}  // namespace c10::cuda
