// read_findings(): the tool's JSON output as plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stridelock::test {

struct step {
  std::string file;
  std::uint64_t line = 0;
  std::string message;
};

struct finding {
  std::string check;
  std::string severity;
  std::string file;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::string function;
  std::string message;
  std::string fingerprint;
  std::vector<step> trace;
};

struct report {
  std::vector<finding> findings;
  std::uint64_t units_asked = 0;
  std::uint64_t units_analysed = 0;
  std::uint64_t functions = 0;
};

// Nothing, and `error` says why, if the text is not what DESIGN.md promises for --format=json.
std::optional<report> read_findings(const std::string& json, std::string& error);

}  // namespace stridelock::test
