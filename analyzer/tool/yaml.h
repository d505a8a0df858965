// A YAML file as a plain tree with places, for the tool's own small files.
//
// Promises:  any bytes give a tree or a failure with file, line and column. Input that would overflow the stack of
//            LLVM's reader (nesting) or is larger than 16 MiB is refused.
// Does not:  interpret scalars; no anchors, aliases or second documents.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stridelock::tool {

struct yaml_node {
  enum class kind : std::uint8_t { null, scalar, list, map };
  kind what = kind::null;
  std::string scalar;
  std::vector<yaml_node> list;
  std::vector<std::pair<yaml_node, yaml_node>> map;  // keys are scalars, each once
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// `file` is for messages only. An empty document is null.
yaml_node parse_yaml(std::string_view bytes, const std::string& file);

}  // namespace stridelock::tool
