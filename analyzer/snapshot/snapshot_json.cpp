#include "analyzer/snapshot/snapshot_json.h"

#include <map>
#include <optional>

#include "analyzer/snapshot/json_fields.h"
#include "llvm/Support/Error.h"

namespace stridelock::snapshot {
namespace {

std::string element(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

// The enumerator of this name, tried from the first to `last`.
template <class Enum>
Enum word(fields& f, const char* key, Enum last, const char* what) {
  const std::string name = f.text(key);
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (name_of(static_cast<Enum>(i)) == name) return static_cast<Enum>(i);
  }
  throw field_error(f.path_of(key) + ": '" + name + "' is no " + what);
}

constexpr std::uint64_t largest_32 = 0xffffffffU;
constexpr std::uint64_t largest_ordinal = 0x7fffffffU;

kernel_details read_kernel(const llvm::json::Value& value, const std::string& path) {
  fields f(value, path);
  kernel_details k;
  k.name = f.text("name");
  k.demangled = f.text_or("demangled", k.name);
  f.triple("grid", k.grid);
  f.triple("block", k.block);
  k.shared_bytes = static_cast<std::uint32_t>(f.number("shared_bytes", largest_32));
  k.source = word(f, "source", parameter_source::extra, "source of parameters");
  k.layout_known = f.boolean("layout_known");
  if (const llvm::json::Array* all = f.array_if_there("parameters")) {
    for (std::size_t i = 0; i < all->size(); ++i) {
      fields p((*all)[i], element(f.path_of("parameters"), i));
      kernel_parameter parameter;
      parameter.offset = p.number("offset");
      parameter.bytes = p.bytes("bytes");
      p.all_known();
      k.parameters.push_back(std::move(parameter));
    }
  }
  if (f.find("packed") != nullptr) k.packed = f.bytes("packed");
  f.all_known();
  return k;
}

copy_side read_side(const llvm::json::Value& value, const std::string& path) {
  fields f(value, path);
  copy_side side;
  side.declared = word(f, "declared", memory_kind::array, "kind of memory");
  side.address = f.address("address");
  side.pitch = f.number("pitch");
  side.height = f.number("height");
  f.all_known();
  return side;
}

graph_body read_body(const llvm::json::Value& value, const std::string& path);

graph_node read_node(const llvm::json::Value& value, const std::string& path) {
  fields f(value, path);
  graph_node n;
  n.kind = word(f, "kind", graph_node_kind::unknown, "kind of node");
  n.raw_type = static_cast<std::uint32_t>(f.number_or("raw_type", 0, largest_32));
  n.boundary = f.text_or("boundary", "");
  if (f.find("context") != nullptr) n.context = static_cast<std::uint32_t>(f.number("context", largest_32));
  if (f.find("device") != nullptr) n.device = static_cast<std::int32_t>(f.number("device", largest_ordinal));
  if (const llvm::json::Value* kernel = f.find("kernel"))
    n.kernel = read_kernel(*kernel, f.path_of("kernel"));
  if (const llvm::json::Value* copy = f.find("copy")) {
    fields c(*copy, f.path_of("copy"));
    n.copy.emplace();
    n.copy->from = read_side(c.need("from"), c.path_of("from"));
    n.copy->to = read_side(c.need("to"), c.path_of("to"));
    n.copy->width_bytes = c.number("width_bytes");
    n.copy->height = c.number("height");
    n.copy->depth = c.number("depth");
    c.all_known();
  }
  if (const llvm::json::Value* fill = f.find("fill")) {
    fields c(*fill, f.path_of("fill"));
    n.fill.emplace();
    n.fill->address = c.address("address");
    n.fill->pitch = c.number("pitch");
    n.fill->value = static_cast<std::uint32_t>(c.number("value", largest_32));
    n.fill->element_bytes = static_cast<std::uint32_t>(c.number("element_bytes", largest_32));
    n.fill->width = c.number("width");
    n.fill->height = c.number("height");
    c.all_known();
  }
  if (const llvm::json::Value* allocation = f.find("allocation")) {
    fields c(*allocation, f.path_of("allocation"));
    n.allocation.emplace();
    n.allocation->address = c.address("address");
    n.allocation->bytes = c.number("bytes");
    c.all_known();
  }
  if (const llvm::json::Value* call = f.find("host_call")) {
    fields c(*call, f.path_of("host_call"));
    n.host_call.emplace();
    n.host_call->function = c.address("function");
    n.host_call->user_data = c.address("user_data");
    c.all_known();
  }
  if (const llvm::json::Array* all = f.array_if_there("operations")) {
    for (std::size_t i = 0; i < all->size(); ++i) {
      fields c((*all)[i], element(f.path_of("operations"), i));
      memory_operation op;
      op.operation = static_cast<std::uint32_t>(c.number("operation", largest_32));
      op.address = c.address("address");
      op.value = c.address("value");
      c.all_known();
      n.operations.push_back(op);
    }
  }
  n.semaphore_count = static_cast<std::uint32_t>(f.number_or("semaphores", 0, largest_32));
  const bool takes_bodies = n.kind == graph_node_kind::child_graph || n.kind == graph_node_kind::conditional;
  n.bodies_known = f.boolean_or("bodies_known", !takes_bodies || f.find("bodies") != nullptr);
  if (const llvm::json::Array* all = f.array_if_there("bodies")) {
    for (std::size_t i = 0; i < all->size(); ++i) {
      n.bodies.push_back(read_body((*all)[i], element(f.path_of("bodies"), i)));
    }
  }
  if (const llvm::json::Array* all = f.array_if_there("unread")) {
    for (std::size_t i = 0; i < all->size(); ++i) {
      const auto text = (*all)[i].getAsString();
      if (!text) expected(element(f.path_of("unread"), i), "a text", &(*all)[i]);
      n.unread.push_back(text->str());
    }
  }
  f.all_known();
  return n;
}

graph_edge read_edge(const llvm::json::Value& value, const std::string& path, std::size_t nodes) {
  const llvm::json::Array* numbers = value.getAsArray();
  if (numbers == nullptr || (numbers->size() != 2 && numbers->size() != 5)) {
    expected(path, "an edge: two numbers of nodes, and three more if it is programmatic", &value);
  }
  graph_edge e;
  if (nodes == 0) throw field_error(path + ": an edge in a graph without nodes");
  e.from = static_cast<std::uint32_t>(number_of((*numbers)[0], element(path, 0), nodes - 1));
  e.to = static_cast<std::uint32_t>(number_of((*numbers)[1], element(path, 1), nodes - 1));
  if (numbers->size() == 5) {
    e.from_port = static_cast<std::uint8_t>(number_of((*numbers)[2], element(path, 2), 255));
    e.to_port = static_cast<std::uint8_t>(number_of((*numbers)[3], element(path, 3), 255));
    e.type = static_cast<std::uint8_t>(number_of((*numbers)[4], element(path, 4), 255));
  }
  return e;
}

graph_body read_body(const llvm::json::Value& value, const std::string& path) {
  fields f(value, path);
  graph_body body;
  const llvm::json::Array& nodes = f.array("nodes");
  for (std::size_t i = 0; i < nodes.size(); ++i)
    body.nodes.push_back(read_node(nodes[i], element(f.path_of("nodes"), i)));
  const llvm::json::Array& edges = f.array("edges");
  for (std::size_t i = 0; i < edges.size(); ++i) {
    body.edges.push_back(read_edge(edges[i], element(f.path_of("edges"), i), body.nodes.size()));
  }
  f.all_known();
  return body;
}

address_facts read_facts(const llvm::json::Value& value, const std::string& path) {
  fields f(value, path);
  address_facts facts;
  facts.address = f.address("address");
  facts.kind = word(f, "kind", memory_kind::array, "kind of memory");
  if (f.find("storage") != nullptr)
    facts.storage = word(f, "storage", host_storage::other, "kind of host memory");
  if (f.find("device") != nullptr)
    facts.device = static_cast<std::int32_t>(f.number("device", largest_ordinal));
  if (f.find("range_begin") != nullptr) {
    facts.range_begin = f.address("range_begin");
    facts.range_bytes = f.number("range_bytes");
    if (facts.address < facts.range_begin || facts.address - facts.range_begin >= facts.range_bytes) {
      throw field_error(f.path() + ": the address lies outside its own range");
    }
  }
  facts.buffer_id = f.number_or("buffer_id", 0);
  if (f.find("mapped") != nullptr) facts.mapped = f.boolean("mapped");
  facts.from_pool = f.boolean_or("from_pool", false);
  f.all_known();
  return facts;
}

void check_version(fields& f, const char* key) {
  const std::uint64_t version = f.number(key);
  if (version != graph_snapshot_version) {
    throw field_error(std::string(key) + ": version " + std::to_string(version) +
                      ", this program reads version " + std::to_string(graph_snapshot_version));
  }
}

graph_snapshot snapshot_of(const llvm::json::Value& root) {
  fields f(root, "");
  check_version(f, "stridelock_graph_snapshot");
  graph_snapshot s;
  s.label = f.text_or("label", "");
  s.driver = f.text_or("driver", "");
  if (const llvm::json::Array* all = f.array_if_there("devices")) {
    for (std::size_t i = 0; i < all->size(); ++i) {
      fields d((*all)[i], element("devices", i));
      device_facts facts;
      facts.ordinal = static_cast<std::int32_t>(d.number("ordinal", largest_ordinal));
      facts.name = d.text("name");
      facts.capability = d.text("capability");
      if (d.find("reads_pageable") != nullptr) facts.reads_pageable = d.boolean("reads_pageable");
      d.all_known();
      s.devices.push_back(std::move(facts));
    }
  }
  s.root = read_body(f.need("graph"), "graph");
  const llvm::json::Array& addresses = f.array("addresses");
  std::map<std::uint64_t, std::size_t> seen;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    s.addresses.push_back(read_facts(addresses[i], element("addresses", i)));
    const auto [first, added] = seen.emplace(s.addresses.back().address, i);
    if (!added) {
      throw field_error(element("addresses", i) + ": expected each address once, found that of " +
                        element("addresses", first->second) + " again");
    }
  }
  f.all_known();
  normalise_addresses(s);
  return s;
}

known_memory known_memory_of(const llvm::json::Value& root) {
  fields f(root, "");
  check_version(f, "stridelock_known_memory");
  known_memory known;
  const llvm::json::Array& ranges = f.array("ranges");
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    fields r(ranges[i], element("ranges", i));
    known_range range;
    range.name = r.text("name");
    range.begin = r.address("begin");
    range.bytes = r.number("bytes");
    range.generation = r.number_or("generation", 0);
    if (r.find("role") != nullptr) range.role = word(r, "role", memory_role::static_host, "role of memory");
    range.live = r.boolean_or("live", true);
    range.holds_pointers = r.boolean_or("holds_pointers", false);
    r.all_known();
    known.ranges.push_back(std::move(range));
  }
  if (const llvm::json::Array* words = f.array_if_there("words")) {
    for (std::size_t i = 0; i < words->size(); ++i) {
      fields w((*words)[i], element("words", i));
      known_word recorded;
      recorded.value = w.address("value");
      recorded.owner = w.text_or("owner", "");
      recorded.generation = w.number_or("generation", 0);
      recorded.boundary = w.text_or("boundary", "");
      if (w.find("parameter") != nullptr)
        recorded.parameter = static_cast<std::uint32_t>(w.number("parameter", largest_32));
      w.all_known();
      known.words.push_back(std::move(recorded));
    }
  }
  if (const llvm::json::Array* digests = f.array_if_there("digests")) {
    for (std::size_t i = 0; i < digests->size(); ++i) {
      fields d((*digests)[i], element("digests", i));
      known_digest recorded;
      recorded.digest = d.address("digest");
      recorded.name = d.text("name");
      d.all_known();
      known.digests.push_back(std::move(recorded));
    }
  }
  f.all_known();
  return known;
}

// LLVM's parser recurses once a level, without a limit.
std::optional<read_error> nested_too_deeply(std::string_view text, const std::string& file) {
  int depth = 0;
  bool in_string = false;
  std::uint32_t line = 1;
  std::size_t line_begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      line_begin = i + 1;
    }
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest_nesting) {
        return read_error{file, line, static_cast<std::uint32_t>(i - line_begin + 1),
                          "more than " + std::to_string(deepest_nesting) + " levels of nesting"};
      }
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return std::nullopt;
}

template <class Data>
std::variant<Data, read_error> read(std::string_view text, const std::string& file,
                                    Data (*make)(const llvm::json::Value&)) {
  if (std::optional<read_error> deep = nested_too_deeply(text, file)) return std::move(*deep);
  llvm::Expected<llvm::json::Value> root = llvm::json::parse(llvm::StringRef(text.data(), text.size()));
  if (!root) {
    read_error error{file, 0, 0, ""};
    llvm::handleAllErrors(root.takeError(), [&](const llvm::json::ParseError& e) {
      // "[LINE:COLUMN, byte=OFFSET]: what"
      std::string text_of_error = e.message();
      const std::size_t end = text_of_error.find("]: ");
      const std::size_t colon = text_of_error.find(':');
      if (text_of_error.rfind('[', 0) == 0 && end != std::string::npos && colon < end) {
        error.line = static_cast<std::uint32_t>(std::strtoul(text_of_error.c_str() + 1, nullptr, 10));
        error.column =
            static_cast<std::uint32_t>(std::strtoul(text_of_error.c_str() + colon + 1, nullptr, 10)) + 1;
        text_of_error.erase(0, end + 3);
      }
      error.message = "expected JSON: " + text_of_error;
    });
    return error;
  }
  try {
    return make(*root);
  } catch (const field_error& e) {
    return read_error{file, 0, 0, e.what()};
  }
}

}  // namespace

std::string read_error::str() const {
  std::string out = file;
  if (line > 0) out += ":" + std::to_string(line) + ":" + std::to_string(column);
  return out + ": error: " + message;
}

std::variant<graph_snapshot, read_error> read_snapshot(std::string_view text, const std::string& file) {
  return read<graph_snapshot>(text, file, snapshot_of);
}

std::variant<known_memory, read_error> read_known_memory(std::string_view text, const std::string& file) {
  return read<known_memory>(text, file, known_memory_of);
}

}  // namespace stridelock::snapshot
