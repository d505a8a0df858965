// The negative control: without the binding inside the kernel the loads are not read-only loads.
#include "stridelock/view.h"

using namespace stridelock;

extern "C" {

__global__ void unbound_raw(float* __restrict__ out, const float* __restrict__ p, std::int32_t n) {
  const std::int32_t i = threadIdx.x;
  if (i < n) out[i] = p[i] + p[i + 1];
}
__global__ void unbound_view(view<float, 1, contiguous, std::int32_t> out,
                             view<const float, 1, contiguous, std::int32_t> v) {
  const std::int32_t i = threadIdx.x;
  if (i < v.extent(0)) out.data[i] = v.data[i] + v.data[i + 1];
}

}  // extern "C"
