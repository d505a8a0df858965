// Random units for property tests: every field of every instruction and terminator takes arbitrary values,
// names include what is hard to write down; references stay in range, as the text form promises.
#pragma once

#include <cstdint>

#include "analyzer/ir/ir.h"

namespace stridelock::ir {

unit random_unit(std::uint64_t seed);

}  // namespace stridelock::ir
