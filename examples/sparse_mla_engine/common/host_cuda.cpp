#include "host_cuda.h"

#include <memory>
#include <utility>
#include <vector>

struct CUgraph_st {
  std::vector<std::function<void()>> kernels;
};
struct CUgraphExec_st {
  CUgraph_st graph;
};
struct CUstream_st {
  std::unique_ptr<CUgraph_st> recording;  // set while the stream is being captured
};

static int compute_capability_major = 12;

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = compute_capability_major;
  return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = new CUstream_st;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (stream->recording) return cudaErrorIllegalState;
  stream->recording = std::make_unique<CUgraph_st>();
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (!stream->recording) return cudaErrorIllegalState;
  *graph = stream->recording.release();
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  *executable = new CUgraphExec_st{*graph};
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t) {
  for (const auto& kernel : executable->graph.kernels) kernel();
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}

void host_cuda::launch(cudaStream_t stream, std::function<void()> kernel) {
  if (stream->recording) {
    stream->recording->kernels.push_back(std::move(kernel));
  } else {
    kernel();
  }
}

void host_cuda::pretend_capability(int major) {
  compute_capability_major = major;
}
