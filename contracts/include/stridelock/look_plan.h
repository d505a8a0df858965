// look_plan.h: what a boundary asks before it calls the exact evaluator, as a compact table that the compiler makes.
//
// Promises:  is_fine_by_plan() is true only where the exact evaluator finds nothing, also for what the hot test leaves
//            open: empties, extents of 1 in any place, absent optional arguments, second shapes. One loop in the compiled
//            library, shared by all contracts; per contract there is read-only data without names, and no code.
// Does not:  mean a violation when it is false. It gives up on dispatches, expressions and strides in shapes, layout facts
//            with numbers, null or negative strides and absurd sizes; the exact evaluator judges those.
//            Not for users: the layout of the table is no part of the API.
// Cost:      docs/benchmarks.md.
#pragma once

#include <cstdint>

#include "stridelock/contract.h"
#include "stridelock/evaluate.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

// Every extent has a slot: that of its symbol, or one that holds its constant from the start. So one comparison serves both.
inline constexpr int most_look_slots = 24;
inline constexpr std::uint8_t free_slot = most_look_slots - 1;  // of a wildcard: compared with nothing
inline constexpr index_t unbound_slot = -1;                     // extents are not negative

struct planned_shape {
  std::int8_t rank = -1;
  std::uint8_t slots[max_rank]{};
};

struct planned_argument {
  planned_shape shapes[argument::most_shapes]{};
  bool is_optional = false;
  std::uint8_t type_count = 0;
  device_kind on_device = device_kind::none;
  std::uint32_t notions = 0;         // see bit_of
  std::uint64_t alignment_mask = 0;  // in bytes
  dtype types[argument::most_types]{};
};

// The layout facts without numbers.
constexpr std::uint32_t bit_of(notion what) {
  switch (what) {
    case notion::dense:
    case notion::inner_contiguous:
    case notion::row_pitched:
    case notion::permutation_dense:
    case notion::non_overlapping:
    case notion::writable:
      return std::uint32_t{1} << static_cast<unsigned>(what);
    default:
      return 0;
  }
}

// Refers to what it was made from.
struct look_plan_view {
  bool is_usable = false;
  int argument_count = 0;
  const index_t* slots = nullptr;
  const planned_argument* arguments = nullptr;
};

template <int Arguments>
struct look_plan {
  bool is_usable = true;
  std::uint8_t slot_count = 0;
  index_t slots[most_look_slots]{};
  planned_argument arguments[Arguments > 0 ? Arguments : 1]{};

  constexpr explicit look_plan(const contract_view& c) {
    is_usable = c.kind == branch_kind::kernel && c.condition_count == 0 && c.guard_count == 0 &&
                c.symbol_count < free_slot;
    slot_count = static_cast<std::uint8_t>(c.symbol_count);
    for (index_t& slot : slots) slot = unbound_slot;
    for (int i = 0; is_usable && i < Arguments; ++i) take(arguments[i], c.arguments[i]);
  }
  constexpr look_plan_view view() const& { return {is_usable, Arguments, slots, arguments}; }
  look_plan_view view() const&& = delete;

 private:
  constexpr void take(planned_argument& to, const argument& a) {
    to.is_optional = a.is_optional;
    to.on_device = a.on_device;
    to.type_count = a.type_count;
    for (int k = 0; k < a.type_count; ++k) to.types[k] = a.types[k];
    for (int s = 0; s < a.shape_count; ++s) {
      to.shapes[s].rank = a.shapes[s].rank;
      if (a.shapes[s].has_strides) is_usable = false;
      for (int d = 0; d < a.shapes[s].rank; ++d) to.shapes[s].slots[d] = slot_of(a.shapes[s].extents[d]);
    }
    if (a.sharing_count != 0 || (a.reader != reads::whole_row && a.reader != reads::bounded))
      is_usable = false;
    for (int k = 0; k < a.requirement_count; ++k) {
      const requirement& r = a.requirements[k];
      const std::uint32_t bit = bit_of(r.what);
      to.notions |= bit;
      if (r.what == notion::aligned && r.detail > 0 && (r.detail & (r.detail - 1)) == 0)
        to.alignment_mask |= static_cast<std::uint64_t>(r.detail) - 1;
      else if (bit == 0)
        is_usable = false;
    }
  }

  constexpr std::uint8_t slot_of(const expression& e) {
    if (e.is_bare_symbol()) return static_cast<std::uint8_t>(e.index);
    if (e.kind == expression_kind::any) return free_slot;
    if (e.kind != expression_kind::constant || e.added < 0 || slot_count == free_slot) {
      is_usable = false;
      return free_slot;
    }
    slots[slot_count] = e.added;
    return slot_count++;
  }
};

// `arguments`: as many as the plan has; null where one is absent.
bool is_fine_by_plan(const look_plan_view& plan, const tensor_ref* const* arguments) noexcept;

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
