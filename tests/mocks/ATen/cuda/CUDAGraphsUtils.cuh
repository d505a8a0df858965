// Mock of ATen/cuda/CUDAGraphsUtils.cuh.
#pragma once
#include <c10/cuda/CUDAGraphsC10Utils.h>

#include <string>

namespace at::cuda {

using CaptureId_t = c10::cuda::CaptureId_t;
using CaptureStatus = c10::cuda::CaptureStatus;

CaptureStatus currentStreamCaptureStatus();
void assertNotCapturing(const std::string& attempt);

}  // namespace at::cuda
