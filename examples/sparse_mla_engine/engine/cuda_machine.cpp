#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

#include "engine/machine.h"
#include "stridelock/cuda/capture_backend.h"

namespace sparse_mla_engine {
namespace {

using namespace stridelock;

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(error));
}
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
  const capture_backend& capture() const override { return cuda::capture_calls(); }
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
