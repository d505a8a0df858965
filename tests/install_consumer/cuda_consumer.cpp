// Built, not run: what is installed is enough to compile and link against; a capture would need a device.
#include "stridelock/capture_guard.h"
#include "stridelock/cuda/capture_backend.h"
#include "stridelock/cuda/graph_audit_c.h"
#include "stridelock/cuda/graph_reader.h"
#include "stridelock/cuda/poison.h"

namespace sl = stridelock;

int main() {
  sl::capture_guard guard(sl::cuda::capture_calls(), nullptr, "the legacy stream cannot capture");
  const sl::cuda::read_result none = sl::cuda::read_graph(nullptr);
  return guard.finish().ok() || none.failure.empty() ? 1 : 0;
}
