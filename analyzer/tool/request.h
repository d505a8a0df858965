// What `check` hands to its child `extract`: one compile command with everything that decides its unit.
//
// Promises:  read back equal, whatever bytes the command holds. One format for parent and child of one build only.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/extract/extract.h"

namespace stridelock::tool {

struct request {
  extract::compile_command command;
  extract::extract_options options;  // without overlay
};

std::string print_request(const request& what);
// Throws failure.
request parse_request(std::string_view bytes, const std::string& file);

}  // namespace stridelock::tool
