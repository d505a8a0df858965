// report.h: what an evaluation found, as data.
//
// Promises:  complete: every violation of the call, the branch taken, the value and origin of every symbol, a copy of
//            every argument's description. Moving and destroying never throw. The report of a
//            call that is fine holds nothing. Nothing in it refers to the arguments; it refers to the contract, which is a constant.
//            It can be handed to code that was linked with another copy of this library: its maker frees and writes it.
// Does not:  contain text: message.h writes it. If memory ran out, the verdict stands and incomplete() is true.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "stridelock/contract.h"
#include "stridelock/descriptor.h"
#include "stridelock/tensor_desc.h"

namespace stridelock {
inline namespace v1 {

// In rising order of harm. A kernel that assumes what nobody tests gives wrong numbers, which is worse than a refusal.
enum class verdict : std::uint8_t { ok, no_kernel, refused, silent };

constexpr std::string_view to_string(verdict v) {
  switch (v) {
    case verdict::ok:
      return "ok";
    case verdict::no_kernel:
      return "no kernel";
    case verdict::refused:
      return "refused";
    case verdict::silent:
      return "silent";
  }
  return {};
}

enum class violation_kind : std::uint8_t {
  argument_count,  // found, needed
  missing,         // a required argument is absent
  malformed,       // rank outside 0..8, or no extents
  type,
  rank,             // found; the contract has the set
  device,           // not the device of argument `other`, or of the wrong kind
  negative_extent,  // dim, found
  not_addressable,  // element count or reach does not fit into 64 bits
  null_data,
  extent,           // dim, found, needed; other, other_dim: where the symbol was bound
  stride,           // likewise
  overflow,         // an expression of the contract does not fit into 64 bits
  packed_stride,    // sub-byte values: stride of the last dimension must be 1
  layout,           // notion, and the first stride that breaks it: dim, found, needed
  row_pitch,        // dense rows were asked for: found and needed pitch
  row_overlap,      // pitch smaller than the row: found, needed
  permutation,      // elements, span
  overlap,          // two elements share an address
  overlap_unknown,  // it could not be proved that none do
  aligned,          // found: bytes past the multiple; needed: the multiple
  aligned_rows,     // found: pitch in bytes; needed: multiple
  index_bits,       // found: span; needed: bits
  stable,
  read_only,
  guard,          // index of the guard
  no_kernel,      // the branch is a refusal
  uncovered,      // no branch applies
  ambiguous,      // found, needed: the two branches that apply
  undecided,      // index of the condition that could not be decided
  shared_memory,  // it has bytes in common with `other`; found: bytes from the base of that to its own
  shared_memory_unknown,  // whether it has could not be decided
  other_memory,           // it must be the memory of `other`, and is not
  other_memory_unknown,   // whether it is could not be decided
  descriptor,             // no tiled tensor map can be made: fault, dim, found, needed
  active_extent,          // more is said to hold data than there is: dim, found, needed
  reads_beyond,  // the tile goes beyond the view: dim; found: columns read; needed: columns of the view
  stale_read,    // columns are read that do not hold what they must: dim; found: active; needed: read
};

struct violation {
  violation_kind kind = violation_kind::missing;
  evidence how = evidence::declared;
  notion what = notion::dense;
  bool is_consequence = false;  // follows from another one: its symbol was already violated
  std::int8_t argument = -1;    // -1: none
  std::int8_t dim = -1;
  std::int8_t symbol = -1;  // of the branch
  std::int8_t index = -1;   // of the guard or condition
  std::int8_t other = -1;   // argument that bound the symbol, whose device differs, or that shares memory
  descriptor_fault_kind fault = descriptor_fault_kind::none;
  index_t found = 0;
  index_t needed = 0;
  std::string_view where{};  // evidence: file:line
};

struct symbol_value {
  std::string_view name{};
  bool bound = false;
  bool by_stride = false;
  std::int8_t argument = -1;  // where it was bound
  std::int8_t dim = -1;
  index_t value = 0;
};

class report;

namespace detail {

struct report_data;

// The part of a report that other copies of the library read: plain data, and the functions of the copy that made it.
struct report_head {
  report_data* data = nullptr;
  void (*destroy)(report_head* head) noexcept = nullptr;
  std::size_t (*write)(const report& r, char* to, std::size_t capacity) noexcept = nullptr;
  const violation* violations = nullptr;
  const symbol_value* symbols = nullptr;
  std::string_view branch{};
  std::int32_t violation_count = 0;
  std::int32_t headline = 0;
  std::int32_t symbol_count = 0;
  std::int32_t unevaluated = 0;
  bool depends_on_parameter = false;
  device where{};
};

}  // namespace detail

class report {
 public:
  report() noexcept = default;
  report(report&& other) noexcept
      : head_(other.head_), result_(other.result_), incomplete_(other.incomplete_) {
    other.forget();
  }
  report& operator=(report&& other) noexcept {
    if (this != &other) {
      release();
      head_ = other.head_;
      result_ = other.result_;
      incomplete_ = other.incomplete_;
      other.forget();
    }
    return *this;
  }
  report(const report&) = delete;
  report& operator=(const report&) = delete;
  ~report() { release(); }

  verdict result() const noexcept { return result_; }
  bool ok() const noexcept { return result_ == verdict::ok; }
  explicit operator bool() const noexcept { return ok(); }
  bool incomplete() const noexcept { return incomplete_; }

  int size() const noexcept { return head_ == nullptr ? 0 : head_->violation_count; }
  const violation& operator[](int i) const noexcept { return head_->violations[i]; }
  const violation* begin() const noexcept { return head_ == nullptr ? nullptr : head_->violations; }
  const violation* end() const noexcept { return begin() + size(); }
  // The violation a reader should see first: the first silent one, or else the first.
  int headline() const noexcept { return head_ == nullptr ? 0 : head_->headline; }

  // The branch taken; its name is empty if the call is fine or no branch applies.
  std::string_view branch() const noexcept { return head_ == nullptr ? std::string_view() : head_->branch; }
  int symbol_count() const noexcept { return head_ == nullptr ? 0 : head_->symbol_count; }
  const symbol_value& symbol(int i) const noexcept { return head_->symbols[i]; }
  // Facts that the contract states and that nothing here could judge (stability without a registry).
  int unevaluated() const noexcept { return head_ == nullptr ? 0 : head_->unevaluated; }
  // The verdict is not the same for every value of the library's parameters.
  bool depends_on_parameter() const noexcept { return head_ != nullptr && head_->depends_on_parameter; }
  // The device of the call: of the first argument that lives on one with an ordinal of its own. Kind none if there is
  // none, and where the report holds nothing.
  device where() const noexcept { return head_ == nullptr ? device() : head_->where; }

  // For the writer of messages in the copy of the library that made this report.
  const detail::report_data* data() const noexcept { return head_ == nullptr ? nullptr : head_->data; }
  const detail::report_head* head() const noexcept { return head_; }
  static report adopt(detail::report_head* head, verdict result, bool incomplete) noexcept {
    report r;
    r.head_ = head;
    r.result_ = result;
    r.incomplete_ = incomplete;
    return r;
  }

 private:
  void forget() noexcept {
    head_ = nullptr;
    result_ = verdict::ok;
    incomplete_ = false;
  }
  void release() noexcept {
    if (head_ != nullptr) head_->destroy(head_);
  }

  detail::report_head* head_ = nullptr;
  verdict result_ = verdict::ok;
  bool incomplete_ = false;
};

}  // namespace v1
}  // namespace stridelock
