// The README of each check, embedded at build time.
#pragma once

#include <string>

namespace stridelock::checks::pages {

extern const std::string copy_in_capture;
extern const std::string narrowed_view;
extern const std::string unchecked_pointer;

}  // namespace stridelock::checks::pages
