// What this build is.
#pragma once

#include <string>

namespace stridelock::tool {

std::string version();          // "0.1.0"
std::string version_line();     // "stridelock 0.1.0 (Clang 19.1.7)"
std::string homepage();         // the project's page; may be empty
std::string check_page_base();  // where the checks' pages are: the check's name is appended; may be empty

}  // namespace stridelock::tool
