// sharing.h: do two tensors share memory? Judged on the bytes that indexing reaches, at both ends of each.
//
// Promises:  `yes` and `no` are proofs. Negative strides, byte offsets and different element sizes are taken into account.
//            Two slices of one buffer that interleave without touching are told apart from two that overlap: columns
//            [0, 64) and [64, 128) of one matrix share nothing although their ranges cross.
// Does not:  guess. `unknown` where the search is cut off by its step limit, where a sub-byte value does not start at a byte,
//            where a number does not fit, and between two handles of a device without addresses.
// Cost:      cold; disjoint ranges are two comparisons.
//
//   shares_memory(qkv.columns(0, 128), qkv.columns(128, 256)) == tri::no
#pragma once

#include <cstdint>

#include "stridelock/device.h"
#include "stridelock/layout.h"
#include "stridelock/tensor_desc.h"

namespace stridelock {
inline namespace v1 {

// The memory of one tensor. Where data words are addresses the position is the address and the handle is 0; elsewhere the
// handle tells allocations apart and the position is the byte offset.
struct memory_view {
  device where{};
  std::uint64_t handle = 0;
  std::uint64_t position = 0;
  layout_ref layout{};  // borrowed
  index_t element_bits = 0;
};

template <class Provenance>
memory_view memory_of(const basic_tensor_desc<Provenance>& t) {
  const auto word = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(t.data()));
  memory_view m;
  m.where = t.where();
  m.handle = has_addresses(t.where()) ? 0 : word;
  m.position = has_addresses(t.where()) ? word + t.byte_offset() : t.byte_offset();
  m.layout = t.layout();
  m.element_bits = t.type().element_bits();
  return m;
}
template <class Provenance>
memory_view memory_of(const basic_tensor_desc<Provenance>&& t) = delete;  // it would borrow from a temporary

namespace detail {

// A tensor as runs of bytes: offsets first + sum of count * stride, each the start of `run` bytes. Strides are positive.
struct byte_runs {
  bool ok = false;
  index_t first = 0;  // of the lowest run, relative to the base
  index_t run = 0;
  int count = 0;
  index_t strides[max_rank]{};
  index_t last[max_rank]{};  // largest index
  index_t reach = 0;         // of all strides together

  constexpr explicit byte_runs(const memory_view& m) {
    const layout_ref& l = m.layout;
    if (!is_addressable(l) || m.element_bits <= 0) return;
    int packed = -1;  // the dimension along which sub-byte values lie side by side
    checked bits(m.element_bits);
    if (m.element_bits % 8 != 0 && l.rank > 0) {
      packed = l.rank - 1;
      if (l.extents[packed] > 1 && l.strides[packed] != 1) return;
      bits = bits * checked(l.extents[packed]);
    }
    if (!bits.ok) return;
    run = bits.value / 8 + (bits.value % 8 != 0 ? 1 : 0);
    checked low(0), total(0);
    for (int i = 0; i < l.rank; ++i) {
      if (i == packed || l.extents[i] <= 1 || l.strides[i] == 0) continue;
      const checked stride_bits = checked(l.strides[i]) * checked(m.element_bits);
      if (!stride_bits.ok || stride_bits.value % 8 != 0 || stride_bits.value == checked::lowest) return;
      const index_t stride = stride_bits.value / 8;
      const checked distance = checked(stride < 0 ? -stride : stride) * checked(l.extents[i] - 1);
      if (stride < 0) low = low - distance;
      total = total + distance;
      strides[count] = stride < 0 ? -stride : stride;
      last[count++] = l.extents[i] - 1;
    }
    if (!low.ok || !total.ok || !(total + checked(run)).ok) return;  // runs that grow below must fit
    first = low.value;
    reach = total.value;
    // Dimensions that continue a run without a gap become part of it.
    for (int i = 0; i < count;) {
      if (strides[i] != run) {
        ++i;
        continue;
      }
      run += strides[i] * last[i];
      reach -= strides[i] * last[i];
      --count;
      strides[i] = strides[count];
      last[i] = last[count];
      i = 0;
    }
    ok = true;
  }
};

// Is there a sum of stride * k, each k within its bounds, between `low` and `high`? Largest strides first; after each
// choice the rest must still be able to reach the target, which leaves few choices where strides nest.
struct bounded_sum {
  static constexpr int most_terms = 2 * max_rank;
  static constexpr int step_limit = 20000;

  int count = 0;
  index_t strides[most_terms]{};  // descending
  index_t least[most_terms]{};
  index_t most[most_terms]{};
  int steps = 0;

  constexpr void add(index_t stride, index_t low, index_t high) {
    int at = 0;
    while (at < count && strides[at] > stride) ++at;
    if (at < count && strides[at] == stride) {
      least[at] += low;
      most[at] += high;
      return;
    }
    for (int i = count; i > at; --i) {
      strides[i] = strides[i - 1];
      least[i] = least[i - 1];
      most[i] = most[i - 1];
    }
    strides[at] = stride;
    least[at] = low;
    most[at] = high;
    ++count;
  }

  static constexpr index_t floor_divided(index_t a, index_t b) { return a / b - (a % b < 0 ? 1 : 0); }

  constexpr tri reaches(int term, index_t low, index_t high) {
    if (++steps > step_limit) return tri::unknown;
    if (term == count) return to_tri(low <= 0 && 0 <= high);
    index_t rest_low = 0, rest_high = 0;
    for (int i = term + 1; i < count; ++i) {
      rest_low += strides[i] * least[i];
      rest_high += strides[i] * most[i];
    }
    const index_t stride = strides[term];
    index_t k = -floor_divided(rest_high - low, stride);
    index_t end = floor_divided(high - rest_low, stride);
    if (k < least[term]) k = least[term];
    if (end > most[term]) end = most[term];
    for (; k <= end; ++k) {
      const tri found = reaches(term + 1, low - stride * k, high - stride * k);
      if (found != tri::no) return found;
    }
    return tri::no;
  }
};

}  // namespace detail

// Equal in everything that addresses memory: base, element size, extents, and strides where they are used.
constexpr bool is_same_view(const memory_view& a, const memory_view& b) {
  if (!is_addressable(a.layout) || !is_addressable(b.layout)) return false;
  if (a.where != b.where || a.handle != b.handle || a.position != b.position) return false;
  if (a.element_bits != b.element_bits || a.layout.rank != b.layout.rank) return false;
  const bool empty = is_empty(a.layout);
  for (int i = 0; i < a.layout.rank; ++i) {
    if (a.layout.extents[i] != b.layout.extents[i]) return false;
    if (!empty && a.layout.extents[i] > 1 && a.layout.strides[i] != b.layout.strides[i]) return false;
  }
  return true;
}

// Is there a byte that belongs to an element of both?
constexpr tri shares_memory(const memory_view& a, const memory_view& b) {
  if (!is_addressable(a.layout) || !is_addressable(b.layout)) return tri::unknown;
  if (is_empty(a.layout) || is_empty(b.layout)) return tri::no;
  const bool by_address = has_addresses(a.where) && has_addresses(b.where);
  if (!by_address) {
    if (a.where != b.where) return tri::no;
    if (a.handle != b.handle) return tri::unknown;
  }

  // Everything relative to the base of a.
  const bool b_is_above = b.position >= a.position;
  const std::uint64_t apart = b_is_above ? b.position - a.position : a.position - b.position;
  constexpr std::uint64_t limit = std::uint64_t{1} << 60;
  const detail::byte_runs x(a), y(b);
  if (!x.ok || !y.ok) {
    // Not in whole bytes: only the ends can be compared, each rounded outwards.
    const reach ra = offsets_of(a.layout), rb = offsets_of(b.layout);
    const checked a_low = checked(ra.low) * checked(a.element_bits) - checked(7);
    const checked a_high = checked(ra.high) * checked(a.element_bits) + checked(a.element_bits) + checked(7);
    const checked b_low = checked(rb.low) * checked(b.element_bits) - checked(7);
    const checked b_high = checked(rb.high) * checked(b.element_bits) + checked(b.element_bits) + checked(7);
    if (apart >= limit || !a_low.ok || !a_high.ok || !b_low.ok || !b_high.ok) return tri::unknown;
    const index_t shift = b_is_above ? static_cast<index_t>(apart) : -static_cast<index_t>(apart);
    const index_t from = shift + b_low.value / 8 - 1, to = shift + b_high.value / 8 + 1;
    return to <= a_low.value / 8 - 1 || a_high.value / 8 + 1 <= from ? tri::no : tri::unknown;
  }
  const auto huge = static_cast<index_t>(limit);
  if (apart >= limit || x.first < -huge || y.first < -huge || x.reach >= huge || y.reach >= huge ||
      x.run >= huge || y.run >= huge)
    return tri::unknown;
  const index_t shift = b_is_above ? static_cast<index_t>(apart) : -static_cast<index_t>(apart);
  const index_t x_low = x.first, y_low = shift + y.first;
  if (x_low + x.reach + x.run <= y_low || y_low + y.reach + y.run <= x_low) return tri::no;

  // Runs meet if their starts differ by less than the run that comes first: x - y lies in (-x.run, y.run).
  detail::bounded_sum difference;
  for (int i = 0; i < x.count; ++i) difference.add(x.strides[i], 0, x.last[i]);
  for (int i = 0; i < y.count; ++i) difference.add(y.strides[i], -y.last[i], 0);
  const index_t target = y_low - x_low;
  return difference.reaches(0, target - (x.run - 1), target + (y.run - 1));
}

// Are they one and the same memory: exactly the same bytes?
constexpr tri is_same_memory(const memory_view& a, const memory_view& b) {
  if (!is_addressable(a.layout) || !is_addressable(b.layout)) return tri::unknown;
  if (is_empty(a.layout) || is_empty(b.layout)) return to_tri(is_empty(a.layout) && is_empty(b.layout));
  if (is_same_view(a, b)) return tri::yes;
  const tri shared = shares_memory(a, b);
  if (shared != tri::yes) return shared;
  const detail::byte_runs x(a), y(b);
  if (!x.ok || !y.ok) return tri::unknown;
  const bool b_is_above = b.position >= a.position;
  const std::uint64_t apart = b_is_above ? b.position - a.position : a.position - b.position;
  const index_t shift = b_is_above ? static_cast<index_t>(apart) : -static_cast<index_t>(apart);
  if (x.first != shift + y.first || x.reach + x.run != y.reach + y.run) return tri::no;  // another end
  return x.count == 0 && y.count == 0 ? tri::yes : tri::unknown;  // without gaps, or nobody knows
}

// ---- the same for descriptions -------------------------------------------------------------------------------------

inline bool is_same_view(const tensor_desc& a, const tensor_desc& b) {
  return is_same_view(memory_of(a), memory_of(b));
}
inline tri shares_memory(const tensor_desc& a, const tensor_desc& b) {
  return shares_memory(memory_of(a), memory_of(b));
}
inline tri is_same_memory(const tensor_desc& a, const tensor_desc& b) {
  return is_same_memory(memory_of(a), memory_of(b));
}

}  // namespace v1
}  // namespace stridelock
