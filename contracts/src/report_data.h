// What a report holds. Private to the library: the evaluator fills it, the message writer reads it.
#pragma once

#include <array>
#include <vector>

#include "stridelock/evaluate.h"
#include "stridelock/report.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

// The same call, judged by a branch that was not taken: what would happen there.
struct other_branch {
  int branch = 0;
  verdict result = verdict::ok;
  violation first{};
  std::uint32_t failing = 0;  // bit i: condition i does not hold, or cannot be decided
  int failing_count = 0;
};

struct argument_copy {
  bool is_present = false;
  std::int32_t rank_given = 0;
  tensor_desc tensor{};
};

struct report_data {
  report_head head;  // what the report shows of the rest; filled by `attach`
  // Copied, so that the view objects need not outlive the report; what they point to is constant.
  std::string_view name;
  std::vector<contract_view> branches;
  std::vector<library_parameter> parameters;
  std::vector<index_t> parameter_values;  // under which this is the verdict
  capability device_capability{};
  std::vector<parameter_value> given_parameters;  // by the context, instead of declared values
  bool without_data = false;

  int branch = -1;
  std::vector<violation> violations;
  int headline = 0;
  std::array<symbol_value, 16> symbols{};
  int symbol_count = 0;
  int unevaluated = 0;
  bool depends_on_parameter = false;
  std::vector<argument_copy> arguments;
  std::vector<other_branch> others;

  // Hands the data to a report. From here on it does not change.
  static void attach(report& to, report_data* data, verdict result) noexcept;
  static void attach_incomplete(report& to, verdict result) noexcept {
    to = report::adopt(nullptr, result, true);
  }
};

// The five fields, as write_text promises them. Reports that hold nothing are written elsewhere.
std::size_t write_message(const report& r, char* to, std::size_t capacity) noexcept;

// The value of an expression under the symbols and parameters of a branch.
struct expression_value {
  bool known = false;
  bool fits = true;  // false: does not fit into 64 bits
  index_t value = 0;
};
// With the symbol or parameter at `base`.
inline expression_value value_at(const expression& e, index_t base) {
  checked result = checked(base) * checked(e.multiple) + checked(e.added);
  if (e.rounded_to != 1) result = round_up(result, e.rounded_to);
  return {true, result.ok, result.value};
}
expression_value value_of(const expression& e, const symbol_value* symbols, int symbol_count,
                          const std::vector<library_parameter>& parameters,
                          const std::vector<index_t>& values);

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
