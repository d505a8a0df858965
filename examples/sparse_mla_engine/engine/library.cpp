#include "engine/library.h"

#include "stridelock/strengthen.h"

namespace sparse_mla_engine {

using namespace stridelock;
using arguments_by_pitch = kernels::sparse_mla_arguments<row_pitched>;

void attend(const kernels::queue& to, library_version version, capability on, const arguments_by_pitch& a) {
  const bool few = a.q.extent(0) <= kernels::decode_max_tokens;
  if (version == library_version::pitched) {
    few ? kernels::sparse_mla_decode(to, a) : kernels::sparse_mla_paged(to, a);
  } else if (on.major != 12) {
    kernels::sparse_mla_paged(to, a);
  } else if (few) {
    kernels::sparse_mla_decode_dense(to, a);  // pointer and width go on, the pitch does not
  } else {
    const auto dense = require_layout<contiguous>(a.indices);  // the check that took the server down
    kernels::sparse_mla_paged_dense(to, {a.q, a.cache, dense, a.lengths, a.extra, a.out, a.scale, a.scratch});
  }
}

}  // namespace sparse_mla_engine
