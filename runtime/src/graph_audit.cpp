#include "stridelock/graph_audit.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "graph_words.h"
#include "memory_lookup.h"

namespace stridelock {
inline namespace v1 {

std::string_view name_of(audit_verdict verdict) noexcept {
  switch (verdict) {
    case audit_verdict::ok:
      return "ok";
    case audit_verdict::unknown:
      return "unknown";
    case audit_verdict::possible:
      return "possible";
    case audit_verdict::violated:
      break;
  }
  return "violated";
}

std::string_view name_of(memory_role role) noexcept {
  switch (role) {
    case memory_role::persistent:
      return "persistent";
    case memory_role::graph_private:
      return "graph_private";
    case memory_role::segment:
      return "segment";
    case memory_role::block:
      return "block";
    case memory_role::host_buffer:
      return "host_buffer";
    case memory_role::static_host:
      break;
  }
  return "static_host";
}

std::uint64_t digest_of(const std::uint8_t* bytes, std::size_t count) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (std::size_t i = 0; i < count; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3U;
  return hash;
}

const kernel_name_patterns& usual_kernel_names() {
  static const kernel_name_patterns names = {
      {"direct_copy_kernel_cuda", "CatArrayBatchedCopy", "copy_device_to_device"},
      {"Batched_kernel", "batched_gemm", "gemmBatched", "GemmGrouped", "multi_tensor_apply"},
  };
  return names;
}

namespace {

using detail::counted;
using detail::memory_lookup;
using detail::place_text;
using detail::printable;

// A tensor map is an opaque struct of exactly this size, at this alignment of the parameter buffer.
constexpr std::uint64_t tensor_map_bytes = 128;
constexpr std::uint64_t tensor_map_alignment = 64;

// Pointers lie high and near other pointers; packed pairs of small numbers and sizes do not.
constexpr std::uint64_t lowest_certain_address = std::uint64_t{1} << 40U;
constexpr std::uint64_t neighbourhood = std::uint64_t{1} << 40U;
constexpr std::uint64_t certain_alignment = 16;

// Below this nothing is mapped on any system that runs CUDA; such a word was never meant as an address.
constexpr std::uint64_t lowest_address = 0x10000;

// The reader asks the driver about every word in between, and keeps the answer.
constexpr std::uint64_t lowest_always_asked = std::uint64_t{1} << 32U;
constexpr std::uint64_t end_of_asked = std::uint64_t{1} << 57U;

struct place_of_word {
  std::string node;
  std::string kernel;
  std::string boundary;
  std::optional<std::uint32_t> parameter;
  std::uint64_t offset = 0;
  std::string role;  // "parameter 2", "the source of a copy"
};

class auditor {
 public:
  auditor(const graph_snapshot& graph, const known_memory& known, const audit_options& options)
      : graph_(graph),
        lookup_(known),
        options_(options),
        names_(options.names != nullptr ? *options.names : usual_kernel_names()) {
    for (const known_word& word : known.words) {
      if (!word.owner.empty()) recorded_.emplace(word.value, &word);
    }
    for (const known_digest& d : known.digests) digests_.insert(d.digest);
    for (const device_facts& d : graph.devices) reads_pageable_ |= d.reads_pageable.value_or(false);
    for (const address_facts& f : graph.addresses) {
      if (is_cuda(f)) cuda_addresses_.push_back(f.address);  // sorted, as the facts are
    }
    visit_nodes(graph.root, [&](const std::string& path, const graph_node& n) {
      if (!n.allocation) return;
      if (n.kind == graph_node_kind::mem_alloc)
        own_.push_back({n.allocation->address, n.allocation->bytes, path});
      if (n.kind == graph_node_kind::mem_free) freed_.insert(n.allocation->address);
    });
  }

  audit_result run() {
    visit_nodes(graph_.root, [&](const std::string& path, const graph_node& n) { judge(path, n); });
    return std::move(result_);
  }

 private:
  struct own_allocation {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    std::string node;
  };

  static bool is_cuda(const address_facts& f) {
    return f.kind == memory_kind::device || f.kind == memory_kind::managed || f.kind == memory_kind::pinned;
  }

  // Reserved addresses (virtual memory management) have a range without memory behind it.
  static bool is_unmapped(const address_facts& f) {
    return f.kind == memory_kind::none && f.range_bytes > 0 && f.mapped && !*f.mapped;
  }

  void judge(const std::string& path, const graph_node& n) {
    node_ = audit_verdict::ok;
    place_of_word at;
    at.node = path;
    at.boundary = n.boundary;
    if (n.kernel) at.kernel = n.kernel->demangled.empty() ? n.kernel->name : n.kernel->demangled;

    if (n.kernel) judge_kernel(*n.kernel, at);
    if (n.copy) judge_copy(*n.copy, at);
    if (n.fill) {
      at.role = "the target of a fill";
      judge_word(n.fill->address, at, audit_verdict::violated);
    }
    if (n.allocation) judge_allocation(n, at);
    if (n.host_call) judge_host_call(*n.host_call, at);
    for (const memory_operation& op : n.operations) {
      at.role = "a memory operation";
      if (op.address != 0) judge_word(op.address, at, audit_verdict::violated);
    }
    if (!detail::has_bodies_known(n)) {
      ++result_.counts.bodies_unknown;
      raise(audit_verdict::unknown);
    }
    if (!n.unread.empty() || n.kind == graph_node_kind::unknown || !detail::has_own_details(n)) {
      ++result_.counts.unread;
      raise(audit_verdict::unknown);
    }
    if (node_ == audit_verdict::ok && has_nothing_to_judge(n.kind)) ++result_.counts.nothing_to_judge;
    ++result_.counts.nodes[static_cast<std::size_t>(node_)];
  }

  static bool has_nothing_to_judge(graph_node_kind kind) {
    switch (kind) {
      case graph_node_kind::empty:
      case graph_node_kind::event_wait:
      case graph_node_kind::event_record:
      case graph_node_kind::semaphore_signal:
      case graph_node_kind::semaphore_wait:
      case graph_node_kind::child_graph:
      case graph_node_kind::conditional:
        return true;
      default:
        return false;
    }
  }

  void raise(audit_verdict verdict) { node_ = std::max(node_, verdict); }
  void count_pointer(audit_verdict verdict) {
    ++result_.counts.pointers[static_cast<std::size_t>(verdict)];
    raise(verdict);
  }

  audit_finding& add(const char* code, audit_verdict verdict, const place_of_word& at, std::string headline,
                     std::string cause) {
    audit_finding f;
    f.code = std::string("audit/") + code;
    f.verdict = verdict;
    f.node = at.node;
    f.kernel = at.kernel;
    f.parameter = at.parameter;
    f.offset = at.offset;
    f.boundary = at.boundary;
    f.headline = std::move(headline);
    f.cause = std::move(cause);
    f.lines.emplace_back("node", where(at));
    result_.findings.push_back(std::move(f));
    raise(verdict);
    return result_.findings.back();
  }

  static std::string where(const place_of_word& at) {
    std::string text = at.node + (at.kernel.empty() ? "" : ": " + printable(at.kernel));
    if (!at.role.empty()) text += ", " + at.role;
    if (at.offset > 0) text += " at byte " + std::to_string(at.offset);
    if (!at.boundary.empty()) text += ", launched by " + printable(at.boundary);
    return text;
  }

  static bool any_part(const std::vector<std::string>& parts, const std::string& name) {
    return std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
      return !part.empty() && name.find(part) != std::string::npos;
    });
  }

  // ---- nodes -----------------------------------------------------------------------------------------------------

  void judge_kernel(const kernel_details& k, place_of_word at) {
    ++result_.counts.kernels;
    const bool copies =
        any_part(names_.framework_copies, at.kernel) || any_part(names_.framework_copies, k.name);
    if (copies) {
      audit_finding& f = add("framework-copy", audit_verdict::possible, at,
                             "a copy kernel of the framework runs at every replay", at.kernel);
      f.lines.emplace_back("means",
                           "the capture held .contiguous(), copy_ or a conversion: one more kernel, and a "
                           "packed copy instead of "
                           "the buffer itself");
      f.lines.emplace_back(
          "fix", "hand the kernel rows of the persistent buffer, or a kernel that takes the row pitch");
    }
    bool second_level = any_part(names_.pointer_arrays, at.kernel) || any_part(names_.pointer_arrays, k.name);
    if (!detail::has_layout(k)) {
      ++result_.counts.layout_unknown;
      raise(audit_verdict::unknown);
      at.role = "the packed arguments";
      for (const parameter_word& word : words_of(k.packed, 0)) {
        at.offset = word.offset;
        judge_word(word.value, at, audit_verdict::possible);
        second_level |= holds_pointers(word.value);
      }
    }
    for (std::size_t i = 0; i < k.parameters.size(); ++i) {
      const kernel_parameter& p = k.parameters[i];
      at.parameter = static_cast<std::uint32_t>(i);
      at.role = "parameter " + std::to_string(i);
      at.offset = 0;
      // A digest vouches for the bytes, not for the memory that they point to: it silences guesses only.
      const bool vouched = p.bytes.size() != 8 && !digests_.empty() &&
                           digests_.count(digest_of(p.bytes.data(), p.bytes.size())) > 0;
      if (!vouched && p.bytes.size() == tensor_map_bytes && p.offset % tensor_map_alignment == 0) {
        ++result_.counts.opaque;
        raise(audit_verdict::unknown);
      }
      const audit_verdict worst = p.bytes.size() == 8 ? audit_verdict::violated : audit_verdict::possible;
      for (const parameter_word& word : words_of(p.bytes, p.offset)) {
        at.offset = word.offset;
        if (!vouched || is_known_pointer(word.value)) judge_word(word.value, at, worst);
        second_level |= holds_pointers(word.value);
      }
    }
    if (second_level) {
      ++result_.counts.second_level;
      raise(audit_verdict::unknown);
    }
  }

  // Somebody said that this word is a pointer: a record, a registered range, or the driver, now or at capture.
  bool is_known_pointer(std::uint64_t value) const {
    if (value < lowest_address) return false;
    if (recorded_.count(value) > 0 || lookup_.find(value) != nullptr || was_cuda(value)) return true;
    const address_facts* facts = find_address(graph_, value);
    return facts != nullptr && (is_cuda(*facts) || is_unmapped(*facts));
  }

  bool holds_pointers(std::uint64_t value) const {
    const known_range* range = value < lowest_address ? nullptr : lookup_.find(value);
    return range != nullptr && range->holds_pointers;
  }

  void judge_copy(const copy_details& c, place_of_word at) {
    for (const bool source : {true, false}) {
      const copy_side& side = source ? c.from : c.to;
      if (side.declared == memory_kind::array) continue;
      at.role = source ? "the source of a copy" : "the target of a copy";
      if (judge_pageable_side(side, at, source)) continue;
      judge_word(side.address, at, audit_verdict::violated);
    }
  }

  // True if the side is host memory that no driver call pinned; such a side is judged here.
  bool judge_pageable_side(const copy_side& side, const place_of_word& at, bool source) {
    const address_facts* facts = find_address(graph_, side.address);
    const bool pageable =
        facts != nullptr
            ? facts->kind == memory_kind::none && !was_cuda(side.address) &&
                  (side.declared == memory_kind::none || facts->storage == host_storage::stack ||
                   facts->storage == host_storage::static_storage || facts->storage == host_storage::other)
            : side.declared == memory_kind::none;
    if (!pageable) return false;
    const host_storage storage = facts != nullptr ? facts->storage : host_storage::unknown;
    const known_range* range = lookup_.find(side.address);
    if (is_stale(side.address, at, audit_verdict::violated, range, facts)) return true;
    if (range != nullptr && range->live) {
      count_pointer(audit_verdict::ok);
      return true;
    }
    if (storage == host_storage::static_storage) {
      count_pointer(audit_verdict::ok);
      return true;
    }
    const char* what = storage == host_storage::stack ? "stack memory" : "pageable host memory";
    count_pointer(audit_verdict::violated);
    audit_finding& f = add(
        storage == host_storage::stack ? "stack-copy" : "pageable-copy", audit_verdict::violated, at,
        std::string("a captured copy ") + (source ? "reads " : "writes ") + what + " again at every replay",
        what);
    f.lines.emplace_back("means", storage == host_storage::stack
                                      ? "the frame is gone by then: whatever stands there is copied"
                                      : "the graph holds the address, nobody holds the memory for it");
    f.lines.emplace_back(
        "fix",
        "copy from a pinned buffer that lives as long as the graph and is refilled before each replay");
    return true;
  }

  void judge_allocation(const graph_node& n, place_of_word at) {
    if (n.kind == graph_node_kind::mem_free) {
      const bool own = std::any_of(own_.begin(), own_.end(),
                                   [&](const own_allocation& a) { return a.begin == n.allocation->address; });
      count_pointer(own ? audit_verdict::ok : audit_verdict::possible);
      if (own) return;
      audit_finding& f = add("foreign-free", audit_verdict::possible, at,
                             "the graph frees memory that another graph or stream allocated", "foreign free");
      f.lines.emplace_back("means", "a second replay without a new allocation in between fails");
      return;
    }
    count_pointer(audit_verdict::violated);
    const bool freed = freed_.count(n.allocation->address) > 0;
    audit_finding& f =
        add("allocation-node", audit_verdict::violated, at,
            "the graph allocates " + counted(static_cast<std::size_t>(n.allocation->bytes), "byte") +
                " at every replay",
            freed ? "freed in the graph" : "never freed in the graph");
    f.lines.emplace_back(
        "means", freed ? "an allocation was captured: its address is the graph's alone"
                       : "an allocation was captured and never freed in the graph: the second launch fails "
                         "unless the executable graph frees on launch");
    f.lines.emplace_back("fix", "allocate before the capture and register the buffer");
  }

  void judge_host_call(const host_call_details& h, place_of_word at) {
    at.role = "the user data of a host call";
    if (h.user_data < lowest_address) return;  // null, or a small number in disguise
    const known_range* range = lookup_.find(h.user_data);
    const address_facts* facts = find_address(graph_, h.user_data);
    if (is_stale(h.user_data, at, audit_verdict::violated, range, facts)) return;
    const host_storage storage = facts != nullptr ? facts->storage : host_storage::unknown;
    if ((range != nullptr && range->live) || storage == host_storage::static_storage) {
      count_pointer(audit_verdict::ok);
      return;
    }
    const audit_verdict verdict =
        storage == host_storage::stack ? audit_verdict::violated : audit_verdict::possible;
    count_pointer(verdict);
    audit_finding& f = add("host-data", verdict, at,
                           "a captured host call keeps a pointer that nobody is known to keep alive",
                           storage == host_storage::stack ? "stack" : "heap");
    f.lines.emplace_back(
        "fix", "tie the data to the graph (cudaUserObjectCreate, cudaGraphRetainUserObject), or register it");
  }

  // ---- words -----------------------------------------------------------------------------------------------------

  const address_facts* facts_at_capture(std::uint64_t value) const {
    return options_.at_capture != nullptr ? find_address(*options_.at_capture, value) : nullptr;
  }
  bool was_cuda(std::uint64_t value) const {
    const address_facts* then = facts_at_capture(value);
    return then != nullptr && is_cuda(*then);
  }

  bool near_cuda_memory(std::uint64_t value) const {
    const auto at = std::lower_bound(cuda_addresses_.begin(), cuda_addresses_.end(), value);
    if (at != cuda_addresses_.end() && *at - value < neighbourhood) return true;
    if (at != cuda_addresses_.begin() && value - *(at - 1) < neighbourhood) return true;
    for (const known_range* r : lookup_.all()) {
      const std::uint64_t distance = value > r->begin ? value - r->begin : r->begin - value;
      if (distance < neighbourhood) return true;
    }
    return false;
  }

  // `worst` is violated where the word is a pointer if it is anything, possible where it may be something else.
  void judge_word(std::uint64_t value, const place_of_word& at, audit_verdict worst) {
    if (value < lowest_address) return;
    for (const own_allocation& own : own_) {
      if (value >= own.begin && value - own.begin < own.bytes) return count_pointer(audit_verdict::ok);
    }
    const address_facts* facts = find_address(graph_, value);
    const known_range* range = lookup_.find(value);
    if (is_stale(value, at, worst, range, facts)) return;
    if (range != nullptr) return judge_known(value, at, worst, *range, facts);
    if (facts == nullptr && (value < lowest_always_asked || value >= end_of_asked)) return;
    if (facts != nullptr && (is_cuda(*facts) || is_unmapped(*facts)))
      return judge_unregistered(value, at, worst, *facts);
    if (facts != nullptr && facts->kind == memory_kind::none) return judge_unbacked(value, at, worst, *facts);
    ++result_.counts.not_answered;
    count_pointer(audit_verdict::unknown);
  }

  // Recorded at capture as something else than what is there now.
  bool is_stale(std::uint64_t value, const place_of_word& at, audit_verdict worst, const known_range* range,
                const address_facts* facts) {
    const auto recorded = recorded_.find(value);
    if (recorded != recorded_.end() && range == nullptr && is_gone(facts)) {
      const known_word& then = *recorded->second;
      audit_finding& f = stale(at, worst, "'" + printable(then.owner) + "'", then.owner);
      f.lines.emplace_back("captured", printable(then.owner) + " gen " + std::to_string(then.generation));
      const bool none = facts != nullptr && facts->kind == memory_kind::none;
      f.lines.emplace_back("now", std::string("in no registered memory") +
                                      (none ? "; the driver knows no allocation there" : ""));
      add_stale_fix(f, then.owner);
      return true;
    }
    if (recorded != recorded_.end() && range != nullptr &&
        (range->name != recorded->second->owner || range->generation != recorded->second->generation)) {
      const known_word& then = *recorded->second;
      audit_finding& f = stale(at, worst, "'" + printable(then.owner) + "'", then.owner);
      f.lines.emplace_back("captured", printable(then.owner) + " gen " + std::to_string(then.generation));
      f.lines.emplace_back("now", place_text(*range, value) + (range->live ? "" : ", free"));
      add_stale_fix(f, then.owner);
      return true;
    }
    const address_facts* then = facts_at_capture(value);
    if (then == nullptr || !is_cuda(*then)) return false;
    if (facts != nullptr && is_cuda(*facts) && then->buffer_id != 0 && facts->buffer_id != 0 &&
        then->buffer_id != facts->buffer_id) {
      audit_finding& f = stale(at, worst, range != nullptr ? "'" + printable(range->name) + "'" : "a buffer",
                               "buffer " + std::to_string(then->buffer_id));
      f.lines.emplace_back("captured", "byte " + detail::hex(value - then->range_begin) +
                                           " of an allocation of " + std::to_string(then->range_bytes) +
                                           " bytes");
      f.lines.emplace_back("now", "another allocation, of " + std::to_string(facts->range_bytes) +
                                      " bytes: freed and taken again in between");
      add_stale_fix(f, range != nullptr ? range->name : "the buffer");
      return true;
    }
    if (facts != nullptr && facts->kind == memory_kind::none) {
      count_pointer(worst);
      audit_finding& f = add("dangling-pointer", worst, at,
                             "the graph holds a pointer to memory that was freed after the capture",
                             "buffer " + std::to_string(then->buffer_id));
      f.lines.emplace_back("captured", std::string(name_of(then->kind)) + " memory, byte " +
                                           detail::hex(value - then->range_begin) + " of an allocation of " +
                                           std::to_string(then->range_bytes) + " bytes");
      f.lines.emplace_back("now", "the driver knows no allocation there");
      f.lines.emplace_back("fix",
                           "keep the buffer alive as long as the graph: register it with a keep-alive, or "
                           "tie it to the graph");
      return true;
    }
    return false;
  }

  // Of an address that was recorded with an owner and lies in no known range now. Without known ranges only an address
  // with nothing behind it proves that the owner is gone; what lies in the program's image never goes.
  bool is_gone(const address_facts* facts) const {
    if (facts != nullptr && facts->storage == host_storage::static_storage) return false;
    if (!lookup_.empty()) return true;
    return facts != nullptr && facts->kind == memory_kind::none && facts->storage != host_storage::stack &&
           facts->storage != host_storage::other;
  }

  audit_finding& stale(const place_of_word& at, audit_verdict worst, const std::string& what,
                       const std::string& cause) {
    count_pointer(worst);
    return add("stale-owner", worst, at, "the graph still uses the old block of " + what, cause);
  }
  static void add_stale_fix(audit_finding& f, const std::string& owner) {
    f.lines.emplace_back("fix", "keep one persistent buffer for " + printable(owner) +
                                    " and copy into it before replay, or capture again");
    f.lines.emplace_back("not a fix", ".contiguous(): it makes a new block, which the graph does not use");
  }

  void judge_known(std::uint64_t value, const place_of_word& at, audit_verdict worst,
                   const known_range& range, const address_facts* facts) {
    if (!range.live) {
      count_pointer(worst);
      const bool block = range.role == memory_role::block;
      audit_finding& f =
          add(block ? "freed-block" : "dangling-pointer", worst, at,
              block ? "the graph holds an address inside a segment whose tensor is gone"
                    : "the graph holds a pointer into '" + printable(range.name) + "', which is gone",
              range.name);
      f.lines.emplace_back("found", place_text(range, value));
      f.lines.emplace_back(
          "means", block ? "the allocator may hand this block to anybody; the driver still answers for it"
                         : "a replay reads or writes what is there now");
      f.lines.emplace_back(
          "fix", "keep the tensor alive as long as the graph, or capture with the graph's own pool");
      return;
    }
    if (range.role == memory_role::segment && lookup_.has_blocks(range)) {
      count_pointer(worst);
      audit_finding& f = add("freed-block", worst, at,
                             "the graph holds an address inside a segment whose tensor is gone", range.name);
      f.lines.emplace_back("found", place_text(range, value) + ", between the blocks in use");
      f.lines.emplace_back(
          "fix", "keep the tensor alive as long as the graph, or capture with the graph's own pool");
      return;
    }
    const bool host = range.role == memory_role::host_buffer || range.role == memory_role::static_host;
    const bool unmapped = facts != nullptr && facts->mapped && !*facts->mapped;
    if (unmapped || (!host && facts != nullptr && facts->kind == memory_kind::none)) {
      const audit_verdict verdict =
          !unmapped && reads_pageable_ ? std::min(worst, audit_verdict::possible) : worst;
      count_pointer(verdict);
      audit_finding& f = add(
          "unbacked-owner", verdict, at,
          "'" + printable(range.name) + "' is registered as live, and no memory is behind it", range.name);
      f.lines.emplace_back("found",
                           place_text(range, value) + (unmapped ? ": reserved addresses, nothing mapped"
                                                                : ": the driver knows no allocation there"));
      f.lines.emplace_back(
          "fix", "register with a keep-alive or a liveness probe; map the memory again before a replay");
      return;
    }
    count_pointer(audit_verdict::ok);
  }

  void judge_unregistered(std::uint64_t value, const place_of_word& at, audit_verdict worst,
                          const address_facts& facts) {
    if (facts.mapped && !*facts.mapped) {
      count_pointer(worst);
      audit_finding& f =
          add("dangling-pointer", worst, at, "the graph holds an address behind which nothing is mapped",
              "unmapped " + detail::hex(facts.range_begin));
      f.lines.emplace_back("found", "reserved addresses (virtual memory management), unmapped now");
      f.lines.emplace_back("fix", "map the memory again before a replay, and fill it: the contents are gone");
      return;
    }
    if (lookup_.empty()) {
      ++result_.counts.owner_unknown;
      return count_pointer(audit_verdict::unknown);
    }
    // Recycled pinned memory is as bad, but staging buffers that live for ever are common and seldom registered.
    const audit_verdict verdict =
        facts.kind == memory_kind::pinned ? std::min(worst, audit_verdict::possible) : worst;
    count_pointer(verdict);
    audit_finding& f =
        add("unregistered-memory", verdict, at,
            "the graph uses " + std::string(name_of(facts.kind)) + " memory that nobody registered",
            detail::hex(facts.range_begin));
    f.lines.emplace_back("found", "byte " + detail::hex(value - facts.range_begin) + " of an allocation of " +
                                      std::to_string(facts.range_bytes) + " bytes" +
                                      (facts.from_pool ? ", from a pool" : ""));
    f.lines.emplace_back(
        "fix", "register the buffer (a library's workspace too), or allocate it from the graph's own pool");
  }

  // The driver does not know it: a scalar, host memory, or memory that is gone.
  void judge_unbacked(std::uint64_t value, const place_of_word& at, audit_verdict worst,
                      const address_facts& facts) {
    const audit_verdict softened = reads_pageable_ ? std::min(worst, audit_verdict::possible) : worst;
    if (facts.storage == host_storage::stack || facts.storage == host_storage::other ||
        facts.storage == host_storage::static_storage) {
      // Structs have padding and unused members, where the caller's stack leaves what it held: not told from pointers.
      if (worst == audit_verdict::possible) {
        ++result_.counts.host_words_in_structs;
        return;
      }
      const bool stack = facts.storage == host_storage::stack;
      const audit_verdict verdict = stack ? worst : softened;
      if (facts.storage == host_storage::static_storage && reads_pageable_)
        return count_pointer(audit_verdict::ok);
      count_pointer(verdict);
      audit_finding& f = add(stack ? "stack-pointer" : "host-pointer", verdict, at,
                             stack ? "the graph holds a pointer into the stack"
                                   : "the graph holds a pointer to pageable host memory",
                             stack ? "stack" : "host");
      f.lines.emplace_back(
          "means", reads_pageable_ ? "this device reads pageable memory: legal only while the memory is there"
                                   : "this device cannot read pageable memory");
      f.lines.emplace_back("fix", "pass device memory, or pinned memory that lives as long as the graph");
      return;
    }
    if (value < lowest_certain_address || value % certain_alignment != 0 || !near_cuda_memory(value)) return;
    count_pointer(softened);
    audit_finding& f =
        add("dangling-pointer", softened, at, "the graph holds a pointer that no live allocation backs",
            "near " + detail::hex(value >> 21U));
    f.lines.emplace_back("found", "an address among those of live allocations, in none of them");
    if (softened != worst)
      f.lines.emplace_back(
          "means", "only possible: this device reads pageable memory, where any mapped address is legal");
    f.lines.emplace_back(
        "fix", "keep the buffer alive as long as the graph; register it, so that its name stands here");
  }

  const graph_snapshot& graph_;
  memory_lookup lookup_;
  audit_options options_;
  const kernel_name_patterns& names_;
  std::unordered_map<std::uint64_t, const known_word*> recorded_;
  std::set<std::uint64_t> digests_;
  std::vector<std::uint64_t> cuda_addresses_;
  std::vector<own_allocation> own_;
  std::set<std::uint64_t> freed_;
  bool reads_pageable_ = false;
  audit_verdict node_ = audit_verdict::ok;
  audit_result result_;
};

}  // namespace

audit_result audit(const graph_snapshot& graph, const known_memory& known, const audit_options& options) {
  return auditor(graph, known, options).run();
}

std::vector<known_word> record_owners(const graph_snapshot& graph, const known_memory& known) {
  const memory_lookup lookup(known);
  std::map<std::uint64_t, known_word> words;
  const auto record = [&](std::uint64_t value) {
    const known_range* range = value < lowest_address ? nullptr : lookup.find(value);
    if (range != nullptr) words.emplace(value, known_word{value, range->name, range->generation});
  };
  visit_nodes(graph.root, [&](const std::string&, const graph_node& n) {
    if (n.kernel) {
      for (const parameter_word& word : words_of(n.kernel->packed, 0)) record(word.value);
      for (const kernel_parameter& p : n.kernel->parameters) {
        for (const parameter_word& word : words_of(p.bytes, p.offset)) record(word.value);
      }
    }
    if (n.copy) {
      record(n.copy->from.address);
      record(n.copy->to.address);
    }
    if (n.fill) record(n.fill->address);
    if (n.host_call) record(n.host_call->user_data);
    for (const memory_operation& op : n.operations) record(op.address);
  });
  std::vector<known_word> out;
  for (auto& [value, word] : words) out.push_back(std::move(word));
  return out;
}

void attribute(graph_snapshot& snapshot, const std::vector<boundary_span>& spans) {
  for (const boundary_span& span : spans) {
    for (std::size_t i = span.first; i < span.last && i < snapshot.root.nodes.size(); ++i) {
      snapshot.root.nodes[i].boundary = span.boundary;
    }
  }
}

}  // namespace v1
}  // namespace stridelock
