#include "stridelock/layout.h"

int main() {
  const stridelock::index_t extents[] = {66, 256}, strides[] = {1024, 1};
  const stridelock::layout_ref view{2, extents, strides};
  return !stridelock::is_dense(view) && stridelock::row_pitch(view).pitch == 1024 ? 0 : 1;
}
