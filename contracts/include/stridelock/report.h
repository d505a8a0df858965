// report.h: what an evaluation found, as data.
//
// Promises:  complete: every violation of the call, the branch taken, the value and origin of every symbol, a copy of
//            every argument's description. Moving and destroying never throw. The report of a
//            call that is fine holds nothing. Nothing in it refers to the arguments; it refers to the contract, which is a constant.
// Does not:  contain text: message.h writes it. If memory ran out, the verdict stands and incomplete() is true.
#pragma once

#include <cstdint>
#include <string_view>

#include "stridelock/contract.h"
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
  guard,      // index of the guard
  no_kernel,  // the branch is a refusal
  uncovered,  // no branch applies
  ambiguous,  // found, needed: the two branches that apply
  undecided,  // index of the condition that could not be decided
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
  std::int8_t other = -1;   // argument that bound the symbol, or whose device differs
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

namespace detail {
struct report_data;
}

class report {
 public:
  report() noexcept = default;
  report(report&& other) noexcept;
  report& operator=(report&& other) noexcept;
  report(const report&) = delete;
  report& operator=(const report&) = delete;
  ~report();

  verdict result() const noexcept { return result_; }
  bool ok() const noexcept { return result_ == verdict::ok; }
  explicit operator bool() const noexcept { return ok(); }
  bool incomplete() const noexcept { return incomplete_; }

  int size() const noexcept;
  const violation& operator[](int i) const noexcept;
  const violation* begin() const noexcept;
  const violation* end() const noexcept;
  // The violation a reader should see first: the first silent one, or else the first.
  int headline() const noexcept;

  // The branch taken; its name is empty if the call is fine or no branch applies.
  std::string_view branch() const noexcept;
  int symbol_count() const noexcept;
  const symbol_value& symbol(int i) const noexcept;
  // Facts that the contract states and that nothing here could judge (stability without a registry).
  int unevaluated() const noexcept;
  // The verdict is not the same for every value of the library's parameters.
  bool depends_on_parameter() const noexcept;

  const detail::report_data* data() const noexcept { return data_; }

 private:
  friend struct detail::report_data;
  detail::report_data* data_ = nullptr;
  verdict result_ = verdict::ok;
  bool incomplete_ = false;
};

}  // namespace v1
}  // namespace stridelock
