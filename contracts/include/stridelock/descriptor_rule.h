// descriptor_rule.h: how a tiled tensor map (TMA, cuTensorMapEncodeTiled) would be encoded, as data.
//
// Promises:  literal data, to be part of a contract: arg("x").descriptor_legal(rule). What may be encoded is in descriptor.h.
// Does not:  need CUDA. Dimensions are counted as everywhere here: 0 is the outermost. (The driver counts from the innermost.)
//
//   constexpr descriptor_rule swizzled = [] { descriptor_rule r; r.swizzled = swizzle::bytes_128; return r; }();
#pragma once

#include <cstdint>

#include "stridelock/integers.h"

namespace stridelock {
inline namespace v1 {

enum class interleave : std::uint8_t { none, bytes_16, bytes_32 };
enum class swizzle : std::uint8_t { none, bytes_32, bytes_64, bytes_128 };
enum class packing : std::uint8_t {
  none,
  u4_align_8,   // 16U4_ALIGN8B
  u4_align_16,  // 16U4_ALIGN16B
  u6_align_16,  // 16U6_ALIGN16B
};

struct descriptor_rule {
  index_t element_bytes = 1;  // of one storage element, the unit of the strides
  interleave interleaved = interleave::none;
  swizzle swizzled = swizzle::none;
  packing packed = packing::none;
  bool has_box = false;  // box and element_strides are judged only if set
  index_t box[5]{};
  index_t element_strides[5]{};
};

}  // namespace v1
}  // namespace stridelock
