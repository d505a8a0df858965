// Where the project lies, and whose functions are analysed.
#pragma once

#include <string>
#include <vector>

#include "analyzer/extract/extract.h"

namespace stridelock::tool {

// `sources`: main files, absolute. `project_root` as given on the command line, empty if it was not; `roots` absolute,
// empty: the project. Throws failure if a folder does not exist.
extract::extract_options root_options(const std::vector<std::string>& sources,
                                      const std::string& project_root_option,
                                      const std::vector<std::string>& roots);

}  // namespace stridelock::tool
