// What the environment says to the compiler: part of the identity of a cached unit.
#pragma once

#include <string>

namespace stridelock::tool {

// Variables that Clang's driver or a CUDA search reads, with their values.
std::string compiler_environment();

}  // namespace stridelock::tool
