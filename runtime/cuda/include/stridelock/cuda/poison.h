// poison.h: what poison_replay needs of a CUDA device. For tests: every fill and read waits.
//
// Promises:  fills and reads device memory row by row, launches the executable graph and waits for it.
// Does not:  restore inputs that the graph overwrites: wrap `replay` if it does.
//
//   poison_device device = cuda::poison_device_for(exec, stream);
#pragma once

#include "stridelock/poison_replay.h"

struct CUgraphExec_st;  // cudaGraphExec_t
struct CUstream_st;     // cudaStream_t

namespace stridelock {
inline namespace v1 {
namespace cuda {

poison_device poison_device_for(CUgraphExec_st* exec, CUstream_st* stream);

}  // namespace cuda
}  // namespace v1
}  // namespace stridelock
