#include "stridelock/cuda/graph_reader.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <unordered_map>

#include "driver.h"
#include "host_memory.h"

namespace stridelock {
inline namespace v1 {
namespace cuda {
namespace {

constexpr std::size_t most_parameters = 4096;
constexpr std::size_t most_parameter_bytes = 1U << 16U;
constexpr std::size_t longest_extra_list = 32;
constexpr int deepest_body = 60;

// Words outside can be no address on any supported system; fewer questions, smaller snapshots.
constexpr std::uint64_t lowest_asked = 0x10000;
constexpr std::uint64_t highest_asked = std::uint64_t{1} << 57U;
// Numbers below, in no allocation and nowhere mapped, are sizes and flags: not kept.
constexpr std::uint64_t lowest_kept = std::uint64_t{1} << 32U;

// Larger than any CUgraphNodeParams to come.
union generic_parameters {
  CUgraphNodeParams known;
  unsigned char room[4096];
};

std::string demangled(const std::string& name) {
  int status = 1;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? text.get() : name;
}

graph_node_kind kind_of(CUgraphNodeType type) {
  switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return graph_node_kind::kernel;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return graph_node_kind::memcpy;
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return graph_node_kind::memset;
    case CU_GRAPH_NODE_TYPE_HOST:
      return graph_node_kind::host;
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return graph_node_kind::child_graph;
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return graph_node_kind::empty;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return graph_node_kind::event_wait;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return graph_node_kind::event_record;
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
      return graph_node_kind::semaphore_signal;
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
      return graph_node_kind::semaphore_wait;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      return graph_node_kind::mem_alloc;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return graph_node_kind::mem_free;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
      return graph_node_kind::batch_mem_op;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return graph_node_kind::conditional;
    default:
      return graph_node_kind::unknown;
  }
}

// No query of ours may be refused, nor end somebody's capture.
class relaxed_mode {
 public:
  explicit relaxed_mode(const driver& d) : driver_(d) { driver_.exchange_capture_mode(&mode_); }
  ~relaxed_mode() { driver_.exchange_capture_mode(&mode_); }
  relaxed_mode(const relaxed_mode&) = delete;
  relaxed_mode& operator=(const relaxed_mode&) = delete;

 private:
  const driver& driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

address_facts ask(const driver& d, const host_mappings& host, std::uint64_t address) {
  enum { type, managed, ordinal, begin, bytes, buffer, mapped, pool, count };
  CUpointer_attribute attributes[count] = {
      CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_IS_MANAGED,
      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
      CU_POINTER_ATTRIBUTE_RANGE_SIZE,     CU_POINTER_ATTRIBUTE_BUFFER_ID,
      CU_POINTER_ATTRIBUTE_MAPPED,         CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE};
  std::uint64_t values[count] = {};
  void* targets[count];
  for (int i = 0; i < count; ++i) targets[i] = &values[i];
  const auto pointer = static_cast<CUdeviceptr>(address);

  address_facts facts;
  facts.address = address;
  if (d.pointer_attributes(count, attributes, targets, pointer) != CUDA_SUCCESS) return facts;
  switch (static_cast<std::uint32_t>(values[type])) {
    case CU_MEMORYTYPE_HOST:
      facts.kind = memory_kind::pinned;
      break;
    case CU_MEMORYTYPE_DEVICE:
      facts.kind = memory_kind::device;
      break;
    case CU_MEMORYTYPE_ARRAY:
      facts.kind = memory_kind::array;
      break;
    case CU_MEMORYTYPE_UNIFIED:
      facts.kind = memory_kind::managed;
      break;
    default:
      facts.kind = memory_kind::none;
      break;
  }
  if (facts.kind == memory_kind::none) {
    // Reserved addresses without memory behind them have a range and nothing else.
    if (values[bytes] > 0 && address >= values[begin] && address - values[begin] < values[bytes]) {
      facts.range_begin = values[begin];
      facts.range_bytes = values[bytes];
      facts.mapped = values[mapped] != 0;
    }
    facts.storage = host.storage_of(address);
    return facts;
  }
  if (values[managed] != 0) facts.kind = memory_kind::managed;
  const auto device = static_cast<std::int32_t>(values[ordinal]);
  if (device >= 0) facts.device = device;
  if (values[bytes] > 0 && address >= values[begin] && address - values[begin] < values[bytes]) {
    facts.range_begin = values[begin];
    facts.range_bytes = values[bytes];
  }
  facts.buffer_id = values[buffer];
  facts.mapped = values[mapped] != 0;
  facts.from_pool = values[pool] != 0;
  return facts;
}

bool worth_keeping(const address_facts& facts) {
  return facts.kind != memory_kind::none || facts.range_bytes > 0 || facts.address >= lowest_kept ||
         facts.storage == host_storage::stack || facts.storage == host_storage::static_storage ||
         facts.storage == host_storage::other;
}

class reader {
 public:
  reader(const driver& d, const read_options& options) : driver_(d) {
    for (const conditional_graphs& c : options.conditionals) conditionals_[c.node] = c.bodies;
  }

  std::string read(CUgraph graph, graph_body& out, int depth = 0) {
    if (depth > deepest_body) return "graphs are nested more than " + std::to_string(deepest_body) + " deep";
    std::size_t count = 0;
    CUresult code = driver_.graph_nodes(graph, nullptr, &count);
    if (code != CUDA_SUCCESS) return "the nodes of the graph: " + driver_.text_of(code);
    std::vector<CUgraphNode> nodes(count);
    if (count > 0) code = driver_.graph_nodes(graph, nodes.data(), &count);
    if (code != CUDA_SUCCESS) return "the nodes of the graph: " + driver_.text_of(code);
    nodes.resize(count);
    std::unordered_map<CUgraphNode, std::uint32_t> index;
    for (const CUgraphNode node : nodes) {
      index.emplace(node, static_cast<std::uint32_t>(index.size()));
      out.nodes.push_back(read_node(node, depth));
    }
    return read_edges(graph, index, out);
  }

  const std::set<std::uint64_t>& words() const { return words_; }

 private:
  std::string read_edges(CUgraph graph, const std::unordered_map<CUgraphNode, std::uint32_t>& index,
                         graph_body& out) {
    std::size_t count = 0;
    CUresult code = driver_.graph_edges(graph, nullptr, nullptr, nullptr, &count);
    std::vector<CUgraphNode> from(count);
    std::vector<CUgraphNode> to(count);
    std::vector<CUgraphEdgeData> data(count);
    if (code == CUDA_SUCCESS && count > 0)
      code = driver_.graph_edges(graph, from.data(), to.data(), data.data(), &count);
    if (code != CUDA_SUCCESS) return "the edges of the graph: " + driver_.text_of(code);
    for (std::size_t i = 0; i < count; ++i) {
      const auto a = index.find(from[i]);
      const auto b = index.find(to[i]);
      if (a == index.end() || b == index.end()) continue;
      out.edges.push_back({a->second, b->second, data[i].from_port, data[i].to_port, data[i].type});
    }
    std::sort(out.edges.begin(), out.edges.end(), [](const graph_edge& a, const graph_edge& b) {
      return a.from != b.from ? a.from < b.from : a.to < b.to;
    });
    return {};
  }

  graph_node read_node(CUgraphNode node, int depth) {
    graph_node n;
    CUgraphNodeType type{};
    const CUresult code = driver_.node_type(node, &type);
    if (code != CUDA_SUCCESS) {
      n.unread.push_back("type: " + driver_.text_of(code));
      return n;
    }
    n.raw_type = static_cast<std::uint32_t>(type);
    n.kind = kind_of(type);
    switch (n.kind) {
      case graph_node_kind::kernel:
        read_kernel(node, n);
        break;
      case graph_node_kind::memcpy:
        read_copy(node, n);
        break;
      case graph_node_kind::memset:
        read_fill(node, n);
        break;
      case graph_node_kind::host:
        read_host_call(node, n);
        break;
      case graph_node_kind::child_graph:
        read_child(node, n, depth);
        break;
      case graph_node_kind::mem_alloc:
      case graph_node_kind::mem_free:
        read_allocation(node, n);
        break;
      case graph_node_kind::batch_mem_op:
        read_batch(node, n);
        break;
      case graph_node_kind::semaphore_signal:
      case graph_node_kind::semaphore_wait:
        read_semaphores(node, n);
        break;
      case graph_node_kind::conditional:
        read_conditional(node, n, depth);
        break;
      case graph_node_kind::empty:
      case graph_node_kind::event_wait:
      case graph_node_kind::event_record:
      case graph_node_kind::unknown:
        break;
    }
    return n;
  }

  bool done(CUresult code, const char* what, graph_node& n) {
    if (code == CUDA_SUCCESS) return true;
    n.unread.push_back(std::string(what) + ": " + driver_.text_of(code));
    return false;
  }
  // For functions that older drivers lack.
  template <class Function, class... Arguments>
  bool call(Function* function, const char* what, graph_node& n, Arguments... arguments) {
    if (function != nullptr) return done(function(arguments...), what, n);
    n.unread.push_back(std::string(what) + ": this driver has no function for it");
    return false;
  }

  void note(std::uint64_t word) {
    if (word >= lowest_asked && word < highest_asked) words_.insert(word);
  }

  void set_context(CUcontext context, graph_node& n) {
    if (context == nullptr) return;
    const auto [at, added] =
        contexts_.try_emplace(context, context_entry{static_cast<std::uint32_t>(contexts_.size()), {}});
    if (added && driver_.push_context(context) == CUDA_SUCCESS) {
      CUdevice device = 0;
      if (driver_.context_device(&device) == CUDA_SUCCESS)
        at->second.device = static_cast<std::int32_t>(device);
      driver_.pop_context(&context);
    }
    n.context = at->second.number;
    n.device = at->second.device;
  }

  // ---- kernels ---------------------------------------------------------------------------------------------------

  void read_kernel(CUgraphNode node, graph_node& n) {
    CUDA_KERNEL_NODE_PARAMS p{};
    if (!done(driver_.kernel_parameters(node, &p), "parameters", n)) return;
    set_context(p.ctx, n);
    kernel_details& k = n.kernel.emplace();
    k.grid[0] = p.gridDimX;
    k.grid[1] = p.gridDimY;
    k.grid[2] = p.gridDimZ;
    k.block[0] = p.blockDimX;
    k.block[1] = p.blockDimY;
    k.block[2] = p.blockDimZ;
    k.shared_bytes = p.sharedMemBytes;
    const char* name = nullptr;
    CUresult code = CUDA_ERROR_NOT_FOUND;
    if (p.func != nullptr && driver_.function_name != nullptr) code = driver_.function_name(&name, p.func);
    if (code != CUDA_SUCCESS && p.kern != nullptr && driver_.kernel_name != nullptr)
      code = driver_.kernel_name(&name, p.kern);
    if (code == CUDA_SUCCESS && name != nullptr) {
      k.name = name;
    } else {
      n.unread.push_back("name: " + driver_.text_of(code));
    }
    k.demangled = demangled(k.name);

    std::vector<kernel_parameter> layout;
    std::vector<std::size_t> sizes;
    k.layout_known = read_layout(p, layout, sizes);
    if (p.kernelParams != nullptr) {
      k.source = parameter_source::kernel_params;
      for (std::size_t i = 0; k.layout_known && i < layout.size(); ++i) {
        const auto* bytes = static_cast<const std::uint8_t*>(p.kernelParams[i]);
        if (bytes == nullptr) {
          k.layout_known = false;
          break;
        }
        layout[i].bytes.assign(bytes, bytes + sizes[i]);
      }
      if (!k.layout_known) n.unread.push_back("parameters: the layout is unknown");
    } else if (p.extra != nullptr) {
      k.source = parameter_source::extra;
      read_extra(p.extra, layout, sizes, k, n);
    } else if (!layout.empty()) {
      k.layout_known = false;
      n.unread.push_back("parameters: the node has neither kernelParams nor extra");
    }
    if (k.layout_known) k.parameters = std::move(layout);
    for (const kernel_parameter& parameter : k.parameters) {
      for (const parameter_word& word : words_of(parameter.bytes, parameter.offset)) note(word.value);
    }
    for (const parameter_word& word : words_of(k.packed, 0)) note(word.value);
  }

  // False if the driver does not tell the layout. A kernel without parameters has an empty one.
  bool read_layout(const CUDA_KERNEL_NODE_PARAMS& p, std::vector<kernel_parameter>& layout,
                   std::vector<std::size_t>& sizes) {
    const bool by_function = p.func != nullptr && driver_.function_parameter != nullptr;
    const bool by_kernel = p.kern != nullptr && driver_.kernel_parameter != nullptr;
    if (!by_function && !by_kernel) return false;
    std::size_t total = 0;
    for (std::size_t i = 0; i < most_parameters; ++i) {
      std::size_t offset = 0;
      std::size_t size = 0;
      CUresult code = CUDA_ERROR_INVALID_VALUE;
      if (by_function) code = driver_.function_parameter(p.func, i, &offset, &size);
      if (code != CUDA_SUCCESS && by_kernel) code = driver_.kernel_parameter(p.kern, i, &offset, &size);
      if (code == CUDA_ERROR_INVALID_VALUE) return true;  // no such parameter: that was the last
      total += size;
      if (code != CUDA_SUCCESS || total > most_parameter_bytes) return false;
      layout.push_back({offset, {}});
      sizes.push_back(size);
    }
    return false;
  }

  void read_extra(void** extra, std::vector<kernel_parameter>& layout, const std::vector<std::size_t>& sizes,
                  kernel_details& k, graph_node& n) {
    const std::uint8_t* buffer = nullptr;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i + 1 < longest_extra_list && extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
      if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<const std::uint8_t*>(extra[i + 1]);
      if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[i + 1] != nullptr)
        bytes = *static_cast<std::size_t*>(extra[i + 1]);
    }
    if (buffer == nullptr || bytes > most_parameter_bytes) {
      k.layout_known = false;
      n.unread.push_back("parameters: no argument buffer in the extra list");
      return;
    }
    for (std::size_t i = 0; k.layout_known && i < layout.size(); ++i) {
      if (layout[i].offset > bytes || sizes[i] > bytes - layout[i].offset) {
        k.layout_known = false;
      } else {
        layout[i].bytes.assign(buffer + layout[i].offset, buffer + layout[i].offset + sizes[i]);
      }
    }
    if (layout.empty() && bytes > 0) k.layout_known = false;
    if (!k.layout_known) k.packed.assign(buffer, buffer + bytes);
  }

  // ---- the others ------------------------------------------------------------------------------------------------

  static copy_side side_of(CUmemorytype type, const void* host, CUdeviceptr device, std::size_t x,
                           std::size_t y, std::size_t z, std::size_t pitch, std::size_t height) {
    copy_side side;
    side.pitch = pitch;
    side.height = height;
    if (type == CU_MEMORYTYPE_ARRAY) {
      side.declared = memory_kind::array;
      return side;
    }
    const std::uint64_t base =
        type == CU_MEMORYTYPE_HOST ? reinterpret_cast<std::uint64_t>(host) : std::uint64_t{device};
    side.declared = type == CU_MEMORYTYPE_HOST     ? memory_kind::none
                    : type == CU_MEMORYTYPE_DEVICE ? memory_kind::device
                                                   : memory_kind::unknown;
    side.address = base + x + pitch * (y + height * z);
    return side;
  }

  void read_copy(CUgraphNode node, graph_node& n) {
    CUDA_MEMCPY3D p{};
    if (!done(driver_.copy_parameters(node, &p), "parameters", n)) return;
    copy_details& c = n.copy.emplace();
    c.from = side_of(p.srcMemoryType, p.srcHost, p.srcDevice, p.srcXInBytes, p.srcY, p.srcZ, p.srcPitch,
                     p.srcHeight);
    c.to = side_of(p.dstMemoryType, p.dstHost, p.dstDevice, p.dstXInBytes, p.dstY, p.dstZ, p.dstPitch,
                   p.dstHeight);
    c.width_bytes = p.WidthInBytes;
    c.height = p.Height;
    c.depth = p.Depth;
    note(c.from.address);
    note(c.to.address);
  }

  void read_fill(CUgraphNode node, graph_node& n) {
    CUDA_MEMSET_NODE_PARAMS p{};
    if (!done(driver_.fill_parameters(node, &p), "parameters", n)) return;
    n.fill = fill_details{std::uint64_t{p.dst}, p.pitch, p.value, p.elementSize, p.width, p.height};
    note(n.fill->address);
  }

  void read_host_call(CUgraphNode node, graph_node& n) {
    CUDA_HOST_NODE_PARAMS p{};
    if (!done(driver_.host_parameters(node, &p), "parameters", n)) return;
    n.host_call =
        host_call_details{reinterpret_cast<std::uint64_t>(p.fn), reinterpret_cast<std::uint64_t>(p.userData)};
    note(n.host_call->user_data);
  }

  void read_allocation(CUgraphNode node, graph_node& n) {
    if (n.kind == graph_node_kind::mem_free) {
      CUdeviceptr address = 0;
      if (done(driver_.free_parameters(node, &address), "parameters", n)) {
        n.allocation = allocation_details{std::uint64_t{address}, 0};
      }
      return;
    }
    CUDA_MEM_ALLOC_NODE_PARAMS p{};
    if (!done(driver_.allocation_parameters(node, &p), "parameters", n)) return;
    n.allocation = allocation_details{std::uint64_t{p.dptr}, p.bytesize};
    if (p.poolProps.location.type == CU_MEM_LOCATION_TYPE_DEVICE) n.device = p.poolProps.location.id;
  }

  void read_batch(CUgraphNode node, graph_node& n) {
    CUDA_BATCH_MEM_OP_NODE_PARAMS p{};
    if (!call(driver_.batch_parameters, "parameters", n, node, &p)) return;
    set_context(p.ctx, n);
    for (unsigned i = 0; i < p.count && p.paramArray != nullptr; ++i) {
      const CUstreamBatchMemOpParams& op = p.paramArray[i];
      memory_operation out;
      out.operation = static_cast<std::uint32_t>(op.operation);
      if (op.operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 || op.operation == CU_STREAM_MEM_OP_WAIT_VALUE_64) {
        out.address = op.waitValue.address;
        out.value =
            op.operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ? op.waitValue.value : op.waitValue.value64;
      } else if (op.operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ||
                 op.operation == CU_STREAM_MEM_OP_WRITE_VALUE_64) {
        out.address = op.writeValue.address;
        out.value =
            op.operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ? op.writeValue.value : op.writeValue.value64;
      }
      note(out.address);
      n.operations.push_back(out);
    }
  }

  void read_semaphores(CUgraphNode node, graph_node& n) {
    if (n.kind == graph_node_kind::semaphore_signal) {
      CUDA_EXT_SEM_SIGNAL_NODE_PARAMS p{};
      if (call(driver_.signal_parameters, "parameters", n, node, &p)) n.semaphore_count = p.numExtSems;
    } else {
      CUDA_EXT_SEM_WAIT_NODE_PARAMS p{};
      if (call(driver_.wait_parameters, "parameters", n, node, &p)) n.semaphore_count = p.numExtSems;
    }
  }

  void read_child(CUgraphNode node, graph_node& n, int depth) {
    CUgraph child = nullptr;
    if (!done(driver_.child_graph(node, &child), "child graph", n)) {
      n.bodies_known = false;
      return;
    }
    add_body(child, n, depth);
  }

  void read_conditional(CUgraphNode node, graph_node& n, int depth) {
    if (const auto given = conditionals_.find(node); given != conditionals_.end()) {
      for (const CUgraph body : given->second) add_body(body, n, depth);
      return;
    }
    n.bodies_known = false;
    if (driver_.node_parameters == nullptr) return;  // counted by the judge
    generic_parameters p{};
    if (!done(driver_.node_parameters(node, &p.known), "parameters", n)) return;
    const CUDA_CONDITIONAL_NODE_PARAMS& c = p.known.conditional;
    if (c.phGraph_out == nullptr || c.size == 0) return;
    n.bodies_known = true;
    set_context(c.ctx, n);
    for (unsigned i = 0; i < c.size; ++i) add_body(c.phGraph_out[i], n, depth);
  }

  void add_body(CUgraph graph, graph_node& n, int depth) {
    n.bodies.emplace_back();
    if (std::string failure = read(graph, n.bodies.back(), depth + 1); !failure.empty()) {
      n.bodies_known = false;
      n.unread.push_back(std::move(failure));
    }
  }

  struct context_entry {
    std::uint32_t number = 0;
    std::optional<std::int32_t> device;
  };

  const driver& driver_;
  std::unordered_map<CUgraphNode, std::vector<CUgraph>> conditionals_;
  std::unordered_map<CUcontext, context_entry> contexts_;
  std::set<std::uint64_t> words_;
};

void describe_machine(const driver& d, graph_snapshot& out) {
  int version = 0;
  if (d.driver_version(&version) == CUDA_SUCCESS) {
    out.driver = "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  }
  int count = 0;
  if (d.device_count(&count) != CUDA_SUCCESS) return;
  for (int device = 0; device < count; ++device) {
    device_facts facts;
    facts.ordinal = device;
    char name[128] = {};
    if (d.device_name(name, sizeof name - 1, device) == CUDA_SUCCESS) facts.name = name;
    int major = 0;
    int minor = 0;
    int pageable = 0;
    if (d.device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) == CUDA_SUCCESS &&
        d.device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) == CUDA_SUCCESS) {
      facts.capability = std::to_string(major) + "." + std::to_string(minor);
    }
    if (d.device_attribute(&pageable, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, device) == CUDA_SUCCESS) {
      facts.reads_pageable = pageable != 0;
    }
    out.devices.push_back(std::move(facts));
  }
}

}  // namespace

read_result read_graph(CUgraph_st* graph, const read_options& options) {
  read_result out;
  const driver* d = driver::load(out.failure);
  if (d == nullptr) return out;
  if (graph == nullptr) {
    out.failure = "the graph is null";
    return out;
  }
  const relaxed_mode mode(*d);
  reader r(*d, options);
  out.snapshot.label = options.label;
  out.failure = r.read(graph, out.snapshot.root);
  if (!out.failure.empty()) {
    out.snapshot = {};
    return out;
  }
  describe_machine(*d, out.snapshot);
  const host_mappings host;
  for (const std::uint64_t word : r.words()) {
    address_facts facts = ask(*d, host, word);
    if (worth_keeping(facts)) out.snapshot.addresses.push_back(facts);
  }
  return out;
}

std::string refresh_addresses(graph_snapshot& snapshot) {
  std::string failure;
  const driver* d = driver::load(failure);
  if (d == nullptr) return failure;
  const relaxed_mode mode(*d);
  const host_mappings host;
  for (address_facts& facts : snapshot.addresses) facts = ask(*d, host, facts.address);
  return {};
}

bool capture_position(CUstream_st* stream, std::size_t& nodes) {
  std::string failure;
  const driver* d = driver::load(failure);
  if (d == nullptr || d->capture_info == nullptr) return false;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CUgraph graph = nullptr;
  if (d->capture_info(stream, &status, nullptr, &graph, nullptr, nullptr, nullptr) != CUDA_SUCCESS)
    return false;
  if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE || graph == nullptr) return false;
  std::size_t count = 0;
  if (d->graph_nodes(graph, nullptr, &count) != CUDA_SUCCESS) return false;
  nodes = count;
  return true;
}

}  // namespace cuda
}  // namespace v1
}  // namespace stridelock
