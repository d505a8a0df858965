// descriptor.h: may these raw numbers be encoded into a tiled tensor map (TMA, cuTensorMapEncodeTiled)?
//
// Promises:  the rules of the CUDA 13.0 header, on what the caller would really pass: a stride counts also
// where the
//            extent is 1, and an extent of 0 is illegal. All products are checked in 64 bits. The first fault
//            is returned with the dimension, the number found and the number needed.
// Does not:  encode anything, need CUDA, or cover im2col and one-dimensional bulk copies.
//
//   const descriptor_fault fault = check_descriptor(view, address, rule);   // kind == none: legal
//
// Dimensions are counted as everywhere here: 0 is the outermost. (The driver counts from the innermost.)
#pragma once

#include <cstdint>

#include "stridelock/descriptor_rule.h"
#include "stridelock/dtype.h"
#include "stridelock/integers.h"
#include "stridelock/layout.h"

namespace stridelock {
inline namespace v1 {

enum class descriptor_fault_kind : std::uint8_t {
  none,
  rank,             // 1 to 5; at least 3 when interleaved
  address,          // multiple of 16, or 32
  extent_range,     // 1 to 2^32
  extent_multiple,  // packed types: innermost extent
  inner_stride,     // one element by definition
  stride_multiple,  // bytes, multiple of 16, or 32
  stride_range,     // bytes, below 2^40
  box_range,        // 1 to 256
  box_bytes,        // innermost box in bytes: multiple of 16
  box_swizzle,      // innermost box in bytes: at most the swizzle
  box_packed,       // packed types: innermost box is 128 elements
  element_stride,   // 1 to 8
};

struct descriptor_fault {
  descriptor_fault_kind kind = descriptor_fault_kind::none;
  int dim = -1;
  index_t found = 0;
  index_t needed = 0;
};

constexpr descriptor_fault check_descriptor(const layout_ref& l, std::uint64_t address,
                                            const descriptor_rule& rule) {
  using kind = descriptor_fault_kind;
  const index_t lowest_rank = rule.interleaved == interleave::none ? 1 : 3;
  if (l.rank < lowest_rank || l.rank > 5) return {kind::rank, -1, l.rank, l.rank > 5 ? 5 : lowest_rank};

  const bool packed_16 = rule.packed == packing::u4_align_16 || rule.packed == packing::u6_align_16;
  const index_t unit = packed_16 || rule.interleaved == interleave::bytes_32 ? 32 : 16;
  if (address % static_cast<std::uint64_t>(unit) != 0) {
    return {kind::address, -1, static_cast<index_t>(address % static_cast<std::uint64_t>(unit)), unit};
  }

  constexpr index_t most = index_t{1} << 32;
  const int inner = l.rank - 1;
  for (int i = 0; i < l.rank; ++i) {
    if (l.extents[i] < 1) return {kind::extent_range, i, l.extents[i], 1};
    if (l.extents[i] > most) return {kind::extent_range, i, l.extents[i], most};
  }
  const index_t multiple = packed_16 ? 128 : rule.packed == packing::u4_align_8 ? 2 : 1;
  if (l.extents[inner] % multiple != 0) return {kind::extent_multiple, inner, l.extents[inner], multiple};
  if (l.extents[inner] > 1 && l.strides[inner] != 1) return {kind::inner_stride, inner, l.strides[inner], 1};

  constexpr index_t stride_limit = index_t{1} << 40;
  for (int i = inner - 1; i >= 0; --i) {
    const checked bytes = checked(l.strides[i]) * checked(rule.element_bytes);
    if (!bytes.ok || bytes.value < 0 || bytes.value >= stride_limit) {
      return {kind::stride_range, i, bytes.ok ? bytes.value : checked::highest, stride_limit};
    }
    if (bytes.value % unit != 0) return {kind::stride_multiple, i, bytes.value, unit};
  }
  if (!rule.has_box) return {};

  for (int i = 0; i < l.rank; ++i) {
    if (rule.box[i] < 1 || rule.box[i] > 256)
      return {kind::box_range, i, rule.box[i], rule.box[i] < 1 ? 1 : 256};
    const bool ignored = i == inner && rule.interleaved == interleave::none;
    if (!ignored && (rule.element_strides[i] < 1 || rule.element_strides[i] > 8)) {
      return {kind::element_stride, i, rule.element_strides[i], rule.element_strides[i] < 1 ? 1 : 8};
    }
  }
  if (packed_16) {
    if (rule.box[inner] != 128) return {kind::box_packed, inner, rule.box[inner], 128};
    return {};
  }
  if (rule.interleaved == interleave::none) {
    const checked box_bytes = rule.packed == packing::u4_align_8
                                  ? checked(rule.box[inner] / 2)
                                  : checked(rule.box[inner]) * checked(rule.element_bytes);
    if (!box_bytes.ok || box_bytes.value % 16 != 0) return {kind::box_bytes, inner, box_bytes.value, 16};
    const index_t widest = rule.swizzled == swizzle::bytes_32    ? 32
                           : rule.swizzled == swizzle::bytes_64  ? 64
                           : rule.swizzled == swizzle::bytes_128 ? 128
                                                                 : 0;
    if (widest != 0 && box_bytes.value > widest) return {kind::box_swizzle, inner, box_bytes.value, widest};
  }
  return {};
}

// The same for a tensor of that type, whatever rule.element_bytes says. Strides of sub-byte types count values: one that
// is no whole number of bytes cannot be a multiple of anything.
constexpr descriptor_fault check_descriptor(const layout_ref& l, std::uint64_t address, dtype type,
                                            descriptor_rule rule) {
  rule.element_bytes = type.storage_bytes();
  if (!type.is_sub_byte() || l.rank < 1 || l.rank > 5) return check_descriptor(l, address, rule);
  index_t strides[5]{};
  for (int i = 0; i < l.rank; ++i) {
    const checked bits = checked(l.strides[i]) * checked(type.element_bits());
    const bool inner = i == l.rank - 1;
    if (!inner && bits.ok && bits.value % 8 != 0)
      return {descriptor_fault_kind::stride_multiple, i, bits.value / 8, 16};
    strides[i] = inner ? l.strides[i] : bits.ok ? bits.value / 8 : checked::highest;
  }
  return check_descriptor(layout_ref{l.rank, l.extents, strides}, address, rule);
}

}  // namespace v1
}  // namespace stridelock
