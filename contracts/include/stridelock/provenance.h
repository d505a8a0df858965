// provenance.h: how a view was cut out of its buffer, step by step, so that a message can name the line to change.
//
// Promises:  plain data of fixed size that owns its texts; nothing here allocates. Steps beyond the capacity are
//            counted and said to be missing, texts that are too long end in "...".
// Does not:  change any size: the operations of tensor_desc record a step and apply it together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "stridelock/integers.h"
#include "stridelock/narrowing.h"

namespace stridelock {
inline namespace v1 {

// A short text that owns its characters.
template <std::size_t Capacity>
struct short_text {
  char characters[Capacity]{};
  std::uint8_t length = 0;
  static_assert(Capacity >= 4 && Capacity < 256, "short_text: capacity must be 4 to 255");

  constexpr short_text() = default;
  constexpr short_text(
      std::string_view text) {  // NOLINT(google-explicit-constructor): names are written as literals
    const bool cut = text.size() > Capacity;
    std::size_t kept = cut ? Capacity - 3 : text.size();
    while (cut && kept > 0 && (static_cast<unsigned char>(text[kept]) & 0xc0U) == 0x80U)
      --kept;  // inside a UTF-8 character
    for (std::size_t i = 0; i < kept; ++i) characters[i] = text[i];
    for (std::size_t i = kept; cut && i < kept + 3; ++i) characters[i] = '.';
    length = static_cast<std::uint8_t>(cut ? kept + 3 : kept);
  }
  constexpr short_text(const char* text)
      : short_text(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)

  constexpr std::string_view view() const { return {characters, length}; }
  constexpr bool empty() const { return length == 0; }
};

// A line of the user's code. STRIDELOCK_HERE is the line it stands on.
struct source_line {
  short_text<72> file{};
  std::int32_t line = 0;  // 0: not known

  constexpr source_line() = default;
  constexpr source_line(std::string_view f, std::int32_t l) : file(f), line(l) {}
};
#define STRIDELOCK_HERE (::stridelock::source_line(__FILE__, __LINE__))

struct view_step {
  operation what = operation::identity;
  std::int8_t dim = 0;
  std::int8_t other_dim = 0;  // transpose
  index_t begin = 0;          // of the range; the index of a select
  index_t end = 0;
  index_t step = 1;
  source_line where{};
};

struct provenance {
  static constexpr int capacity = 6;

  short_text<48> root{};
  std::int32_t root_rank = 0;
  index_t root_extents[max_rank]{};
  index_t root_strides[max_rank]{};
  std::int32_t step_count = 0;  // may exceed the capacity: the later steps are not kept
  view_step steps[capacity]{};

  constexpr bool known() const { return !root.empty(); }
  constexpr int kept_steps() const { return step_count < capacity ? step_count : capacity; }

  constexpr void add(const view_step& next) {
    if (step_count < capacity) steps[step_count] = next;
    ++step_count;
  }
};

}  // namespace v1
}  // namespace stridelock
