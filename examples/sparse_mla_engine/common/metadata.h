// What the kernels of a step need to know about it, as views of buffers that outlive every captured graph.
#pragma once

#include "step.h"
#include "tensor.h"

namespace engine {

struct attention_metadata {
  tensor indices;          // index lists for sparse_mla::attention
  tensor pitched_indices;  // the same lists for sparse_mla::attention_pitched, which takes their row pitch
  tensor lengths;          // entries of each list that hold this step's data; the kernels stop there
  tensor draft_tokens;     // (requests, 1 + draft)
};

// Owns the persistent buffers: their addresses are baked into the captured graphs, so each step refills them
// in place.
class metadata_builder {
 public:
  attention_metadata build(const step_input& step);

 private:
  static constexpr std::int64_t max_rows = 512;
  static constexpr std::int32_t stale = -99;  // what a buffer holds where no step has written

  tensor c128a_decode_ = tensor::full<std::int32_t>({max_rows, 1024}, stale);
  tensor lengths_ = tensor::full<std::int32_t>({max_rows}, 0);
  tensor draft_tokens_ = tensor::full<std::int32_t>({max_rows, 8}, stale);
};

}  // namespace engine
