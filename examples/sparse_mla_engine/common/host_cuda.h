// The part of the CUDA runtime that this example needs, on the host: stream capture and graph replay under
// the runtime's own names, so that the engine's code reads (and is analysed) as it would be with the real
// toolkit.
//
// Promises:  a kernel launched on a capturing stream is recorded and runs at every launch of the graph; one
// launched
//            on any other stream runs at once. Pointers and scalars that a kernel was launched with are baked
//            in.
// Does not:  run anything in parallel, nor refuse what a real capture refuses.
#pragma once

#include <functional>

struct CUstream_st;
struct CUgraph_st;
struct CUgraphExec_st;
using cudaStream_t = CUstream_st*;
using cudaGraph_t = CUgraph_st*;
using cudaGraphExec_t = CUgraphExec_st*;

enum cudaError_t { cudaSuccess = 0, cudaErrorIllegalState = 401 };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal = 0, cudaStreamCaptureModeThreadLocal = 1 };
enum cudaDeviceAttr { cudaDevAttrComputeCapabilityMajor = 75 };

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);

namespace host_cuda {

// Stands for kernel<<<…, stream>>>(…).
void launch(cudaStream_t stream, std::function<void()> kernel);

// Both sides of a branch on the architecture run on any machine.
void pretend_capability(int major);

}  // namespace host_cuda
