// Mock of ATen/cuda/CUDAGraph.h.
#pragma once
#include <c10/cuda/CUDAGraphsC10Utils.h>

namespace at::cuda {

using MempoolId_t = c10::cuda::MempoolId_t;

MempoolId_t graph_pool_handle();

struct CUDAGraph {
  explicit CUDAGraph(bool keep_graph = false);
  ~CUDAGraph();
  CUDAGraph(const CUDAGraph&) = delete;

  void capture_begin(MempoolId_t pool = {0, 0},
                     cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal);
  void capture_end();
  void instantiate();
  void replay();
  void reset();
  MempoolId_t pool();
};

}  // namespace at::cuda
