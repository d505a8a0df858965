// valid_extent.h: how much of a full-width view holds this step's data, what the rest holds, and how much a kernel reads.
//
// A persistent buffer is passed at its full width so that its address and pitch never change; only part of it is
// filled at each step. Every dimension then has two extents, active <= full. What the kernel does with the rest is part of
// its contract: how far it reads, and what it must find there.
//
// Promises:  plain data; the number of columns read is computed with overflow checked.
// Does not:  read lengths from a device. A bounded reader is believed to stop at its lengths.
//
//   columns_read(reads::up_to_tile, 5, 5, 3).value     // 6: one more than the view has
#pragma once

#include <cstdint>

#include "stridelock/integers.h"

namespace stridelock {
inline namespace v1 {

// How far a kernel reads along the last dimension.
enum class reads : std::uint8_t {
  whole_row,   // every column of the view
  bounded,     // stops at per-row lengths
  up_to_tile,  // the active width, rounded up to the tile
};

// What a kernel that reads stale columns must find there.
enum class stale_policy : std::uint8_t {
  refused,          // they must not be read at all: what is not said is not allowed
  must_be_cleared,  // the sentinel
  any_valid_value,  // any value that was valid in an earlier step, such as an index in range; not the sentinel
  ignored,          // anything: what is read there is thrown away
};

// What the columns beyond the active ones hold.
enum class stale_content : std::uint8_t {
  unknown,
  cleared,       // the sentinel
  earlier_step,  // values that an earlier, wider step left behind
};

constexpr checked columns_read(reads reader, index_t active, index_t full, index_t tile) {
  switch (reader) {
    case reads::whole_row:
      return checked(full);
    case reads::bounded:
      return checked(active);
    case reads::up_to_tile:
      return round_up(checked(active), tile);
  }
  return checked(full);
}

constexpr bool may_hold(stale_policy policy, stale_content content) {
  switch (policy) {
    case stale_policy::refused:
      return false;
    case stale_policy::must_be_cleared:
      return content == stale_content::cleared;
    case stale_policy::any_valid_value:
      return content == stale_content::earlier_step;
    case stale_policy::ignored:
      return true;
  }
  return false;
}

}  // namespace v1
}  // namespace stridelock
