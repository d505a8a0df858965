// expect-error: deleted
#include "stridelock/tensor_desc.h"
using namespace stridelock;

index_t call(const tensor_desc& buffer) {
#ifdef MISUSE
  const tensor_ref r = buffer.rows(0, 4).ref();
#else
  const tensor_desc view = buffer.rows(0, 4);
  const tensor_ref r = view.ref();
#endif
  return r.extents[0];
}
