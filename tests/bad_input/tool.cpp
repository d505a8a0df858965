#include "tests/bad_input/tool.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace stridelock::test {

const char* const clean_source = "int twice(int x) { return 2 * x; }\n";

bad_input::bad_input() {
  setenv("XDG_CACHE_HOME", (folder_.path() / "cache").c_str(), 1);
}

outcome bad_input::stridelock(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), STRIDELOCK_TOOL);
  return run(arguments, folder_.path());
}

void bad_input::expect_refusal(const outcome& ended, std::initializer_list<std::string> parts) {
  const std::string all = "standard output:\n" + ended.out + "\nstandard error:\n" + ended.err;
  EXPECT_EQ(ended.signal, 0) << all;
  EXPECT_EQ(ended.exit_code, 2) << all;
  EXPECT_EQ(ended.err.find("terminate called"), std::string::npos) << all;
  EXPECT_EQ(ended.err.find("PLEASE submit a bug report"), std::string::npos) << all;
  std::istringstream lines(ended.err);
  bool said = false;
  for (std::string line; std::getline(lines, line);) {
    said = said || std::all_of(parts.begin(), parts.end(),
                               [&](const std::string& part) { return line.find(part) != std::string::npos; });
  }
  std::string wanted;
  for (const std::string& part : parts) wanted += " '" + part + "'";
  EXPECT_TRUE(said) << "expected one line of standard error with" << wanted << "\n" << all;
}

std::string deep_list(std::size_t depth) {
  return std::string(depth, '[');
}

}  // namespace stridelock::test
