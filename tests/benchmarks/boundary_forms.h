// The same boundary in every form: c = a * b^T with M x K, N x K and M x N, all bfloat16 and aligned to 16 bytes,
// a with a row pitch, b and c dense.
#pragma once

#include "stridelock/describe.h"
#include "stridelock/report.h"

namespace stridelock::benchmarks {

using bits16 = std::uint16_t;
using typed_rows = view<const float, 2, row_pitched, index_t, aligned<16>>;
using typed_in = view<const float, 2, contiguous, index_t, aligned<16>>;
using typed_out = view<float, 2, contiguous, index_t, aligned<16>>;

bool holds_refs(const tensor_ref& a, const tensor_ref& b, const tensor_ref& c);
void require_refs(const tensor_ref& a, const tensor_ref& b, const tensor_ref& c);
report check_refs(const tensor_ref& a, const tensor_ref& b, const tensor_ref& c);
void require_refs_and_optional(const tensor_ref& a, const tensor_ref& b, const tensor_ref& c,
                               const tensor_ref* bias);
report evaluate_refs(const tensor_ref& a, const tensor_ref& b,
                     const tensor_ref& c);  // as contracts from YAML are judged
void require_dispatch(const tensor_ref& a, const tensor_ref& b, const tensor_ref& c);
void require_views(const float* a, index_t pitch, const float* b, float* c, index_t m, index_t n, index_t k);

// The ladders.
struct plain_tensor {  // what both libraries' tensors hold
  void* data;
  std::int32_t device_type, device_id;
  std::int32_t rank;
  std::uint8_t code, bits;
  std::uint16_t lanes;
  const std::int64_t* shape;
  const std::int64_t* strides;
  std::uint64_t byte_offset;
  bool is_contiguous;  // one of them keeps the answer
};
void tvm_style_ladder(const plain_tensor& a, const plain_tensor& b, const plain_tensor& c);
void torch_style_ladder(const plain_tensor& a, const plain_tensor& b, const plain_tensor& c);

}  // namespace stridelock::benchmarks
