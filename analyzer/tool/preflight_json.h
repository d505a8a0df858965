// A preflight report for scripts. docs/preflight.md describes the schema; `version` changes when it does.
#pragma once

#include <string>

#include "stridelock/preflight.h"

namespace stridelock::tool {

std::string to_json(const preflight_report& r);

}  // namespace stridelock::tool
