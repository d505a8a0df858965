// tensor_ref.h: a borrowed description of a tensor. The hot form: seven words that point at what the caller has.
//
// Promises:  trivially copyable, never copies extents or strides, costs nothing where the compiler sees both sides.
// Does not:  keep anything alive: extents, strides and provenance must outlive it. Use tensor_desc to keep one.
//
//   const index_t extents[] = {66, 256}, strides[] = {1024, 1};
//   const tensor_ref view{data, types::int32, 2, {device_kind::cuda, 0}, extents, strides};
#pragma once

#include <cstdint>

#include "stridelock/device.h"
#include "stridelock/dtype.h"
#include "stridelock/integers.h"
#include "stridelock/layout.h"

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
  const provenance* from = nullptr;  // only messages read it

  // Ask only where strides is not null.
  constexpr layout_ref layout() const { return {rank, extents, strides}; }
};

}  // namespace v1
}  // namespace stridelock
