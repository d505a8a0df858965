// The negative control: the view's side does one thing more, a test of the index.
#include "stridelock/view.h"

using namespace stridelock;

extern "C" {

float tested_raw(const float* p, index_t pitch, index_t i, index_t j) {
  return p[i * pitch + j];
}
float tested_view(const float* p, index_t pitch, index_t i, index_t j) {
  const view<const float, 2, row_pitched> v{p, {{0, 0}, pitch}};
  return i < 0 ? 0.0f : v(i, j);
}

}  // extern "C"
