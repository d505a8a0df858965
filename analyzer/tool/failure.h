// The one exception of the tool: it cannot do what was asked. main() prints it as one line and exits with 2.
//
// A message names the thing, what was expected, what was found and what to do.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace stridelock::tool {

class failure : public std::runtime_error {
 public:
  // "stridelock: error: MESSAGE"
  explicit failure(const std::string& message);
  // "FILE:LINE:COLUMN: error: MESSAGE"; zeros are left out.
  failure(const std::string& file, std::uint32_t line, std::uint32_t column, const std::string& message);
  // LINE is complete already: another library's error.
  static failure of_line(const std::string& line);

 private:
  struct complete {};
  failure(complete, const std::string& line);
};

}  // namespace stridelock::tool
