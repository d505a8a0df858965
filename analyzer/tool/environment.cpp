#include "analyzer/tool/environment.h"

#include <cstdlib>

namespace stridelock::tool {

std::string compiler_environment() {
  std::string out;
  for (const char* name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "CUDA_HOME", "CUDA_PATH",
                           "CUDACXX", "CCC_OVERRIDE_OPTIONS", "SOURCE_DATE_EPOCH", "PATH"}) {
    const char* value = std::getenv(name);
    if (value == nullptr) continue;
    out += '\0';
    out += name;
    out += '=';
    out += value;
  }
  return out;
}

}  // namespace stridelock::tool
