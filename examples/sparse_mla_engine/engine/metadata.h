// metadata.h: the index lists of a step, built into buffers that outlive every captured graph.
#pragma once

#include "engine/buffers.h"
#include "engine/policy.h"
#include "engine/step.h"
#include "stridelock/tensor_desc.h"
#include "stridelock/view.h"

namespace sparse_mla_engine {

using index_rows = stridelock::view<const std::int32_t, 2, stridelock::row_pitched>;

// What the kernels get, as typed views; and the same as descriptions that know where they come from.
struct metadata {
  index_t width = 0;  // columns written this step
  index_rows decode;
  stridelock::view<const std::int32_t, 1> lengths;
  index_rows prefill;
  stridelock::tensor_desc decode_from;
  stridelock::tensor_desc lengths_from;
  stridelock::tensor_desc prefill_from;
};

class metadata_builder {
 public:
  static constexpr std::int32_t stale = -99;  // what the buffers hold where no step has written

  metadata_builder(machine& on, stridelock::registry& in, index_t max_rows, index_t capacity);

  // Refills the buffers. `on` decides between full rows and columns.
  metadata build(const step& s, policy p, stridelock::capability on);

  index_t capacity() const { return decode_.full().extent(1); }
  // For tests: fills both index buffers with `stale`, and shows what they hold.
  void poison();
  std::vector<std::int32_t> decode_buffer() {
    return download(machine_, decode_.full().data, decode_.full().size());
  }
  std::vector<std::int32_t> prefill_buffer() {
    return download(machine_, prefill_.full().data, prefill_.full().size());
  }

 private:
  machine& machine_;
  buffer<std::int32_t, 2> decode_, prefill_;
  buffer<std::int32_t, 1> lengths_, requests_, block_table_;
  buffer<std::int64_t, 1> positions_, slots_, prefill_positions_;
};

}  // namespace sparse_mla_engine
