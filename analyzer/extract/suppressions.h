// NOLINT comments that name one of our checks:
//   … // NOLINT(stridelock-narrowed-view): rows are padded to 128 by the loader
//   // NOLINTNEXTLINE(stridelock-narrowed-view, stridelock-copy-in-capture): …
//
// A bare NOLINT, a wildcard, or a check of another tool is not ours and is not kept. A missing reason is kept as an
// empty reason, so that it can be reported.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/ir/ir.h"

namespace stridelock::extract {

// The suppressions in one comment that begins on `line` of `file`.
std::vector<ir::suppression> suppressions_in(std::string_view comment, ir::name file, std::uint32_t line);

}  // namespace stridelock::extract
