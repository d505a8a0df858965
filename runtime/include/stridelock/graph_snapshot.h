// graph_snapshot.h: what a captured CUDA graph holds, as plain data that any machine can print, save, judge and compare.
//
// Promises:  every node is there, also one of a type nobody knew; what could not be read says so, with the reason. No
//            CUDA in this header: a reader (stridelock/cuda/graph_reader.h) fills it, pure functions use it. The text and
//            the JSON form of equal snapshots are equal bytes.
// Does not:  describe the *executable* graph: what cudaGraphExec…SetParams changed, or a kernel updated from the device,
//            is not here. The facts about an address hold for the moment at which they were asked.
// Cost:      cold; allocates.
//
//   graph_snapshot taken = cuda::read_graph(graph).snapshot;
//   save(to_json(taken));           // `stridelock graph FILE.json` prints and judges it
//   log(to_text(taken));
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stridelock {
inline namespace v1 {

inline constexpr int graph_snapshot_version = 1;

enum class graph_node_kind : std::uint8_t {
  kernel,
  memcpy,
  memset,
  host,
  child_graph,
  empty,
  event_wait,
  event_record,
  semaphore_signal,
  semaphore_wait,
  mem_alloc,
  mem_free,
  batch_mem_op,
  conditional,
  unknown,  // newer than this code: graph_node::raw_type has the number
};

// What the driver said about an address.
enum class memory_kind : std::uint8_t {
  unknown,  // it could not be asked
  none,     // it does not know the address: pageable host memory, freed memory, or no address at all
  device,
  managed,
  pinned,
  array,  // an opaque CUDA array: has no address
};

// Where an address that is no CUDA memory lies in this process.
enum class host_storage : std::uint8_t {
  unknown,
  unmapped,        // nothing is mapped there
  stack,           // of the thread that read the graph, or of the main thread
  static_storage,  // inside the image of the program or of a shared library
  other,           // mapped: heap, file, another thread's stack
};

struct address_facts {
  std::uint64_t address = 0;
  memory_kind kind = memory_kind::unknown;
  host_storage storage = host_storage::unknown;
  std::optional<std::int32_t> device{};
  std::uint64_t range_begin = 0;
  std::uint64_t range_bytes = 0;  // 0: not known
  std::uint64_t buffer_id = 0;    // unique in the process, never reused; 0: not known
  std::optional<bool> mapped{};   // false: reserved addresses without memory behind them
  bool from_pool = false;
};

struct kernel_parameter {
  std::uint64_t offset = 0;  // in the device-side layout
  std::vector<std::uint8_t> bytes{};
};

enum class parameter_source : std::uint8_t { none, kernel_params, extra };

struct kernel_details {
  std::string name{};       // as the driver has it
  std::string demangled{};  // equal to name where it is no mangled C++ name
  std::uint32_t grid[3]{};
  std::uint32_t block[3]{};
  std::uint32_t shared_bytes = 0;
  parameter_source source = parameter_source::none;
  bool layout_known = false;                   // offsets and sizes were told
  std::vector<kernel_parameter> parameters{};  // if the layout is known
  std::vector<std::uint8_t> packed{};          // the whole `extra` buffer if it is not
};

struct copy_side {
  memory_kind declared = memory_kind::unknown;  // what the node says: none for host memory
  std::uint64_t address = 0;  // of the first byte copied, offsets of the node applied; 0 for an array
  std::uint64_t pitch = 0;
  std::uint64_t height = 0;
};
struct copy_details {
  copy_side from{};
  copy_side to{};
  std::uint64_t width_bytes = 0;
  std::uint64_t height = 1;
  std::uint64_t depth = 1;
};

struct fill_details {
  std::uint64_t address = 0;
  std::uint64_t pitch = 0;
  std::uint32_t value = 0;
  std::uint32_t element_bytes = 1;
  std::uint64_t width = 0;  // elements
  std::uint64_t height = 1;
};

struct allocation_details {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  // 0 for a free node: only the address is known
};

struct host_call_details {
  std::uint64_t function = 0;
  std::uint64_t user_data = 0;
};

struct memory_operation {
  std::uint32_t operation = 0;  // CUstreamBatchMemOpType
  std::uint64_t address = 0;    // 0 for a barrier
  std::uint64_t value = 0;
};

struct graph_body;

struct graph_node {
  graph_node_kind kind = graph_node_kind::unknown;
  std::uint32_t raw_type = 0;              // the number of CUgraphNodeType
  std::string boundary{};                  // the call that launched it, where attributed
  std::optional<std::uint32_t> context{};  // contexts are numbered in order of appearance
  std::optional<std::int32_t> device{};

  std::optional<kernel_details> kernel{};
  std::optional<copy_details> copy{};
  std::optional<fill_details> fill{};
  std::optional<allocation_details> allocation{};  // mem_alloc and mem_free
  std::optional<host_call_details> host_call{};
  std::vector<memory_operation> operations{};  // batch_mem_op
  std::uint32_t semaphore_count = 0;

  bool bodies_known = true;           // false: a conditional or child whose graphs could not be found
  std::vector<graph_body> bodies;     // child_graph: one; conditional: one or more
  std::vector<std::string> unread{};  // what could not be read, and why
};

struct graph_edge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint8_t from_port = 0;
  std::uint8_t to_port = 0;
  std::uint8_t type = 0;  // not 0: programmatic, the nodes may overlap
};

struct graph_body {
  std::vector<graph_node>
      nodes{};  // in the driver's order, which for a captured graph is the order of capture
  std::vector<graph_edge> edges{};
};

struct device_facts {
  std::int32_t ordinal = 0;
  std::string name{};
  std::string capability{};  // "9.0"
  std::optional<bool>
      reads_pageable{};  // the device reads pageable host memory: any host address is legal there
};

struct graph_snapshot {
  std::string label{};
  std::string driver{};
  std::vector<device_facts> devices{};
  graph_body root{};
  std::vector<address_facts> addresses{};  // sorted by address, each once
};

std::string_view name_of(graph_node_kind kind) noexcept;
std::string_view name_of(memory_kind kind) noexcept;
std::string_view name_of(host_storage storage) noexcept;
std::string_view name_of(parameter_source source) noexcept;

// Sorts and removes duplicates; of two facts about one address the first stays.
void normalise_addresses(graph_snapshot& snapshot);

// Null if the address was never asked about. The addresses must be normalised.
const address_facts* find_address(const graph_snapshot& snapshot, std::uint64_t address) noexcept;

std::size_t count_nodes(const graph_body& body) noexcept;  // with those of children and bodies

// Words at 8-byte steps of the device-side layout that lie wholly inside `bytes`, whose first byte has this offset.
struct parameter_word {
  std::uint64_t offset = 0;  // within `bytes`
  std::uint64_t value = 0;
};
std::vector<parameter_word> words_of(const std::vector<std::uint8_t>& bytes, std::uint64_t layout_offset);

// Calls visit("2.body0.1", node) for every node, a node before its bodies.
template <class Visit>
void visit_nodes(const graph_body& body, Visit&& visit, const std::string& prefix = {}) {
  for (std::size_t i = 0; i < body.nodes.size(); ++i) {
    const graph_node& node = body.nodes[i];
    const std::string path = prefix + std::to_string(i);
    visit(path, node);
    for (std::size_t b = 0; b < node.bodies.size(); ++b) {
      visit_nodes(node.bodies[b], visit, path + ".body" + std::to_string(b) + ".");
    }
  }
}

// Text for people: allocations are numbered in order of appearance, so that two captures of one program compare; no raw
// addresses.
std::string to_text(const graph_snapshot& snapshot);

// One line for each node and each address. docs/graph-audit.md has the fields.
std::string to_json(const graph_snapshot& snapshot);

}  // namespace v1
}  // namespace stridelock
