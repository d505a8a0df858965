// What --explain-command prints.
#pragma once

#include <string>
#include <vector>

#include "analyzer/extract/extract.h"

namespace stridelock::tool {

// For each command: the file, what became of its options and why, and the command that is parsed.
std::string explain_translation(const std::vector<extract::compile_command>& commands,
                                const extract::extract_options& options);

}  // namespace stridelock::tool
