// Views in device code: as kernel parameters, narrowed and weakened inside. Compiled, not run.
#include "stridelock/strengthen.h"

using namespace stridelock;
using pitched = view<const float, 2, row_pitched, int>;

__global__ void row_sums(pitched x, view<float, 1, contiguous, int> out) {
  const int row = static_cast<int>(blockIdx.x);
  const float* __restrict__ p = x.data;
  float sum = 0;
  for (int column = 0; column < x.extent(1); ++column) sum += p[row * x.pitch() + column];
  out(row) = sum;
}

__global__ void narrowed(view<float, 2, contiguous, int> x, float* out) {
  const view<const float, 2, strided, int> weaker = x.columns(0, 4);
  out[0] = x.rows(1, 2)(0, 1) + x.transposed()(1, 0) + x.select<0>(1)(2) + weaker(1, 1) + x.as_matrix()(0, 0);
}

void launch(view<const float, 2> x, view<float, 1> out, float* scratch) {
  row_sums<<<static_cast<unsigned>(x.extent(0)), 1>>>(*try_index<int>(x), *try_index<int>(out));
  narrowed<<<1, 1>>>(view<float, 2, contiguous, int>{scratch, {{2, 8}}}, scratch);
}
