// "did you mean", as everywhere in the project.
#pragma once

#include "contracts/yaml/nearest.h"

namespace stridelock::tool {
using yaml::did_you_mean;
using yaml::listed;
using yaml::nearest;
}  // namespace stridelock::tool
