#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

#include "engine/machine.h"

namespace sparse_mla_engine {
namespace {

using namespace stridelock;

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(error));
}
cudaStream_t as_stream(void* stream) {
  return static_cast<cudaStream_t>(stream);
}
cudaStreamCaptureMode mode_of(capture_mode mode) {
  return mode == capture_mode::global    ? cudaStreamCaptureModeGlobal
         : mode == capture_mode::relaxed ? cudaStreamCaptureModeRelaxed
                                         : cudaStreamCaptureModeThreadLocal;
}

int begin(void*, void* stream, capture_mode mode) noexcept {
  return cudaStreamBeginCapture(as_stream(stream), mode_of(mode));
}
int end(void*, void* stream, void** graph) noexcept {
  cudaGraph_t captured = nullptr;
  const int code = cudaStreamEndCapture(as_stream(stream), &captured);
  *graph = captured;
  return code;
}
int info(void*, void* stream, capture_info* out) noexcept {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
  const int code =
      cudaStreamGetCaptureInfo(as_stream(stream), &status, &id, &graph, nullptr, nullptr, nullptr);
  out->status = status == cudaStreamCaptureStatusNone     ? capture_status::none
                : status == cudaStreamCaptureStatusActive ? capture_status::active
                                                          : capture_status::invalidated;
  out->id = id;
  out->graph = graph;
  return code;
}
int is_capturing(void*, void* stream, capture_status* out) noexcept {
  capture_info found;
  const int code = info(nullptr, stream, &found);
  *out = found.status;
  return code;
}
int exchange_mode(void*, capture_mode* mode) noexcept {
  cudaStreamCaptureMode other = mode_of(*mode);
  const int code = cudaThreadExchangeStreamCaptureMode(&other);
  *mode = other == cudaStreamCaptureModeGlobal    ? capture_mode::global
          : other == cudaStreamCaptureModeRelaxed ? capture_mode::relaxed
                                                  : capture_mode::thread_local_;
  return code;
}
int last_error(void*, bool clear) noexcept {
  return clear ? cudaGetLastError() : cudaPeekAtLastError();
}
int destroy_graph(void*, void* graph) noexcept {
  return cudaGraphDestroy(static_cast<cudaGraph_t>(graph));
}
int launch_graph(void*, void* executable, void* stream) noexcept {
  return cudaGraphLaunch(static_cast<cudaGraphExec_t>(executable), as_stream(stream));
}

constexpr capture_backend table() {
  capture_backend t;
  t.begin = begin;
  t.end = end;
  t.info = info;
  t.is_capturing = is_capturing;
  t.exchange_mode = exchange_mode;
  t.last_error = last_error;
  t.destroy_graph = destroy_graph;
  t.launch = launch_graph;
  return t;
}
constexpr capture_backend cuda_table = table();

class cuda_machine final : public machine {
 public:
  cuda_machine() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~cuda_machine() override { cudaStreamDestroy(stream_); }

  device where() const override { return {device_kind::cuda, 0}; }
  void* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes));
    return memory;
  }
  void release(void* memory) noexcept override { cudaFree(memory); }
  void upload(void* to, const void* from, std::size_t bytes) override {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_));
    check(cudaStreamSynchronize(stream_));
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_));
    check(cudaStreamSynchronize(stream_));
  }
  void* allocate_in_capture(std::size_t bytes) override {
    void* memory = nullptr;
    check(cudaMallocAsync(&memory, bytes, stream_));
    return memory;
  }

  kernels::queue queue() override { return kernels::queue::cuda(stream_); }
  void* stream() override { return stream_; }
  const capture_backend& capture() const override { return cuda_table; }
  void* instantiate(void* graph) override {
    cudaGraphExec_t executable = nullptr;
    // The node that allocates has none that frees: without the flag a second launch is refused.
    const cudaError_t error = cudaGraphInstantiate(&executable, static_cast<cudaGraph_t>(graph),
                                                   cudaGraphInstantiateFlagAutoFreeOnLaunch);
    cudaGraphDestroy(static_cast<cudaGraph_t>(graph));
    check(error);
    return executable;
  }
  void launch(void* executable) override {
    check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(executable), stream_));
  }
  void destroy(void* executable) noexcept override {
    cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(executable));
  }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace

std::unique_ptr<machine> make_cuda_machine() {
  int count = 0;
  const bool found = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
  cudaGetLastError();
  return found ? std::make_unique<cuda_machine>() : nullptr;
}

}  // namespace sparse_mla_engine
