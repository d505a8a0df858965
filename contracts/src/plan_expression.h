// Expressions of a preflight plan, compiled to a small stack program. Private to the library.
//
// Promises:  evaluation neither allocates nor wraps; what has no value (an overflow, a division by zero, nothing in a table that is large
//            enough) is `false`, and `reason` says why.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stridelock/preflight.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

// Thrown while a plan is compiled; the entry points return it.
struct plan_error {
  std::string message;
  std::string where;  // the text it is about
};

using sorted_table = std::shared_ptr<const std::vector<index_t>>;

// Names that an expression may use: slots of variables, and tables.
struct plan_names {
  std::vector<std::string> slots;  // 0: capability
  bool has_capability = false;     // the plan names some: else slot 0 has no value
  const std::vector<plan_table>* tables = nullptr;
  // Of `tables`, in their order; made where an expression first uses one, shared by all that do.
  mutable std::vector<sorted_table> sorted{};
};

// Slots as bits.
using slot_mask = std::uint64_t;
inline constexpr std::size_t most_slots = 64;

class plan_expression {
 public:
  plan_expression() = default;  // has no value: see empty()
  static plan_expression compile(std::string_view text, const plan_names& names);
  // The same, and it must be a comparison: a number alone is a mistake.
  static plan_expression compile_condition(std::string_view text, const plan_names& names);
  // Compiles a prefix of `rest`, which is cut off: for the arguments of a view's steps.
  static plan_expression compile_prefix(std::string_view& rest, std::string_view whole,
                                        const plan_names& names);

  bool empty() const { return code_.empty(); }
  bool value(const index_t* slots, index_t& out) const {
    if (code_.size() != 1) return run(slots, out) == nullptr;
    out = code_[0].what == operation::slot ? slots[code_[0].number] : code_[0].number;
    return true;
  }
  slot_mask slots_used() const {
    slot_mask used = 0;
    for (const step& s : code_)
      if (s.what == operation::slot) used |= slot_mask{1} << s.number;
    return used;
  }
  // Why there is no value; only after value() said so.
  std::string reason(const index_t* slots) const;
  const std::string& text() const { return text_; }

  enum class operation : std::uint8_t {
    number,
    slot,
    add,
    subtract,
    multiply,
    divide,
    remainder,
    ceil_div,
    round_up,
    min,
    max,
    pow2,
    next_in,
    next_in_unit,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal
  };
  struct step {
    operation what = operation::number;
    index_t number = 0;     // or the slot
    std::size_t table = 0;  // of tables_
  };

 private:
  friend class plan_expression_parser;
  const char* run(const index_t* slots, index_t& out) const;  // null: it has a value

  std::vector<step> code_;
  std::vector<sorted_table> tables_;
  std::string text_;
};

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
