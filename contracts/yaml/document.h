// A YAML text as a plain tree with positions, read by LLVM's parser.
//
// Promises:  any bytes give a tree or an error; nesting deeper than max_depth and texts above max_bytes are errors (LLVM's reader
//            recurses without a limit of its own).
// Does not:  resolve anchors, aliases, tags or merge keys: they are errors. One document only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "stridelock/text_error.h"

namespace stridelock::yaml {

inline constexpr std::size_t max_bytes = std::size_t{16} << 20;
inline constexpr unsigned max_depth = 64;

struct node_entry;

struct node {
  enum class kind : std::uint8_t { null, scalar, list, map };
  kind what = kind::null;
  std::string text;                 // scalar
  std::vector<node> items;          // list
  std::vector<node_entry> entries;  // map; keys are scalars, each at most once
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

struct node_entry {
  node key;
  node value;
};

std::variant<node, text_error> read(std::string_view text, std::string_view file);

}  // namespace stridelock::yaml
