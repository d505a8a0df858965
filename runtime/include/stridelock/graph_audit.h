// graph_audit.h: is everything that a captured graph reads and writes still there, and does somebody own it?
//
// Promises:  pure functions over a snapshot and over what the caller knows about memory: same input, same answer, no
//            device. Every pointer gets one verdict, and what was not understood is counted in the summary: kernels
//            without a parameter layout, opaque tensor maps, pointers behind pointers, graphs that could not be opened.
// Does not:  see memory contents, so no pointer stored in device memory; nor anything the snapshot does not hold.
//            A word inside a by-value struct is never more than *possible*: sizes, seeds and packed fields look alike.
// Cost:      cold; allocates.
//
//   known_memory known;
//   known.ranges.push_back({"kv_pool", begin, bytes, generation});
//   const audit_result result = audit(taken, known);
//   if (result.worst() == audit_verdict::violated) log(result.text());
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stridelock/graph_snapshot.h"

namespace stridelock {
inline namespace v1 {

enum class memory_role : std::uint8_t {
  persistent,     // a registered buffer
  graph_private,  // allocated from this capture's pool: lives as long as the graph
  segment,        // what an allocator took from the driver; its blocks, where listed, say what is in use
  block,          // a block of a segment
  host_buffer,    // host memory that the owner keeps alive and refills
  static_host,    // host memory that is there as long as the program
};

struct known_range {
  std::string name{};
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t generation = 0;
  memory_role role = memory_role::persistent;
  bool live = true;
  bool holds_pointers = false;  // its contents are addresses: a second level that no scan sees
};

// A word that was recorded when the graph was captured: an address with its owner, or a scalar (no owner).
struct known_word {
  std::uint64_t value = 0;
  std::string owner{};
  std::uint64_t generation = 0;
  std::string boundary{};                    // whose launches got the scalar; empty: not known
  std::optional<std::uint32_t> parameter{};  // of their kernels, where known
};

// A by-value struct or tensor map whose bytes were recorded when it was made. Vouches for the bytes, not for memory that
// they point to.
struct known_digest {
  std::uint64_t digest = 0;
  std::string name{};
};
std::uint64_t digest_of(const std::uint8_t* bytes, std::size_t count) noexcept;  // FNV-1a, 64 bits

struct known_memory {
  std::vector<known_range> ranges{};
  std::vector<known_word> words{};
  std::vector<known_digest> digests{};
};

enum class audit_verdict : std::uint8_t { ok, unknown, possible, violated };  // in this order
std::string_view name_of(audit_verdict verdict) noexcept;
std::string_view name_of(memory_role role) noexcept;

// Parts of kernel names, demangled. Data, so that a project adds its own.
struct kernel_name_patterns {
  std::vector<std::string>
      framework_copies{};                     // what .contiguous(), copy_ and dtype conversions leave behind
  std::vector<std::string> pointer_arrays{};  // kernels that are handed arrays of pointers
};
const kernel_name_patterns& usual_kernel_names();

struct audit_options {
  const graph_snapshot* at_capture = nullptr;   // the same graph as read right after capture
  const kernel_name_patterns* names = nullptr;  // null: usual_kernel_names()
};

struct audit_finding {
  std::string code{};  // "audit/dangling-pointer"
  audit_verdict verdict = audit_verdict::violated;
  std::string node{};  // path: "3", "2.body0.1"
  std::string kernel{};
  std::optional<std::uint32_t> parameter{};
  std::uint64_t offset = 0;  // of the word inside the parameter
  std::string boundary{};
  std::string cause{};  // findings with equal code and cause are one mistake seen several times
  std::string headline{};
  std::vector<std::pair<std::string, std::string>> lines{};  // label and text: "fix", "pass …"
};

struct audit_counts {
  std::size_t nodes[4]{};     // by verdict
  std::size_t pointers[4]{};  // by verdict; words of parameters, sides of copies, targets of fills
  std::size_t kernels = 0;
  std::size_t owner_unknown = 0;          // live, but no memory was declared known
  std::size_t not_answered = 0;           // the driver could not be asked about the address
  std::size_t host_words_in_structs = 0;  // host addresses inside structs: left-overs or pointers, not judged
  std::size_t layout_unknown = 0;
  std::size_t second_level = 0;
  std::size_t opaque = 0;  // tensor maps without a recorded digest
  std::size_t bodies_unknown = 0;
  std::size_t unread = 0;  // nodes with parts that could not be read or are not there, or of an unknown type
  std::size_t nothing_to_judge =
      0;  // nodes that hold no address: empty, events, semaphores, parents of graphs
};

struct audit_result {
  std::vector<audit_finding> findings{};  // in the order of nodes
  audit_counts counts{};

  audit_verdict worst() const noexcept;
  bool understood_nothing() const noexcept;  // no node that holds addresses got another verdict than unknown
  std::string summary() const;               // one line
  std::string text() const;                  // findings, each mistake once, then the summary
  std::string json() const;
};

audit_result audit(const graph_snapshot& graph, const known_memory& known, const audit_options& options = {});

// What the addresses of a graph belong to right now, to be kept as known_memory::words and compared at a later audit.
std::vector<known_word> record_owners(const graph_snapshot& graph, const known_memory& known);

// Nodes [first, last) of the root were launched by this boundary.
struct boundary_span {
  std::string boundary{};
  std::size_t first = 0;
  std::size_t last = 0;
};
void attribute(graph_snapshot& snapshot, const std::vector<boundary_span>& spans);

}  // namespace v1
}  // namespace stridelock
