// policy.h: what the engine does with the index rows of a step: the bug, the states it went through, and the cures.
#pragma once

#include <string_view>

#include "engine/library.h"

namespace sparse_mla_engine {

enum class policy {
  bug,         // narrow columns of the persistent buffer, on every architecture
  seed_cure,   // full rows where the kernels step by the width (capability 12.x), narrow columns elsewhere
  pitch_cure,  // narrow columns everywhere, and kernels that take their pitch
  copy_in_capture,  // the forbidden one: a dense copy made where the rows are used, inside the capture
  packed_rows,  // rows packed at the width of the batch, at the start of the buffer; kernels take the pitch
};

inline constexpr policy policies[] = {policy::bug, policy::seed_cure, policy::pitch_cure,
                                      policy::copy_in_capture, policy::packed_rows};

constexpr std::string_view name(policy p) {
  switch (p) {
    case policy::bug:
      return "bug";
    case policy::seed_cure:
      return "seed-cure";
    case policy::pitch_cure:
      return "pitch-cure";
    case policy::copy_in_capture:
      return "copy-in-capture";
    case policy::packed_rows:
      return "packed-rows";
  }
  return {};
}

constexpr library_version library_of(policy p) {
  return p == policy::pitch_cure || p == policy::packed_rows ? library_version::pitched
                                                             : library_version::seed;
}

}  // namespace sparse_mla_engine
