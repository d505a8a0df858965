// tensor_ref.h: a borrowed description of a tensor. The hot form: a few words that point at what the caller has.
//
// Promises:  trivially copyable, never copies extents or strides, costs nothing where the compiler sees both sides.
// Does not:  keep anything alive: extents, strides, active extents and provenance must outlive it. Use tensor_desc to keep one.
//
//   const index_t extents[] = {66, 256}, strides[] = {1024, 1};
//   const tensor_ref view{data, types::int32, 2, {device_kind::cuda, 0}, extents, strides};
#pragma once

#include <cstdint>

#include "stridelock/device.h"
#include "stridelock/dtype.h"
#include "stridelock/integers.h"
#include "stridelock/layout.h"
#include "stridelock/valid_extent.h"

namespace stridelock {
inline namespace v1 {

struct provenance;

struct tensor_ref {
  const void* data = nullptr;
  dtype type{};
  std::int32_t rank = 0;
  device where{};
  const index_t* extents = nullptr;  // null only for rank 0
  const index_t* strides = nullptr;  // in elements; null: compact row-major
  std::uint64_t byte_offset = 0;     // part of the address
  tri read_only = tri::unknown;
  const provenance* from = nullptr;              // only messages read it
  const index_t* active = nullptr;               // extents that hold this step's data; null: everything does
  stale_content stale = stale_content::unknown;  // what the rest holds

  // Ask only where strides is not null.
  constexpr layout_ref layout() const { return {rank, extents, strides}; }
};

}  // namespace v1
}  // namespace stridelock
