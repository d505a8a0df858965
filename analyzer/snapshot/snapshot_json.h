// Graph snapshots and known memory from JSON: the other half of stridelock::to_json.
//
// Promises:  any bytes in, data or one error out; what to_json wrote is read back equal. The error says where: line and
//            column of broken JSON, the path of a field ("graph.nodes[3].kernel.grid") that is not as it should be. An
//            unknown key, kind or version is an error, an edge to a node that is not there too.
// Does not:  accept more than 256 levels of nesting.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "stridelock/graph_audit.h"
#include "stridelock/graph_snapshot.h"

namespace stridelock::snapshot {

struct read_error {
  std::string file;
  std::uint32_t line = 0;    // from 1; 0: the message has a path instead
  std::uint32_t column = 0;  // from 1
  std::string message;

  std::string str() const;  // file:line:column: error: message
};

inline constexpr int deepest_nesting = 256;

std::variant<graph_snapshot, read_error> read_snapshot(std::string_view text, const std::string& file);
std::variant<known_memory, read_error> read_known_memory(std::string_view text, const std::string& file);

}  // namespace stridelock::snapshot
