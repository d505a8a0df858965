// Writes a report as text. Private to the library; one file for each concern:
//   message_values.cpp   names, expressions and conditions with their values
//   message_fact.cpp     the headline
//   message_from.cpp     got, from
//   message_when.cpp     when
//   message_fix.cpp      fix; which repairs are really valid is decided in repair.h
//   message.cpp          the whole, and the table that opens several violations
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "report_data.h"
#include "text.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

inline constexpr std::string_view next_line = "\n        ";

class message_writer {
 public:
  explicit message_writer(const report& r) : report_(r), data_(*r.data()) {}

  std::string write() const;

 private:
  // ---- names and values
  const contract_view* branch() const;
  const argument& declaration(int i) const;
  const tensor_desc& tensor(int i) const { return data_.arguments[static_cast<std::size_t>(i)].tensor; }
  static std::string dim_text(std::string_view what, int dim) {
    return std::string(what) + "[" + number(dim) + "]";
  }
  std::string argument_name(int i) const;
  std::string path(const symbol_value& s) const;
  expression_value value(const expression& e) const;
  static std::string formula(const expression& e);
  std::string formula_and_value(const expression& e) const;
  std::string parameter_source(const expression& e) const;
  static std::string_view sign(comparison how);
  static std::string text_of_capability(capability c);
  std::string condition_text(const condition& c, bool with_values) const;
  std::string conditions_text(const contract_view& b, bool with_values) const;
  std::string known_values(const condition& c) const;
  std::string types_text(const argument& a) const;
  std::string symbols_text() const;

  // ---- fact
  const expression& violated_expression(const violation& v) const;
  std::string needed_text(const violation& v) const;
  static std::string ranks_text(std::uint16_t ranks);
  static std::string distance_text(const violation& v);
  std::string layout_fact(const violation& v) const;
  std::string descriptor_fact(const violation& v) const;
  std::string stale_fact(const violation& v) const;
  std::string fact(const violation& v) const;
  std::string headline(const violation& v) const;

  // ---- from
  std::string got(const violation& v) const;
  static bool about_layout(const violation& v);
  std::string from(const violation& v) const;

  // ---- when
  static std::string basis_text(evidence how, std::string_view where);
  std::string_view consequence(const violation& v) const;
  std::string what_it_does(const violation& v, bool taken) const;
  std::string all_conditions() const;
  std::string when(const violation& v) const;

  // ---- fix
  std::string fix(const violation& v) const;
  std::string layout_fix(const violation& v) const;
  std::string stale_fix(const violation& v) const;
  std::string rewritten_text(const violation& v, const tensor_desc& repaired) const;
  std::string full_rows_text(const violation& v, const tensor_desc& rows) const;
  std::string reshaped_text(const violation& v) const;
  std::string nearest_branch_text(const violation& v) const;
  std::string not_contiguous(const violation& v) const;
  static std::string copy_text(const tensor_desc& copy);
  // ---- the whole
  std::string block(const violation& v) const;
  std::string table() const;
  std::string shown(std::size_t i) const;

  const report& report_;
  const report_data& data_;
};

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
