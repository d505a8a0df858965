// cuda/capture_backend.h: the CUDA runtime's stream capture, for capture_guard, and its memory, for workspace.
//
// Promises:  calls the CUDA runtime that the including program uses, and no other: whose last error is cleared is a
//            matter of which copy of the runtime one asks. Hence a header and no library.
// Does not:  choose a device: the calling thread's current one counts, as in all of the runtime's functions.
// Needs:     CUDA 12.3 or later; the program links cudart, shared or static.
//
//   #include <stridelock/cuda/capture_backend.h>
//   capture_guard guard(cuda::capture_calls(), stream, "decode[bs=2]");
//   workspace scratch("mla", cuda::device_memory(0), cuda::capture_calls());
#pragma once

#include <cuda_runtime_api.h>

#include "stridelock/capture_backend.h"
#include "stridelock/workspace.h"

namespace stridelock {
inline namespace v1 {
namespace cuda {
namespace capture_functions {

inline cudaStreamCaptureMode mode_of(capture_mode mode) noexcept {
  switch (mode) {
    case capture_mode::global:
      return cudaStreamCaptureModeGlobal;
    case capture_mode::thread_local_:
      return cudaStreamCaptureModeThreadLocal;
    case capture_mode::relaxed:
      return cudaStreamCaptureModeRelaxed;
  }
  return cudaStreamCaptureModeGlobal;
}
inline capture_mode mode_of(cudaStreamCaptureMode mode) noexcept {
  return mode == cudaStreamCaptureModeRelaxed       ? capture_mode::relaxed
         : mode == cudaStreamCaptureModeThreadLocal ? capture_mode::thread_local_
                                                    : capture_mode::global;
}
inline capture_status status_of(cudaStreamCaptureStatus status) noexcept {
  return status == cudaStreamCaptureStatusNone     ? capture_status::none
         : status == cudaStreamCaptureStatusActive ? capture_status::active
                                                   : capture_status::invalidated;
}

inline int begin(void*, void* stream, capture_mode mode) noexcept {
  return cudaStreamBeginCapture(static_cast<cudaStream_t>(stream), mode_of(mode));
}
inline int end(void*, void* stream, void** graph) noexcept {
  cudaGraph_t made = nullptr;
  const cudaError_t code = cudaStreamEndCapture(static_cast<cudaStream_t>(stream), &made);
  *graph = made;
  return code;
}
inline int info(void*, void* stream, capture_info* out) noexcept {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
  // Dependencies are not asked for: with programmatic edges the answer would need edge data.
#if CUDART_VERSION >= 13000
  const cudaError_t code = cudaStreamGetCaptureInfo(static_cast<cudaStream_t>(stream), &status, &id, &graph,
                                                    nullptr, nullptr, nullptr);
#else
  const cudaError_t code =
      cudaStreamGetCaptureInfo_v2(static_cast<cudaStream_t>(stream), &status, &id, &graph, nullptr, nullptr);
#endif
  *out = {};
  if (code != cudaSuccess) return code;
  out->status = status_of(status);
  out->id = status == cudaStreamCaptureStatusNone ? 0 : id;
  out->graph = status == cudaStreamCaptureStatusActive ? graph : nullptr;
  return code;
}
inline int is_capturing(void*, void* stream, capture_status* out) noexcept {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t code = cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &status);
  *out = code == cudaSuccess ? status_of(status) : capture_status::none;
  return code;
}
inline int exchange_mode(void*, capture_mode* mode) noexcept {
  cudaStreamCaptureMode swapped = mode_of(*mode);
  const cudaError_t code = cudaThreadExchangeStreamCaptureMode(&swapped);
  if (code == cudaSuccess) *mode = mode_of(swapped);
  return code;
}
inline int last_error(void*, bool clear) noexcept {
  return clear ? cudaGetLastError() : cudaPeekAtLastError();
}
inline int destroy_graph(void*, void* graph) noexcept {
  return cudaGraphDestroy(static_cast<cudaGraph_t>(graph));
}
inline int launch(void*, void* executable, void* stream) noexcept {
  return cudaGraphLaunch(static_cast<cudaGraphExec_t>(executable), static_cast<cudaStream_t>(stream));
}

inline void* allocate(void*, std::size_t bytes) noexcept {
  void* memory = nullptr;
  if (cudaMalloc(&memory, bytes) == cudaSuccess) return memory;
  cudaGetLastError();
  return nullptr;
}
inline void release(void*, void* memory) noexcept {
  cudaFree(memory);
}

}  // namespace capture_functions

inline const capture_backend& capture_calls() noexcept {
  static constexpr capture_backend table{nullptr,
                                         capture_functions::begin,
                                         capture_functions::end,
                                         capture_functions::info,
                                         capture_functions::is_capturing,
                                         capture_functions::exchange_mode,
                                         capture_functions::last_error,
                                         capture_functions::destroy_graph,
                                         capture_functions::launch};
  return table;
}

// cudaMalloc and cudaFree on the current device, which must be this one.
inline memory_source device_memory(int ordinal) noexcept {
  return {nullptr, capture_functions::allocate, capture_functions::release, {device_kind::cuda, ordinal}};
}

}  // namespace cuda
}  // namespace v1
}  // namespace stridelock
