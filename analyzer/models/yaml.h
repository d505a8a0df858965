// The one YAML reader of the project, under the name that this folder uses.
#pragma once

#include "contracts/yaml/document.h"

namespace stridelock::models {
namespace yaml = stridelock::yaml;
}
