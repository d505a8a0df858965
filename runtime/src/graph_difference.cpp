#include "stridelock/graph_difference.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "graph_words.h"
#include "memory_lookup.h"

namespace stridelock {
inline namespace v1 {

std::string_view name_of(difference_kind kind) noexcept {
  switch (kind) {
    case difference_kind::baked_scalar:
      return "baked scalar";
    case difference_kind::temporary_address:
      return "temporary address";
    case difference_kind::other_place:
      return "other place";
    case difference_kind::launch_size:
      return "launch size";
    case difference_kind::attribute:
      return "attribute";
    case difference_kind::frozen_input:
      return "frozen input";
    case difference_kind::only_in_first:
      return "only in the first capture";
    case difference_kind::only_in_second:
      return "only in the second capture";
    case difference_kind::edges:
      return "edges";
    case difference_kind::not_comparable:
      break;
  }
  return "not comparable";
}

namespace {

using detail::counted;
using detail::hex;
using detail::memory_lookup;
using detail::place_text;
using detail::printable;

constexpr std::size_t most_pairs = 4'000'000;  // of one body, matched exactly
constexpr std::size_t difference_kinds = static_cast<std::size_t>(difference_kind::not_comparable) + 1;
constexpr std::size_t look_ahead = 64;  // of the greedy match

std::string what_of(const graph_node& n) {
  if (n.kernel) return n.kernel->demangled.empty() ? n.kernel->name : n.kernel->demangled;
  return std::string(name_of(n.kind));
}

bool same_structure(const graph_node& a, const graph_node& b) {
  if (a.kind != b.kind || a.raw_type != b.raw_type) return false;
  return !a.kernel || !b.kernel || a.kernel->name == b.kernel->name;
}

struct pairing {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;  // ascending in both
  bool greedy = false;
};

pairing match(const std::vector<graph_node>& a, const std::vector<graph_node>& b) {
  pairing out;
  std::size_t begin = 0;
  std::size_t a_end = a.size();
  std::size_t b_end = b.size();
  while (begin < a_end && begin < b_end && same_structure(a[begin], b[begin])) ++begin;
  while (a_end > begin && b_end > begin && same_structure(a[a_end - 1], b[b_end - 1])) {
    --a_end;
    --b_end;
  }
  for (std::size_t i = 0; i < begin; ++i) out.pairs.emplace_back(i, i);
  const std::size_t rows = a_end - begin;
  const std::size_t columns = b_end - begin;
  if (rows > 0 && columns > 0 && rows <= most_pairs / columns) {
    // Longest common subsequence of the middle.
    std::vector<std::uint32_t> length((rows + 1) * (columns + 1), 0);
    const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& {
      return length[i * (columns + 1) + j];
    };
    for (std::size_t i = rows; i-- > 0;) {
      for (std::size_t j = columns; j-- > 0;) {
        at(i, j) = same_structure(a[begin + i], b[begin + j]) ? at(i + 1, j + 1) + 1
                                                              : std::max(at(i + 1, j), at(i, j + 1));
      }
    }
    for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
      if (same_structure(a[begin + i], b[begin + j])) {
        out.pairs.emplace_back(begin + i++, begin + j++);
      } else if (at(i + 1, j) >= at(i, j + 1)) {
        ++i;
      } else {
        ++j;
      }
    }
  } else if (rows > 0 && columns > 0) {
    out.greedy = true;
    for (std::size_t i = begin, j = begin; i < a_end && j < b_end; ++i) {
      for (std::size_t k = j; k < b_end && k < j + look_ahead; ++k) {
        if (!same_structure(a[i], b[k])) continue;
        out.pairs.emplace_back(i, k);
        j = k + 1;
        break;
      }
    }
  }
  for (std::size_t i = a_end; i < a.size(); ++i) out.pairs.emplace_back(i, b_end + (i - a_end));
  return out;
}

// One of the two captures.
class side {
 public:
  side(const graph_snapshot& graph, const known_memory& known) : graph_(graph), lookup_(known) {
    for (const known_word& word : known.words) words_.emplace(word.value, &word);
  }

  const known_range* owner(std::uint64_t value) const { return value == 0 ? nullptr : lookup_.find(value); }
  auto recorded(std::uint64_t value) const { return words_.equal_range(value); }
  // Where this capture has the owner that the other one had; null: gone, or nobody of that name.
  const known_range* live_owner(const std::string& name) const {
    for (const known_range* range : lookup_.all())
      if (range->live && range->name == name) return range;
    return nullptr;
  }
  // What this parameter of the boundary's kernels was recorded to get; null: nothing, or more than one value.
  const known_word* recorded_for(const std::string& boundary, std::uint32_t parameter) const {
    const known_word* found = nullptr;
    for (const auto& [value, word] : words_) {
      if (!word->owner.empty() || word->boundary != boundary || word->parameter != parameter) continue;
      if (found != nullptr && found->value != word->value) return nullptr;
      found = word;
    }
    return found;
  }
  bool is_address(std::uint64_t value) const {
    if (owner(value) != nullptr) return true;
    const address_facts* facts = find_address(graph_, value);
    return facts != nullptr &&
           (facts->kind == memory_kind::device || facts->kind == memory_kind::managed ||
            facts->kind == memory_kind::pinned || facts->storage == host_storage::stack ||
            facts->storage == host_storage::static_storage || facts->storage == host_storage::other);
  }
  std::string text(std::uint64_t value) const {
    if (const known_range* range = owner(value)) return place_text(*range, value, false);
    const address_facts* facts = find_address(graph_, value);
    if (facts == nullptr || !is_address(value)) return std::to_string(value);
    if (facts->kind == memory_kind::none) return "host memory (" + std::string(name_of(facts->storage)) + ")";
    return std::string(name_of(facts->kind)) + " memory, byte " + hex(value - facts->range_begin) + " of " +
           std::to_string(facts->range_bytes);
  }

 private:
  const graph_snapshot& graph_;
  memory_lookup lookup_;
  std::multimap<std::uint64_t, const known_word*> words_;
};

class comparer {
 public:
  comparer(const graph_snapshot& first, const graph_snapshot& second, const known_memory& known_first,
           const known_memory& known_second)
      : first_(first, known_first), second_(second, known_second) {}

  graph_difference run(const graph_body& a, const graph_body& b) {
    compare_bodies(a, b, "", "");
    return std::move(result_);
  }

 private:
  void compare_bodies(const graph_body& a, const graph_body& b, const std::string& a_prefix,
                      const std::string& b_prefix) {
    const pairing pairs = match(a.nodes, b.nodes);
    result_.greedy |= pairs.greedy;
    std::vector<std::size_t> partner(b.nodes.size(), a.nodes.size());
    std::size_t i = 0;
    std::size_t j = 0;
    const auto missing_until = [&](std::size_t a_end, std::size_t b_end) {
      for (; i < a_end; ++i) missing(a.nodes[i], a_prefix + std::to_string(i), true);
      for (; j < b_end; ++j) missing(b.nodes[j], b_prefix + std::to_string(j), false);
    };
    for (const auto& [x, y] : pairs.pairs) {
      missing_until(x, y);
      partner[y] = x;
      compare_nodes(a.nodes[x], b.nodes[y], a_prefix + std::to_string(x), b_prefix + std::to_string(y));
      i = x + 1;
      j = y + 1;
    }
    missing_until(a.nodes.size(), b.nodes.size());
    if (pairs.pairs.size() == a.nodes.size() && a.nodes.size() == b.nodes.size())
      compare_edges(a, b, partner, a_prefix);
  }

  void compare_edges(const graph_body& a, const graph_body& b, const std::vector<std::size_t>& partner,
                     const std::string& prefix) {
    using edge = std::tuple<std::size_t, std::size_t, int, int, int>;
    std::multiset<edge> left;
    std::multiset<edge> right;
    for (const graph_edge& e : a.edges) left.emplace(e.from, e.to, e.from_port, e.to_port, e.type);
    for (const graph_edge& e : b.edges) {
      if (e.from < partner.size() && e.to < partner.size()) {
        right.emplace(partner[e.from], partner[e.to], e.from_port, e.to_port, e.type);
      }
    }
    if (left == right) return;
    node_difference d;
    d.kind = difference_kind::edges;
    d.what = prefix.empty() ? "the graph" : "the body " + prefix.substr(0, prefix.size() - 1);
    d.field = "edges";
    d.first = counted(a.edges.size(), "edge");
    d.second = counted(b.edges.size(), "edge");
    if (d.first == d.second) d.second += ", between other nodes";
    result_.differences.push_back(std::move(d));
  }

  void missing(const graph_node& n, const std::string& path, bool in_first) {
    node_difference d;
    d.kind = in_first ? difference_kind::only_in_first : difference_kind::only_in_second;
    (in_first ? d.first_node : d.second_node) = path;
    d.what = what_of(n);
    d.boundary = n.boundary;
    result_.differences.push_back(std::move(d));
  }

  void compare_nodes(const graph_node& a, const graph_node& b, const std::string& a_path,
                     const std::string& b_path) {
    ++result_.matched_nodes;
    base_ = node_difference();
    base_.first_node = a_path;
    base_.second_node = b_path;
    base_.what = what_of(a);
    base_.boundary = a.boundary.empty() ? b.boundary : a.boundary;
    attribute(device_text(a), device_text(b), "device");
    if (const bool read = is_read(a); read != is_read(b)) {
      add(difference_kind::not_comparable, "details", read ? "read" : "not read", read ? "not read" : "read");
      ++result_.uncomparable;
    } else if (!read) {
      ++result_.uncomparable;
    }
    if (a.kernel && b.kernel) compare_kernels(*a.kernel, *b.kernel);
    if (a.copy && b.copy) {
      attribute(name_of(a.copy->from.declared), name_of(b.copy->from.declared),
                "declared memory of the source");
      attribute(name_of(a.copy->to.declared), name_of(b.copy->to.declared), "declared memory of the target");
      word(a.copy->from.address, b.copy->from.address, "source");
      word(a.copy->to.address, b.copy->to.address, "target");
      word(a.copy->from.pitch, b.copy->from.pitch, "source pitch");
      word(a.copy->to.pitch, b.copy->to.pitch, "target pitch");
      word(a.copy->from.height, b.copy->from.height, "source height");
      word(a.copy->to.height, b.copy->to.height, "target height");
      word(a.copy->width_bytes, b.copy->width_bytes, "bytes of a row");
      word(a.copy->height, b.copy->height, "rows");
      word(a.copy->depth, b.copy->depth, "slices");
    }
    if (a.fill && b.fill) {
      word(a.fill->address, b.fill->address, "target");
      word(a.fill->pitch, b.fill->pitch, "pitch");
      word(a.fill->value, b.fill->value, "value");
      attribute(std::to_string(a.fill->element_bytes), std::to_string(b.fill->element_bytes),
                "bytes of an element");
      word(a.fill->width, b.fill->width, "elements of a row");
      word(a.fill->height, b.fill->height, "rows");
    }
    if (a.kind == graph_node_kind::mem_alloc && a.allocation && b.allocation) {
      word(a.allocation->bytes, b.allocation->bytes, "bytes");
    }
    if (a.host_call && b.host_call) {
      word(a.host_call->function, b.host_call->function, "function");
      word(a.host_call->user_data, b.host_call->user_data, "user data");
    }
    for (std::size_t i = 0; i < a.operations.size() && i < b.operations.size(); ++i) {
      attribute(std::to_string(a.operations[i].operation), std::to_string(b.operations[i].operation),
                "operation " + std::to_string(i));
      word(a.operations[i].address, b.operations[i].address, "operation address");
      word(a.operations[i].value, b.operations[i].value, "operation value");
    }
    if (a.operations.size() != b.operations.size())
      attribute(std::to_string(a.operations.size()), std::to_string(b.operations.size()), "operations");
    attribute(std::to_string(a.semaphore_count), std::to_string(b.semaphore_count), "semaphores");
    if (!detail::has_bodies_known(a) || !detail::has_bodies_known(b) || a.bodies.size() != b.bodies.size()) {
      ++result_.uncomparable;
      if (a.bodies.size() != b.bodies.size()) {
        add(difference_kind::not_comparable, "bodies", counted(a.bodies.size(), "graph"),
            counted(b.bodies.size(), "graph"));
      }
    }
    for (std::size_t i = 0; i < a.bodies.size() && i < b.bodies.size(); ++i) {
      const std::string inner = ".body" + std::to_string(i) + ".";
      compare_bodies(a.bodies[i], b.bodies[i], a_path + inner, b_path + inner);
    }
  }

  static bool is_read(const graph_node& n) {
    return n.unread.empty() && n.kind != graph_node_kind::unknown && detail::has_own_details(n);
  }
  static std::string device_text(const graph_node& n) {
    return n.device ? std::to_string(*n.device) : "not known";
  }

  void attribute(std::string_view a, std::string_view b, const std::string& field) {
    if (a != b) add(difference_kind::attribute, field, std::string(a), std::string(b));
  }

  void compare_kernels(const kernel_details& a, const kernel_details& b) {
    const auto dims = [](const std::uint32_t(&v)[3]) {
      return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
    };
    if (!std::equal(a.grid, a.grid + 3, b.grid))
      add(difference_kind::launch_size, "grid", dims(a.grid), dims(b.grid));
    if (!std::equal(a.block, a.block + 3, b.block))
      add(difference_kind::launch_size, "block", dims(a.block), dims(b.block));
    if (a.shared_bytes != b.shared_bytes) {
      add(difference_kind::launch_size, "shared memory", std::to_string(a.shared_bytes),
          std::to_string(b.shared_bytes));
    }
    const bool a_known = detail::has_layout(a);
    const bool b_known = detail::has_layout(b);
    if (!a_known || !b_known) {
      ++result_.uncomparable;
      if (a.packed.size() == b.packed.size() && !a_known && !b_known) {
        bytes(a.packed, b.packed, 0, "packed arguments");
      } else {
        add(difference_kind::not_comparable, "arguments", layout_text(a), layout_text(b));
      }
      return;
    }
    if (a.parameters.size() != b.parameters.size()) {
      add(difference_kind::not_comparable, "parameters", std::to_string(a.parameters.size()),
          std::to_string(b.parameters.size()));
      return;
    }
    for (std::size_t i = 0; i < a.parameters.size(); ++i) {
      const kernel_parameter& x = a.parameters[i];
      const kernel_parameter& y = b.parameters[i];
      const std::string field = "parameter " + std::to_string(i);
      base_.parameter = static_cast<std::uint32_t>(i);
      if (x.bytes.size() != y.bytes.size() || x.offset != y.offset) {
        add(difference_kind::not_comparable, field, counted(x.bytes.size(), "byte"),
            counted(y.bytes.size(), "byte"));
      } else {
        bytes(x.bytes, y.bytes, x.offset, field);
      }
    }
    base_.parameter.reset();
  }

  static std::string layout_text(const kernel_details& k) {
    return detail::has_layout(k) ? counted(k.parameters.size(), "parameter")
                                 : counted(k.packed.size(), "byte") + ", layout unknown";
  }

  // Words of 8 bytes where the layout has them, what is left and right of them as smaller ones.
  void bytes(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b,
             std::uint64_t layout_offset, const std::string& field) {
    std::size_t at = 0;
    while (at < a.size()) {
      std::size_t size = 8 - (layout_offset + at) % 8;
      size = std::min({size, a.size() - at});
      if (size != 8 && size != 4 && size > 4) size = 4;
      std::uint64_t x = 0;
      std::uint64_t y = 0;
      for (std::size_t i = size; i-- > 0;) {
        x = x << 8U | a[at + i];
        y = y << 8U | b[at + i];
      }
      base_.offset = at;
      // Two 32-bit fields in one word: say which of them differs.
      if (size == 8 && x != y && a.size() > 8 && !first_.is_address(x) && !second_.is_address(y)) {
        word(x & 0xffffffffU, y & 0xffffffffU, field);
        base_.offset = at + 4;
        word(x >> 32U, y >> 32U, field);
      } else {
        word(x, y, field);
      }
      at += size;
    }
    base_.offset = 0;
  }

  void word(std::uint64_t a, std::uint64_t b, const std::string& field) {
    ++result_.compared_words;
    const known_range* owner_a = first_.owner(a);
    const known_range* owner_b = second_.owner(b);
    if (owner_a != nullptr && owner_b != nullptr && owner_a->name == owner_b->name &&
        a - owner_a->begin == b - owner_b->begin) {
      return;
    }
    if (a == b) {
      frozen(a, owner_a, field);
      return;
    }
    const record both = recorded(a, b);
    if (both == record::of_this_place) {
      ++result_.known_words;
      return;
    }
    difference_kind kind = difference_kind::baked_scalar;
    if (owner_a != nullptr && owner_b != nullptr) {
      kind = difference_kind::other_place;
    } else if (first_.is_address(a) && second_.is_address(b)) {
      kind = difference_kind::temporary_address;
    }
    add(kind, field, first_.text(a), second_.text(b));
    result_.differences.back().possible = both == record::by_value;
  }

  // Equal, and should it be? The owner is elsewhere in the second capture, or other numbers were recorded.
  void frozen(std::uint64_t value, const known_range* owner, const std::string& field) {
    if (owner != nullptr && owner->live) {
      const known_range* const now = second_.live_owner(owner->name);
      if (now == nullptr || now->begin == owner->begin) return;
      add(difference_kind::frozen_input, field, first_.text(value),
          "the same address, where " + printable(owner->name) + " is no longer");
      return;
    }
    if (!base_.parameter || base_.boundary.empty()) return;
    const known_word* const then = first_.recorded_for(base_.boundary, *base_.parameter);
    const known_word* const now = second_.recorded_for(base_.boundary, *base_.parameter);
    if (then == nullptr || now == nullptr || then->value == now->value || then->value != value) return;
    add(difference_kind::frozen_input, field, std::to_string(value),
        std::to_string(value) + " again, recorded as " + std::to_string(now->value));
  }

  enum class record { none, by_value, of_this_place };

  // The best pair of records of the two values: addresses of one owner, or scalars of the same launch. The value alone
  // proves little for scalars: another parameter may go from 4 to 8 as well.
  record recorded(std::uint64_t a, std::uint64_t b) const {
    record best = record::none;
    const auto [a_begin, a_end] = first_.recorded(a);
    const auto [b_begin, b_end] = second_.recorded(b);
    for (auto x = a_begin; x != a_end; ++x) {
      for (auto y = b_begin; y != b_end; ++y) {
        const known_word& then = *x->second;
        const known_word& now = *y->second;
        if (then.owner != now.owner || then.boundary != now.boundary || then.parameter != now.parameter)
          continue;
        if (!then.owner.empty()) return record::of_this_place;
        if (then.parameter && then.parameter != base_.parameter) continue;
        if (!then.boundary.empty() && !base_.boundary.empty() && then.boundary != base_.boundary) continue;
        if (!then.boundary.empty() && then.boundary == base_.boundary) return record::of_this_place;
        best = record::by_value;
      }
    }
    return best;
  }

  void add(difference_kind kind, const std::string& field, std::string a, std::string b) {
    node_difference d = base_;
    d.kind = kind;
    d.field = field;
    d.first = std::move(a);
    d.second = std::move(b);
    result_.differences.push_back(std::move(d));
  }

  side first_;
  side second_;
  node_difference base_;
  graph_difference result_;
};

}  // namespace

graph_difference compare_graphs(const graph_snapshot& first, const graph_snapshot& second,
                                const known_memory& known_first, const known_memory& known_second) {
  return comparer(first, second, known_first, known_second).run(first.root, second.root);
}

std::string graph_difference::summary() const {
  std::size_t by_kind[difference_kinds]{};
  for (const node_difference& d : differences) ++by_kind[static_cast<std::size_t>(d.kind)];
  std::string out = "graph difference: " + counted(matched_nodes, "node") + " matched, " +
                    counted(compared_words, "word") + " compared, " +
                    counted(differences.size(), "difference");
  for (std::size_t k = 0; k < difference_kinds; ++k) {
    if (by_kind[k] > 0)
      out += "; " + std::string(name_of(static_cast<difference_kind>(k))) + " " + std::to_string(by_kind[k]);
  }
  if (known_words > 0) out += "; recorded, so expected " + std::to_string(known_words);
  if (uncomparable > 0) out += "; not comparable in full " + std::to_string(uncomparable);
  if (greedy) out += "; matched greedily";
  return out;
}

std::string graph_difference::text() const {
  std::string out;
  for (const node_difference& d : differences) {
    out += (d.possible ? "difference: possible: " : "difference: ") + std::string(name_of(d.kind)) + ": ";
    if (d.kind == difference_kind::only_in_first || d.kind == difference_kind::only_in_second) {
      out += "node " + (d.first_node.empty() ? d.second_node : d.first_node) + ", " + printable(d.what);
    } else {
      if (!d.first_node.empty()) {
        out += "node " + d.first_node + (d.first_node == d.second_node ? "" : " and " + d.second_node) + ", ";
      }
      out += printable(d.what) + (d.field == "edges" ? "" : ", " + d.field) +
             (d.offset > 0 ? " at byte " + std::to_string(d.offset) : "") + ": " + d.first + ", then " +
             d.second;
    }
    if (!d.boundary.empty()) out += ", launched by " + printable(d.boundary);
    out += "\n";
  }
  return out + summary() + "\n";
}

}  // namespace v1
}  // namespace stridelock
