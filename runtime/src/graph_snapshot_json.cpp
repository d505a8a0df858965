#include "graph_words.h"
#include "stridelock/graph_snapshot.h"

namespace stridelock {
inline namespace v1 {
namespace detail {
namespace {

// Length of the well-formed UTF-8 sequence at the front of `text`, 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xc2 && lead < 0xe0 ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0U) != 0x80U) return 0;
  }
  if (lead == 0xe0 && at(1) < 0xa0) return 0;   // overlong
  if (lead == 0xed && at(1) >= 0xa0) return 0;  // surrogate
  if (lead == 0xf0 && at(1) < 0x90) return 0;   // overlong
  if (lead == 0xf4 && at(1) >= 0x90) return 0;  // beyond U+10FFFF
  return length;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto c = static_cast<unsigned char>(text.front());
    if (length == 0)
      out += "\xef\xbf\xbd";
    else if (c < 0x20 || c == 0x7f)
      out += '?';
    else
      out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string json_string(std::string_view text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto c = static_cast<unsigned char>(text.front());
    if (length == 0) {
      out += "\xef\xbf\xbd";
      text.remove_prefix(1);
      continue;
    }
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 0x20 || c == 0x7f) {
      out += "\\u00";
      out += digits[c >> 4U];
      out += digits[c & 15U];
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out + "\"";
}

}  // namespace detail

namespace {

using detail::hex;
using detail::hex_bytes;
using detail::json_string;

// Writes `,"name":` with the comma where one is due.
class object {
 public:
  explicit object(std::string& out) : out_(out) { out_ += '{'; }
  void key(const char* name) {
    if (!first_) out_ += ',';
    first_ = false;
    out_ += '"';
    out_ += name;
    out_ += "\":";
  }
  void text(const char* name, std::string_view value) {
    key(name);
    out_ += json_string(value);
  }
  void number(const char* name, std::uint64_t value) {
    key(name);
    out_ += std::to_string(value);
  }
  void address(const char* name, std::uint64_t value) { text(name, hex(value)); }
  void boolean(const char* name, bool value) {
    key(name);
    out_ += value ? "true" : "false";
  }
  void triple(const char* name, const std::uint32_t (&v)[3]) {
    key(name);
    out_ += "[" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + "]";
  }
  void close() { out_ += '}'; }

 private:
  std::string& out_;
  bool first_ = true;
};

void print_kernel(std::string& out, const kernel_details& k) {
  object o(out);
  o.text("name", k.name);
  if (k.demangled != k.name) o.text("demangled", k.demangled);
  o.triple("grid", k.grid);
  o.triple("block", k.block);
  o.number("shared_bytes", k.shared_bytes);
  o.text("source", name_of(k.source));
  o.boolean("layout_known", k.layout_known);
  if (!k.parameters.empty()) {
    o.key("parameters");
    out += '[';
    for (std::size_t i = 0; i < k.parameters.size(); ++i) {
      if (i > 0) out += ',';
      object p(out);
      p.number("offset", k.parameters[i].offset);
      p.text("bytes", hex_bytes(k.parameters[i].bytes));
      p.close();
    }
    out += ']';
  }
  if (!k.packed.empty()) o.text("packed", hex_bytes(k.packed));
  o.close();
}

void print_side(std::string& out, const copy_side& side) {
  object o(out);
  o.text("declared", name_of(side.declared));
  o.address("address", side.address);
  o.number("pitch", side.pitch);
  o.number("height", side.height);
  o.close();
}

void print_body(std::string& out, const graph_body& body, const std::string& indent);

void print_node(std::string& out, const graph_node& n, const std::string& indent) {
  object o(out);
  o.text("kind", name_of(n.kind));
  if (n.kind == graph_node_kind::unknown) o.number("raw_type", n.raw_type);
  if (!n.boundary.empty()) o.text("boundary", n.boundary);
  if (n.context) o.number("context", *n.context);
  if (n.device && *n.device >= 0) o.number("device", static_cast<std::uint64_t>(*n.device));
  if (n.kernel) {
    o.key("kernel");
    print_kernel(out, *n.kernel);
  }
  if (n.copy) {
    o.key("copy");
    object c(out);
    c.key("from");
    print_side(out, n.copy->from);
    c.key("to");
    print_side(out, n.copy->to);
    c.number("width_bytes", n.copy->width_bytes);
    c.number("height", n.copy->height);
    c.number("depth", n.copy->depth);
    c.close();
  }
  if (n.fill) {
    o.key("fill");
    object f(out);
    f.address("address", n.fill->address);
    f.number("pitch", n.fill->pitch);
    f.number("value", n.fill->value);
    f.number("element_bytes", n.fill->element_bytes);
    f.number("width", n.fill->width);
    f.number("height", n.fill->height);
    f.close();
  }
  if (n.allocation) {
    o.key("allocation");
    object a(out);
    a.address("address", n.allocation->address);
    a.number("bytes", n.allocation->bytes);
    a.close();
  }
  if (n.host_call) {
    o.key("host_call");
    object h(out);
    h.address("function", n.host_call->function);
    h.address("user_data", n.host_call->user_data);
    h.close();
  }
  if (!n.operations.empty()) {
    o.key("operations");
    out += '[';
    for (std::size_t i = 0; i < n.operations.size(); ++i) {
      if (i > 0) out += ',';
      object p(out);
      p.number("operation", n.operations[i].operation);
      p.address("address", n.operations[i].address);
      p.address("value", n.operations[i].value);
      p.close();
    }
    out += ']';
  }
  if (n.semaphore_count > 0) o.number("semaphores", n.semaphore_count);
  if (!n.bodies_known) o.boolean("bodies_known", false);
  if (!n.bodies.empty()) {
    o.key("bodies");
    out += '[';
    for (std::size_t i = 0; i < n.bodies.size(); ++i) {
      if (i > 0) out += ',';
      print_body(out, n.bodies[i], indent + "  ");
    }
    out += ']';
  }
  if (!n.unread.empty()) {
    o.key("unread");
    out += '[';
    for (std::size_t i = 0; i < n.unread.size(); ++i) {
      if (i > 0) out += ',';
      out += json_string(n.unread[i]);
    }
    out += ']';
  }
  o.close();
}

void print_body(std::string& out, const graph_body& body, const std::string& indent) {
  out += "{\"nodes\":[";
  for (std::size_t i = 0; i < body.nodes.size(); ++i) {
    out += (i > 0 ? ",\n" : "\n") + indent + "  ";
    print_node(out, body.nodes[i], indent + "  ");
  }
  out += "],\n" + indent + "\"edges\":[";
  for (std::size_t i = 0; i < body.edges.size(); ++i) {
    const graph_edge& e = body.edges[i];
    if (i > 0) out += ',';
    out += "[" + std::to_string(e.from) + "," + std::to_string(e.to);
    if (e.from_port != 0 || e.to_port != 0 || e.type != 0) {
      out +=
          "," + std::to_string(e.from_port) + "," + std::to_string(e.to_port) + "," + std::to_string(e.type);
    }
    out += "]";
  }
  out += "]}";
}

void print_facts(std::string& out, const address_facts& f) {
  object o(out);
  o.address("address", f.address);
  o.text("kind", name_of(f.kind));
  if (f.storage != host_storage::unknown) o.text("storage", name_of(f.storage));
  if (f.device && *f.device >= 0) o.number("device", static_cast<std::uint64_t>(*f.device));
  if (f.range_bytes > 0) {
    o.address("range_begin", f.range_begin);
    o.number("range_bytes", f.range_bytes);
  }
  if (f.buffer_id > 0) o.number("buffer_id", f.buffer_id);
  if (f.mapped) o.boolean("mapped", *f.mapped);
  if (f.from_pool) o.boolean("from_pool", true);
  o.close();
}

}  // namespace

std::string to_json(const graph_snapshot& snapshot) {
  std::string out;
  object o(out);
  o.number("stridelock_graph_snapshot", graph_snapshot_version);
  o.text("label", snapshot.label);
  o.text("driver", snapshot.driver);
  o.key("devices");
  out += '[';
  for (std::size_t i = 0; i < snapshot.devices.size(); ++i) {
    const device_facts& d = snapshot.devices[i];
    if (i > 0) out += ',';
    object p(out);
    p.number("ordinal", static_cast<std::uint64_t>(d.ordinal < 0 ? 0 : d.ordinal));
    p.text("name", d.name);
    p.text("capability", d.capability);
    if (d.reads_pageable) p.boolean("reads_pageable", *d.reads_pageable);
    p.close();
  }
  out += ']';
  out += ",\n\"graph\":";
  print_body(out, snapshot.root, "");
  out += ",\n\"addresses\":[";
  for (std::size_t i = 0; i < snapshot.addresses.size(); ++i) {
    out += i > 0 ? ",\n  " : "\n  ";
    print_facts(out, snapshot.addresses[i]);
  }
  out += ']';
  o.close();
  return out + "\n";
}

}  // namespace v1
}  // namespace stridelock
