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

// The same of a caller, as defaults of two parameters; without directories.
#if defined(__GNUC__) || defined(__clang__) || (defined(_MSC_VER) && _MSC_VER >= 1926)
#define STRIDELOCK_CALLER_FILE __builtin_FILE()
#define STRIDELOCK_CALLER_LINE __builtin_LINE()
#else
#define STRIDELOCK_CALLER_FILE ""
#define STRIDELOCK_CALLER_LINE 0
#endif
constexpr source_line line_in(std::string_view path, std::int32_t line) {
  for (std::size_t i = path.size(); i-- > 0;)
    if (path[i] == '/' || path[i] == '\\') return {path.substr(i + 1), line};
  return {path, line};
}

struct view_step {
  operation what = operation::identity;
  std::int8_t dim = 0;
  std::int8_t other_dim = 0;  // transpose
  index_t begin = 0;          // of the range; the index of a select
  index_t end = 0;
  index_t step = 1;
  source_line where{};
};

// Why a step could not be taken.
enum class step_refusal : std::uint8_t {
  none,
  no_buffer,  // the buffer itself: beyond 64 bits, more than 8 dimensions, or not one stride for each
  no_such_dimension,
  out_of_range,  // of the extent
  does_not_fit,  // an offset or a stride: beyond 64 bits, or between two bytes
};

struct provenance {
  static constexpr int capacity = 6;

  short_text<48> root{};
  std::int32_t root_rank = 0;
  index_t root_extents[max_rank]{};
  index_t root_strides[max_rank]{};
  source_line root_line{};      // where it was taken up, if that is known
  std::int32_t step_count = 0;  // may exceed the capacity: the later steps are not kept
  view_step steps[capacity]{};
  // The step at which the description stopped being one; nothing follows it.
  step_refusal refusal = step_refusal::none;
  view_step refused{};
  index_t refused_extent = 0;  // of its dimension, before it; the rank where there is no such dimension

  constexpr bool known() const { return !root.empty(); }
  constexpr int kept_steps() const { return step_count < capacity ? step_count : capacity; }

  constexpr void add(const view_step& next) {
    if (step_count < capacity) steps[step_count] = next;
    ++step_count;
  }
  // The first one counts.
  constexpr void refuse(step_refusal why, const view_step& step, index_t extent) {
    if (refusal != step_refusal::none) return;
    refusal = why;
    refused = step;
    refused_extent = extent;
  }
};

}  // namespace v1
}  // namespace stridelock
