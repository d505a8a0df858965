// device.cuh: what the .cu files share.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "kernels/common/launch_error.h"

namespace stridelock::kernels {

inline void throw_if_failed(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw launch_error(std::string(what) + ": " + cudaGetErrorString(error));
}

}  // namespace stridelock::kernels
