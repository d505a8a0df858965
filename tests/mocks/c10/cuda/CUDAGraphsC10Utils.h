// Mock of c10/cuda/CUDAGraphsC10Utils.h: is the current stream being captured?
#pragma once
#include <c10/cuda/CUDAStream.h>

#include <utility>

namespace c10::cuda {

using CaptureId_t = unsigned long long;
using MempoolId_t = std::pair<CaptureId_t, CaptureId_t>;

struct CUDAStreamCaptureModeGuard {
  explicit CUDAStreamCaptureModeGuard(cudaStreamCaptureMode desired);
  ~CUDAStreamCaptureModeGuard();
};

enum class CaptureStatus : int {
  None = cudaStreamCaptureStatusNone,
  Active = cudaStreamCaptureStatusActive,
  Invalidated = cudaStreamCaptureStatusInvalidated
};

CaptureStatus currentStreamCaptureStatusMayInitCtx();

}  // namespace c10::cuda
