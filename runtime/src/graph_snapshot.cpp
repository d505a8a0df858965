#include "stridelock/graph_snapshot.h"

#include <algorithm>
#include <cstring>

namespace stridelock {
inline namespace v1 {

std::string_view name_of(graph_node_kind kind) noexcept {
  switch (kind) {
    case graph_node_kind::kernel:
      return "kernel";
    case graph_node_kind::memcpy:
      return "memcpy";
    case graph_node_kind::memset:
      return "memset";
    case graph_node_kind::host:
      return "host";
    case graph_node_kind::child_graph:
      return "child_graph";
    case graph_node_kind::empty:
      return "empty";
    case graph_node_kind::event_wait:
      return "event_wait";
    case graph_node_kind::event_record:
      return "event_record";
    case graph_node_kind::semaphore_signal:
      return "semaphore_signal";
    case graph_node_kind::semaphore_wait:
      return "semaphore_wait";
    case graph_node_kind::mem_alloc:
      return "mem_alloc";
    case graph_node_kind::mem_free:
      return "mem_free";
    case graph_node_kind::batch_mem_op:
      return "batch_mem_op";
    case graph_node_kind::conditional:
      return "conditional";
    case graph_node_kind::unknown:
      break;
  }
  return "unknown";
}

std::string_view name_of(memory_kind kind) noexcept {
  switch (kind) {
    case memory_kind::unknown:
      break;
    case memory_kind::none:
      return "none";
    case memory_kind::device:
      return "device";
    case memory_kind::managed:
      return "managed";
    case memory_kind::pinned:
      return "pinned";
    case memory_kind::array:
      return "array";
  }
  return "unknown";
}

std::string_view name_of(host_storage storage) noexcept {
  switch (storage) {
    case host_storage::unknown:
      break;
    case host_storage::unmapped:
      return "unmapped";
    case host_storage::stack:
      return "stack";
    case host_storage::static_storage:
      return "static";
    case host_storage::other:
      return "other";
  }
  return "unknown";
}

std::string_view name_of(parameter_source source) noexcept {
  switch (source) {
    case parameter_source::none:
      break;
    case parameter_source::kernel_params:
      return "kernel_params";
    case parameter_source::extra:
      return "extra";
  }
  return "none";
}

void normalise_addresses(graph_snapshot& snapshot) {
  std::vector<address_facts>& all = snapshot.addresses;
  std::stable_sort(all.begin(), all.end(),
                   [](const address_facts& a, const address_facts& b) { return a.address < b.address; });
  all.erase(
      std::unique(all.begin(), all.end(),
                  [](const address_facts& a, const address_facts& b) { return a.address == b.address; }),
      all.end());
}

const address_facts* find_address(const graph_snapshot& snapshot, std::uint64_t address) noexcept {
  const auto at = std::lower_bound(snapshot.addresses.begin(), snapshot.addresses.end(), address,
                                   [](const address_facts& f, std::uint64_t a) { return f.address < a; });
  return at != snapshot.addresses.end() && at->address == address ? &*at : nullptr;
}

std::size_t count_nodes(const graph_body& body) noexcept {
  std::size_t count = body.nodes.size();
  for (const graph_node& node : body.nodes) {
    for (const graph_body& inner : node.bodies) count += count_nodes(inner);
  }
  return count;
}

std::vector<parameter_word> words_of(const std::vector<std::uint8_t>& bytes, std::uint64_t layout_offset) {
  std::vector<parameter_word> out;
  const std::size_t first = static_cast<std::size_t>((8 - layout_offset % 8) % 8);
  for (std::size_t at = first; at + 8 <= bytes.size(); at += 8) {
    parameter_word word;
    word.offset = at;
    std::memcpy(&word.value, bytes.data() + at, 8);
    out.push_back(word);
  }
  return out;
}

}  // namespace v1
}  // namespace stridelock
