// What must not exist for a failed unit to be still right.
//
// A unit that misses a header reads differently once the header is there, although no file that was read has changed.
// So the places where the header was looked for are dependencies too: files that are not there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/extract/extract.h"
#include "analyzer/ir/ir.h"

namespace stridelock::tool {

// Absolute paths at which a header that `unit` misses would be found. Nothing if that cannot be told, because the unit
// has more errors than it kept: such a unit is not for the cache.
std::optional<std::vector<std::string>> missing_headers(const ir::unit& unit, const std::string& folder,
                                                        const std::vector<std::string>& clang_arguments,
                                                        const std::string& project_root);

}  // namespace stridelock::tool
