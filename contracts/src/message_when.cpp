// The field `when`: which branch was taken and why, what it does about the fault, and what the others would do.
#include "message_writer.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

std::string message_writer::basis_text(evidence how, std::string_view where) {
  std::string out = "(" + std::string(to_string(how));
  if (!where.empty()) out += ", " + std::string(where);
  return out + ")";
}

std::string_view message_writer::consequence(const violation& v) const {
  switch (v.kind) {
    case violation_kind::row_pitch:
    case violation_kind::row_overlap:
      return "rows from 1 on";
    case violation_kind::type:
      return "all values";
    case violation_kind::extent:
    case violation_kind::rank:
      return "elements out of place";
    default:
      return "elements";
  }
}

std::string message_writer::what_it_does(const violation& v, bool taken) const {
  if (v.how == evidence::unchecked) {
    return "does not check: " + std::string(consequence(v)) + (taken ? " are wrong" : " would be wrong");
  }
  return (taken ? "refuses " : "refuses too ") + basis_text(v.how, v.where);
}

std::string message_writer::all_conditions() const {
  std::string out;
  for (const contract_view& b : data_.branches) {
    if (!out.empty()) out += std::string(";") + std::string(next_line);
    const std::string conditions = conditions_text(b, false);
    out += quoted(b.kernel) + " takes " + (conditions.empty() ? "every call" : conditions);
  }
  return out;
}

std::string message_writer::when(const violation& v) const {
  if (v.kind == violation_kind::argument_count) return "always";
  if (data_.branch < 0 || v.kind == violation_kind::undecided) return all_conditions();
  std::string out;
  const contract_view& taken = *branch();
  const std::string conditions = conditions_text(taken, true);
  if (taken.kind == branch_kind::otherwise) {
    out = "no other branch applies, refused by design (" + std::string(taken.kernel) + ")";
  } else if (taken.kind == branch_kind::refusal) {
    out = conditions + " is refused by design (" + std::string(taken.kernel) + ")";
  } else {
    out = (conditions.empty() ? "every call" : conditions) + " takes " + quoted(taken.kernel) + ", which " +
          what_it_does(v, true);
  }
  if (data_.depends_on_parameter) out += " (the worst of the values of its parameters)";
  for (const other_branch& other : data_.others) {
    const contract_view& b = data_.branches[static_cast<std::size_t>(other.branch)];
    if (b.kind != branch_kind::kernel) continue;
    out += std::string(";") + std::string(next_line) + quoted(b.kernel);
    const std::string other_conditions = conditions_text(b, false);
    if (!other_conditions.empty()) out += " (" + other_conditions + ")";
    out += other.result == verdict::ok ? " would accept it" : " " + what_it_does(other.first, false);
  }
  return out;
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
