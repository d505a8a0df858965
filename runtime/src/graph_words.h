// Small texts shared by faults, ledgers, snapshots, audits and differences. Private to the library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stridelock/graph_snapshot.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

inline std::string hex(std::uint64_t value) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  do {
    out.insert(out.begin(), digits[value & 15U]);
    value >>= 4U;
  } while (value != 0);
  return "0x" + out;
}

inline std::string hex_bytes(const std::vector<std::uint8_t>& bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const std::uint8_t b : bytes) {
    out += digits[b >> 4U];
    out += digits[b & 15U];
  }
  return out;
}

// 1 node, 2 nodes
inline std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

// As JSON, quotes included. Bytes that are no UTF-8 become U+FFFD, so that the file stays readable.
std::string json_string(std::string_view text);

// Everything a message may show: control characters become '?', bytes that are no UTF-8 U+FFFD. So no name forges a line.
std::string printable(std::string_view text);
inline std::string quoted_name(std::string_view name) {
  return "'" + printable(name) + "'";
}

// Nobody fills `packed` where the layout is known, and no parameter has 0 bytes: such details are no layout.
inline bool has_layout(const kernel_details& k) {
  if (!k.layout_known || !k.packed.empty()) return false;
  for (const kernel_parameter& p : k.parameters) {
    if (p.bytes.empty()) return false;
  }
  return true;
}

inline bool takes_bodies(graph_node_kind kind) {
  return kind == graph_node_kind::child_graph || kind == graph_node_kind::conditional;
}
inline bool has_bodies_known(const graph_node& n) {
  return n.bodies_known && (!takes_bodies(n.kind) || !n.bodies.empty());
}

// The node holds what nodes of its kind hold, and nothing of another kind.
inline bool has_own_details(const graph_node& n) {
  const bool allocates = n.kind == graph_node_kind::mem_alloc || n.kind == graph_node_kind::mem_free;
  return n.kernel.has_value() == (n.kind == graph_node_kind::kernel) &&
         n.copy.has_value() == (n.kind == graph_node_kind::memcpy) &&
         n.fill.has_value() == (n.kind == graph_node_kind::memset) &&
         n.host_call.has_value() == (n.kind == graph_node_kind::host) &&
         n.allocation.has_value() == allocates &&
         n.operations.empty() == (n.kind != graph_node_kind::batch_mem_op);
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
