// One entry of a compile database: how one file is compiled.
#pragma once

#include <string>
#include <vector>

namespace stridelock::extract {

struct compile_command {
  std::string directory;               // absolute; where the compiler is started
  std::string file;                    // the main file, absolute or relative to `directory`
  std::vector<std::string> arguments;  // arguments[0] is the compiler
  bool operator==(const compile_command&) const = default;
};

}  // namespace stridelock::extract
