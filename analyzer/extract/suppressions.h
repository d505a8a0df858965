// NOLINT comments that name one of our checks:
//   … // NOLINT(stridelock-narrowed-view): rows are padded to 128 by the loader
//   // NOLINTNEXTLINE(stridelock-narrowed-view, stridelock-copy-in-capture): …
//
//   // NOLINTBEGIN(stridelock-narrowed-view): the whole table is padded
//   // NOLINTEND(stridelock-narrowed-view)
//
// A bare NOLINT, a wildcard, or a check of another tool is not ours and is not kept. A missing reason is kept as an
// empty reason, so that it can be reported.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/ir/ir.h"

namespace stridelock::extract {

// The suppressions in one comment that begins on `line` of `file`. Begins and ends of regions are `unclosed` and
// `unopened`: they have not met yet.
std::vector<ir::suppression> suppressions_in(std::string_view comment, ir::name file, std::uint32_t line);

// All suppressions of a unit, sorted, each once, with begins and ends of one check in one file joined to regions;
// an inner pair belongs together, as braces do.
std::vector<ir::suppression> joined_suppressions(std::vector<ir::suppression> all);

}  // namespace stridelock::extract
