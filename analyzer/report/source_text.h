// Lines of source files for excerpts.
//
// Promises:  reads each file once; a file that cannot be read, or is larger than 64 MiB, has no lines: a
// report is
//            never refused because of an excerpt.
// Does not:  notice that a file changed after it was analysed. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/ir/name.h"

namespace stridelock::report {

// How renderers ask for a line (1-based, without its line break).
using line_source = std::function<std::optional<std::string>(ir::name file, std::uint32_t line)>;

class source_text {
 public:
  // Relative names are looked up below `root`.
  explicit source_text(std::string root) : root_(std::move(root)) {}

  std::optional<std::string> line(ir::name file, std::uint32_t number);

 private:
  struct content {
    std::string bytes;
    std::vector<std::size_t> starts;
  };
  const content& load(ir::name file);

  std::string root_;
  std::unordered_map<ir::name, content> files_;
};

}  // namespace stridelock::report
