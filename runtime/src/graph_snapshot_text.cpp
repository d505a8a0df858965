#include <algorithm>
#include <map>

#include "graph_words.h"
#include "stridelock/graph_snapshot.h"

namespace stridelock {
inline namespace v1 {
namespace {

using detail::counted;
using detail::hex;
using detail::printable;

class printer {
 public:
  explicit printer(const graph_snapshot& snapshot) : snapshot_(snapshot) {}

  std::string run() {
    out_ = "graph " + (snapshot_.label.empty() ? std::string() : "'" + printable(snapshot_.label) + "': ") +
           counted(count_nodes(snapshot_.root), "node") + "\n";
    print_body(snapshot_.root, "", "  ");
    for (const auto& [begin, entry] : numbers_) {
      out_ += "  " + entry.name + ": " + std::string(name_of(entry.facts->kind)) +
              (entry.facts->device ? ":" + std::to_string(*entry.facts->device) : "") + ", " +
              counted(static_cast<std::size_t>(entry.facts->range_bytes), "byte") +
              (entry.facts->from_pool ? ", from a pool" : "") +
              (entry.facts->mapped && !*entry.facts->mapped ? ", nothing mapped" : "") + "\n";
    }
    return out_;
  }

 private:
  struct numbered {
    std::string name;
    const address_facts* facts = nullptr;
  };

  // `m1+0x40`: byte 0x40 of the first allocation that appears.
  std::string place(std::uint64_t address) {
    if (address == 0) return "null";
    const address_facts* facts = find_address(snapshot_, address);
    if (facts == nullptr) return "an address nobody asked about";
    if (facts->kind == memory_kind::none || facts->range_bytes == 0) {
      if (facts->kind != memory_kind::none) return std::string(name_of(facts->kind)) + " memory";
      if (facts->storage == host_storage::unmapped || facts->storage == host_storage::unknown) {
        return "no memory";
      }
      return "pageable host memory (" + std::string(name_of(facts->storage)) + ")";
    }
    auto [at, added] = numbers_.try_emplace(order_of(*facts));
    if (added) at->second = {"m" + std::to_string(numbers_.size()), facts};
    return at->second.name + "+" + hex(address - facts->range_begin);
  }

  // Map keys are in order of appearance, so that the list at the end is too.
  std::size_t order_of(const address_facts& facts) {
    return order_.try_emplace(facts.range_begin, order_.size()).first->second;
  }

  bool is_address(std::uint64_t value) const {
    const address_facts* facts = find_address(snapshot_, value);
    return facts != nullptr &&
           (facts->kind != memory_kind::none || facts->storage == host_storage::stack ||
            facts->storage == host_storage::static_storage || facts->storage == host_storage::other);
  }

  static std::uint64_t number_of(const std::vector<std::uint8_t>& bytes, std::size_t begin, std::size_t end) {
    std::uint64_t value = 0;
    for (std::size_t i = end; i-- > begin;) value = value << 8U | bytes[i];
    return value;
  }

  std::string value_text(std::uint64_t value) { return is_address(value) ? place(value) : hex(value); }

  // 0x42, m1+0x0, {0x1, m2+0x40}
  std::string bytes_text(const std::vector<std::uint8_t>& bytes, std::uint64_t offset) {
    if (bytes.empty()) return "nothing";
    if (bytes.size() > 64) return counted(bytes.size(), "byte") + words_text(bytes, offset);
    if (bytes.size() <= 8) {
      const std::uint64_t value = number_of(bytes, 0, bytes.size());
      return bytes.size() == 8 ? value_text(value) : hex(value);
    }
    std::string out = "{";
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t size = std::min<std::size_t>(8 - (offset + at) % 8, bytes.size() - at);
      const std::uint64_t value = number_of(bytes, at, at + size);
      out += (at > 0 ? ", " : "") + (size == 8 ? value_text(value) : hex(value));
      at += size;
    }
    return out + "}";
  }

  std::string words_text(const std::vector<std::uint8_t>& bytes, std::uint64_t offset) {
    std::string out;
    for (const parameter_word& word : words_of(bytes, offset)) {
      if (is_address(word.value)) out += ", at " + std::to_string(word.offset) + " " + place(word.value);
    }
    return out;
  }

  void print_body(const graph_body& body, const std::string& prefix, const std::string& indent) {
    for (std::size_t i = 0; i < body.nodes.size(); ++i) {
      const std::string path = prefix + std::to_string(i);
      print_node(body.nodes[i], path, indent);
      for (std::size_t b = 0; b < body.nodes[i].bodies.size(); ++b) {
        print_body(body.nodes[i].bodies[b], path + ".body" + std::to_string(b) + ".", indent + "  ");
      }
    }
    std::size_t programmatic = 0;
    for (const graph_edge& e : body.edges) programmatic += e.type != 0 ? 1 : 0;
    out_ += indent + counted(body.edges.size(), "edge") +
            (programmatic > 0 ? ", " + std::to_string(programmatic) + " programmatic" : "") + "\n";
  }

  void print_node(const graph_node& n, const std::string& path, const std::string& indent) {
    out_ += indent + path + "  " + std::string(name_of(n.kind));
    if (n.kind == graph_node_kind::unknown) out_ += " (type " + std::to_string(n.raw_type) + ")";
    if (n.kernel) {
      const kernel_details& k = *n.kernel;
      const auto dims = [](const std::uint32_t(&v)[3]) {
        return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
      };
      out_ += " " + printable(k.demangled.empty() ? k.name : k.demangled) + " grid " + dims(k.grid) +
              " block " + dims(k.block) +
              (k.shared_bytes > 0 ? " shared " + std::to_string(k.shared_bytes) : "");
    }
    if (n.device) out_ += " device " + std::to_string(*n.device);
    if (!n.boundary.empty()) out_ += "  [" + printable(n.boundary) + "]";
    out_ += "\n";
    const std::string inner = indent + "    ";
    if (n.kernel) {
      for (std::size_t i = 0; i < n.kernel->parameters.size(); ++i) {
        const kernel_parameter& p = n.kernel->parameters[i];
        out_ += inner + std::to_string(i) + " at " + std::to_string(p.offset) + ": " +
                bytes_text(p.bytes, p.offset) + "\n";
      }
      if (!n.kernel->layout_known) {
        out_ += inner + "layout unknown" +
                (n.kernel->packed.empty()
                     ? ""
                     : ": " + counted(n.kernel->packed.size(), "byte") + words_text(n.kernel->packed, 0)) +
                "\n";
      }
    }
    if (n.copy) {
      const copy_details& c = *n.copy;
      out_ += inner + (c.from.declared == memory_kind::array ? "array" : place(c.from.address)) + " -> " +
              (c.to.declared == memory_kind::array ? "array" : place(c.to.address)) + ", " +
              std::to_string(c.width_bytes) + " bytes x " + std::to_string(c.height) + " x " +
              std::to_string(c.depth) + "\n";
    }
    if (n.fill) {
      out_ += inner + place(n.fill->address) + " = " + hex(n.fill->value) + ", " +
              std::to_string(n.fill->width) + " x " + std::to_string(n.fill->height) + " elements of " +
              counted(n.fill->element_bytes, "byte") + "\n";
    }
    if (n.allocation && n.kind == graph_node_kind::mem_alloc) {
      out_ += inner + counted(static_cast<std::size_t>(n.allocation->bytes), "byte") + "\n";
    }
    if (n.host_call) out_ += inner + "user data: " + place(n.host_call->user_data) + "\n";
    for (const memory_operation& op : n.operations) {
      out_ += inner + "operation " + std::to_string(op.operation) + " on " + place(op.address) + "\n";
    }
    if (!n.bodies_known) out_ += inner + "its graphs could not be opened\n";
    for (const std::string& text : n.unread) out_ += inner + "not read: " + printable(text) + "\n";
  }

  const graph_snapshot& snapshot_;
  std::string out_;
  std::map<std::size_t, numbered> numbers_;
  std::map<std::uint64_t, std::size_t> order_;
};

}  // namespace

std::string to_text(const graph_snapshot& snapshot) {
  return printer(snapshot).run();
}

}  // namespace v1
}  // namespace stridelock
