// Snapshots made by hand, for the tests of the judge. Device memory lies from 0x7f0000000000 on.
#pragma once

#include <cstring>
#include <initializer_list>
#include <string>

#include "stridelock/graph_audit.h"

namespace stridelock::test {

inline constexpr std::uint64_t pool = 0x7f0000000000;     // 'kv_pool', 1 MiB
inline constexpr std::uint64_t scratch = 0x7f0000200000;  // unregistered, 64 KiB
inline constexpr std::uint64_t gone = 0x7f0000400000;     // freed
inline constexpr std::uint64_t on_stack = 0x7ffc00001000;
inline constexpr std::uint64_t on_heap = 0x555500001000;
inline constexpr std::uint64_t in_image = 0x555000001000;

inline std::vector<std::uint8_t> bytes_of(std::initializer_list<std::uint64_t> words) {
  std::vector<std::uint8_t> out(words.size() * 8);
  std::size_t at = 0;
  for (const std::uint64_t w : words) std::memcpy(out.data() + 8 * at++, &w, 8);
  return out;
}

inline std::vector<std::uint8_t> bytes_of_int(std::uint32_t value) {
  std::vector<std::uint8_t> out(4);
  std::memcpy(out.data(), &value, 4);
  return out;
}

inline graph_node kernel_node(std::string name, std::vector<std::vector<std::uint8_t>> parameters) {
  graph_node n;
  n.kind = graph_node_kind::kernel;
  n.kernel.emplace();
  n.kernel->name = name;
  n.kernel->demangled = std::move(name);
  n.kernel->grid[0] = n.kernel->grid[1] = n.kernel->grid[2] = 1;
  n.kernel->block[0] = 128;
  n.kernel->block[1] = n.kernel->block[2] = 1;
  n.kernel->source = parameter_source::kernel_params;
  n.kernel->layout_known = true;
  std::uint64_t offset = 0;
  for (auto& p : parameters) {
    const std::uint64_t alignment = p.size() % 8 == 0 ? 8 : 4;
    offset = (offset + alignment - 1) / alignment * alignment;
    const std::uint64_t size = p.size();
    n.kernel->parameters.push_back({offset, std::move(p)});
    offset += size;
  }
  return n;
}

inline graph_node copy_node(std::uint64_t from, memory_kind from_kind, std::uint64_t to) {
  graph_node n;
  n.kind = graph_node_kind::memcpy;
  n.raw_type = 1;
  n.copy.emplace();
  n.copy->from = {from_kind, from, 256, 1};
  n.copy->to = {memory_kind::device, to, 256, 1};
  n.copy->width_bytes = 256;
  return n;
}

inline address_facts device_memory(std::uint64_t address, std::uint64_t begin, std::uint64_t bytes,
                                   std::uint64_t id) {
  address_facts f;
  f.address = address;
  f.kind = memory_kind::device;
  f.device = 0;
  f.range_begin = begin;
  f.range_bytes = bytes;
  f.buffer_id = id;
  f.mapped = true;
  return f;
}

inline address_facts no_memory(std::uint64_t address, host_storage storage) {
  address_facts f;
  f.address = address;
  f.kind = memory_kind::none;
  f.storage = storage;
  return f;
}

// Facts about every address used in these tests, at offsets 0 and 0x4000.
inline graph_snapshot snapshot_of(std::vector<graph_node> nodes) {
  graph_snapshot s;
  s.label = "decode[bs=4]";
  s.driver = "13000";
  s.devices = {{0, "NVIDIA H200", "9.0", false}};
  s.root.nodes = std::move(nodes);
  for (std::uint32_t i = 1; i < s.root.nodes.size(); ++i) s.root.edges.push_back({i - 1, i, 0, 0, 0});
  for (const std::uint64_t offset : {0x0U, 0x4000U}) {
    s.addresses.push_back(device_memory(pool + offset, pool, 0x100000, 11));
    s.addresses.push_back(device_memory(scratch + offset, scratch, 0x10000, 12));
    s.addresses.push_back(no_memory(gone + offset, host_storage::unmapped));
  }
  s.addresses.push_back(no_memory(on_stack, host_storage::stack));
  s.addresses.push_back(no_memory(on_heap, host_storage::other));
  s.addresses.push_back(no_memory(in_image, host_storage::static_storage));
  normalise_addresses(s);
  return s;
}

inline known_memory registered_pool(std::uint64_t generation = 7) {
  known_memory known;
  known.ranges.push_back({"kv_pool", pool, 0x100000, generation});
  return known;
}

}  // namespace stridelock::test
