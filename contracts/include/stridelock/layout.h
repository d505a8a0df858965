// layout.h: every notion of "contiguous", as a function on plain extents and strides. The definitions, with
// the cases of empty tensors and size-1 dimensions, are in docs/semantics.md.
//
// Promises:  constexpr, no allocation, exact; a stride of an extent of 1 is never looked at except where the
// notion
//            says so (canonical, descriptor); arithmetic at the limits of int64 never wraps: a layout whose
//            element count or reachable offsets do not fit has none of the notions, and its injectivity is
//            unknown.
// Does not:  look at memory, know dtypes, or accept a rank above 8 (every notion is then false).
// Cost:      hot, O(rank); permutation_dense and injectivity O(rank^2).
//
//   const index_t extents[] = {66, 256}, strides[] = {1024, 1};
//   const layout_ref view{2, extents, strides};
//   is_dense(view);                 // false
//   row_pitch(view).pitch;          // 1024
#pragma once

#include <cstdint>

#include "stridelock/integers.h"
#include "stridelock/narrowing.h"  // layout_facts

namespace stridelock {
inline namespace v1 {

// Borrowed extents and strides, dimension 0 outermost, strides in storage elements. Both may be null for rank
// 0.
struct layout_ref {
  int rank = 0;
  const index_t* extents = nullptr;
  const index_t* strides = nullptr;
};

// ---- sizes and reach
// ---------------------------------------------------------------------------------------------

constexpr bool is_empty(const layout_ref& l) {
  for (int i = 0; i < l.rank; ++i)
    if (l.extents[i] == 0) return true;
  return false;
}

constexpr checked element_count(const layout_ref& l) {
  if (is_empty(l)) return checked(0);
  checked count(1);
  for (int i = 0; i < l.rank; ++i) count = count * checked(l.extents[i]);
  return count;
}

// Offsets that indexing can reach, first and last, both inclusive. Rank 0 reaches offset 0.
struct reach {
  index_t low = 0;
  index_t high = 0;
  bool ok = true;      // false: an offset does not fit into 64 bits
  bool empty = false;  // nothing is addressed
};

constexpr reach offsets_of(const layout_ref& l) {
  reach r;
  if (is_empty(l)) {
    r.empty = true;
    return r;
  }
  checked low(0), high(0);
  for (int i = 0; i < l.rank; ++i) {
    if (l.extents[i] == 1) continue;
    const checked last = checked(l.strides[i]) * (checked(l.extents[i]) - checked(1));
    if (l.strides[i] < 0) low = low + last;
    if (l.strides[i] > 0) high = high + last;
    if (!last.ok) low = high = last;
  }
  r.ok = low.ok && high.ok && (high - low).ok;
  r.low = low.value;
  r.high = high.value;
  return r;
}

// Bytes touched, relative to the base: [low, high). Negative strides reach below the base.
struct byte_range {
  index_t low = 0;
  index_t high = 0;
  bool ok = true;  // false: does not fit into 64 bits
};

constexpr byte_range bytes_of(const layout_ref& l, index_t element_bytes) {
  const reach r = offsets_of(l);
  if (r.empty) return {};
  const checked low = checked(r.low, r.ok) * checked(element_bytes);
  const checked high = checked(r.high, r.ok) * checked(element_bytes) + checked(element_bytes);
  return {low.value, high.value, low.ok && high.ok};
}

namespace detail {

// Numbers so small that nothing can overflow: up to rank 2, or up to rank 4, the count is at most 2^60 and the reach 2^62.
constexpr bool is_plainly_addressable(const layout_ref& l) {
  if (l.rank > 4 || (l.rank > 0 && l.strides == nullptr)) return false;
  const index_t extent_limit = index_t{1} << (l.rank <= 2 ? 30 : 15);
  const index_t stride_limit = index_t{1} << (l.rank <= 2 ? 30 : 45);
  bool plain = true;
  for (int i = 0; i < l.rank; ++i)
    plain = plain && l.extents[i] <= extent_limit && l.strides[i] <= stride_limit &&
            l.strides[i] >= -stride_limit;
  return plain;
}

}  // namespace detail

// Well formed: rank 0 to 8, no negative extent, element count and reach fit into 64 bits.
constexpr bool is_addressable(const layout_ref& l) {
  if (l.rank < 0 || l.rank > max_rank) return false;
  for (int i = 0; i < l.rank; ++i)
    if (l.extents[i] < 0) return false;
  if (detail::is_plainly_addressable(l)) return true;
  return element_count(l).ok && offsets_of(l).ok;
}

// ---- the notions
// -------------------------------------------------------------------------------------------------

// The last `count` dimensions, taken alone, are dense.
constexpr bool is_suffix_dense(const layout_ref& l, int count) {
  if (!is_addressable(l) || count < 0 || count > l.rank) return false;
  if (is_empty(l)) return true;
  checked expected(1);
  for (int i = l.rank - 1; i >= l.rank - count; --i) {
    if (l.extents[i] == 1) continue;
    if (!expected.ok || l.strides[i] != expected.value) return false;
    expected = expected * checked(l.extents[i]);
  }
  return true;
}

// Row-major without gaps; what PyTorch's is_contiguous() answers.
constexpr bool is_dense(const layout_ref& l) {
  return is_suffix_dense(l, l.rank);
}

// The stride that a freshly allocated row-major tensor has in dimension `dim`; extents of 0 count as 1.
constexpr checked canonical_stride(const layout_ref& l, int dim) {
  checked expected(1);
  for (int j = l.rank - 1; j > dim; --j) expected = expected * checked(l.extents[j] > 1 ? l.extents[j] : 1);
  return expected;
}

// Dense, with the strides of a fresh row-major tensor also where they are never used.
constexpr bool is_canonical(const layout_ref& l) {
  if (!is_addressable(l)) return false;
  for (int i = 0; i < l.rank; ++i) {
    const checked expected = canonical_stride(l, i);
    if (!expected.ok || l.strides[i] != expected.value) return false;
  }
  return true;
}

constexpr bool is_inner_contiguous(const layout_ref& l) {
  if (!is_addressable(l)) return false;
  return l.rank == 0 || is_empty(l) || l.extents[l.rank - 1] == 1 || l.strides[l.rank - 1] == 1;
}

// Dimensions first to last, both inclusive, merge into one without moving an element.
constexpr bool is_collapsible(const layout_ref& l, int first, int last) {
  if (!is_addressable(l) || first < 0 || last >= l.rank) return false;
  if (is_empty(l)) return true;
  int inner = -1;
  for (int i = last; i >= first; --i) {
    if (l.extents[i] == 1) continue;
    if (inner >= 0) {
      const checked expected = checked(l.strides[inner]) * checked(l.extents[inner]);
      if (!expected.ok || l.strides[i] != expected.value) return false;
    }
    inner = i;
  }
  return true;
}

// Distance between rows: the stride of the last outer dimension that is not 1.
// With at most one row, or nothing to address, there is none.
struct pitch_result {
  bool has_pitch = false;
  index_t pitch = 0;
  int dim = -1;
};

constexpr pitch_result row_pitch(const layout_ref& l) {
  if (!is_addressable(l) || is_empty(l)) return {};
  for (int i = l.rank - 2; i >= 0; --i)
    if (l.extents[i] != 1) return {true, l.strides[i], i};
  return {};
}

// Dense rows, one pitch, no row reaches into the next.
constexpr bool is_row_pitched(const layout_ref& l) {
  if (!is_inner_contiguous(l)) return false;
  if (is_empty(l) || l.rank < 2) return true;
  if (!is_collapsible(l, 0, l.rank - 2)) return false;
  const pitch_result rows = row_pitch(l);
  return !rows.has_pitch || rows.pitch >= l.extents[l.rank - 1];
}

namespace detail {

// Dimensions with more than one index, sorted by absolute stride. Rank must be at most 8.
struct sorted_dims {
  int count = 0;
  index_t extents[max_rank]{};
  index_t strides[max_rank]{};  // absolute

  constexpr explicit sorted_dims(const layout_ref& l) {
    for (int i = 0; i < l.rank; ++i) {
      if (l.extents[i] <= 1) continue;
      const index_t stride = l.strides[i] < 0 ? -l.strides[i] : l.strides[i];
      int at = count++;
      for (; at > 0 && strides[at - 1] > stride; --at) {
        strides[at] = strides[at - 1];
        extents[at] = extents[at - 1];
      }
      strides[at] = stride;
      extents[at] = l.extents[i];
    }
  }
};

}  // namespace detail

// Some order of the dimensions makes it dense: PyTorch's "non overlapping and dense". Pitched rows are not.
constexpr bool is_permutation_dense(const layout_ref& l) {
  if (!is_addressable(l)) return false;
  if (is_empty(l)) return true;
  for (int i = 0; i < l.rank; ++i)
    if (l.extents[i] > 1 && l.strides[i] <= 0) return false;
  const detail::sorted_dims dims(l);
  checked expected(1);
  for (int i = 0; i < dims.count; ++i) {
    if (!expected.ok || dims.strides[i] != expected.value) return false;
    expected = expected * checked(dims.extents[i]);
  }
  return true;
}

// No two indices share an address. `unknown` where neither proof below succeeds, for example (2,3):(3,2).
constexpr tri injectivity(const layout_ref& l) {
  if (!is_addressable(l)) return tri::unknown;
  if (is_empty(l)) return tri::yes;
  const detail::sorted_dims dims(l);
  for (int i = 0; i < dims.count; ++i) {
    if (dims.strides[i] == 0) return tri::no;
    if (i > 0 && dims.strides[i] == dims.strides[i - 1]) return tri::no;
  }
  const reach r = offsets_of(l);
  if (r.high - r.low < element_count(l).value - 1) return tri::no;  // fewer addresses than elements
  index_t smaller_dims_reach = 0;                                   // fits: it is at most high - low
  for (int i = 0; i < dims.count; ++i) {
    if (dims.strides[i] <= smaller_dims_reach) return tri::unknown;
    smaller_dims_reach += dims.strides[i] * (dims.extents[i] - 1);
  }
  return tri::yes;
}

// Reachable offsets span less than 2^(bits-1) elements: signed indices of that width can address all of them.
constexpr bool fits_index_bits(const layout_ref& l, int bits) {
  if (!is_addressable(l) || bits < 2 || bits > 64) return false;
  const reach r = offsets_of(l);
  if (r.empty || bits == 64) return true;
  return r.high - r.low < (index_t{1} << (bits - 1));
}

// ---- alignment
// ---------------------------------------------------------------------------------------------------

// (address + byte offset) is a multiple of `bytes`. Ask only for tensors that address something.
constexpr bool is_aligned(std::uint64_t address, std::uint64_t byte_offset, std::uint64_t bytes) {
  return bytes <= 1 || (address % bytes + byte_offset % bytes) % bytes == 0;
}

// Every row starts at a multiple of `bytes` if the first one does. Not evaluated, hence true, with at most
// one row.
constexpr bool is_rows_aligned(const layout_ref& l, index_t element_bytes, index_t bytes) {
  const pitch_result rows = row_pitch(l);
  if (!rows.has_pitch || bytes <= 1) return is_addressable(l);
  const checked pitch_bytes = checked(rows.pitch) * checked(element_bytes);
  return pitch_bytes.ok && pitch_bytes.value % bytes == 0;
}

// ---- everything at once
// ------------------------------------------------------------------------------------------

constexpr layout_facts facts_of(const layout_ref& l) {
  layout_facts f;
  f.dense = to_tri(is_dense(l));
  f.inner_contiguous = to_tri(is_inner_contiguous(l));
  f.row_pitched = to_tri(is_row_pitched(l));
  f.permutation_dense = to_tri(is_permutation_dense(l));
  f.injective = injectivity(l);
  return f;
}

}  // namespace v1
}  // namespace stridelock
