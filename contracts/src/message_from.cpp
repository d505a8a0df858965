// The fields `got` and `from`: what was passed, and how it was cut out of its buffer.
#include "message_writer.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

std::string message_writer::got(const violation& v) const {
  if (v.kind == violation_kind::argument_count) return number(v.found) + " arguments";
  if (v.argument < 0) return symbols_text();
  if (v.kind == violation_kind::missing) return "nothing";
  if (v.kind == violation_kind::malformed && tensor(v.argument).from().refusal != step_refusal::none)
    return "no view";
  if (v.kind == violation_kind::malformed) return "rank " + number(v.found);
  return text_of(tensor(v.argument));
}

bool message_writer::about_layout(const violation& v) {
  switch (v.kind) {
    case violation_kind::layout:
    case violation_kind::row_pitch:
    case violation_kind::row_overlap:
    case violation_kind::permutation:
    case violation_kind::aligned_rows:
    case violation_kind::stride:
      return true;
    default:
      return false;
  }
}

std::string message_writer::from(const violation& v) const {
  if (v.kind == violation_kind::argument_count) return "the call";
  if (v.argument < 0) return "the extents of its arguments";
  const tensor_desc& t = tensor(v.argument);
  const provenance& p = t.from();
  if (!data_.arguments[static_cast<std::size_t>(v.argument)].is_present || !p.known()) return "not recorded";

  // For a layout fact only the steps that lost something matter: rows of a dense buffer are not at fault.
  const bool lossy_only = about_layout(v);
  const view_step* told[provenance::capacity];
  int told_count = 0;
  layout_facts facts;
  facts.dense = to_tri(is_dense({p.root_rank, p.root_extents, p.root_strides}));
  for (int i = 0; i < p.kept_steps(); ++i) {
    const layout_facts next = after(p.steps[i].what, facts);
    const bool lossy = p.steps[i].what != operation::rows && p.steps[i].what != operation::identity &&
                       p.steps[i].what != operation::select_first;
    if (!lossy_only || lossy || next.dense != facts.dense) told[told_count++] = &p.steps[i];
    facts = next;
  }

  bool one_line = true;  // all steps on the same source line: say it once, at the end
  for (int i = 1; i < told_count; ++i)
    one_line = one_line && told[i]->where.line == told[0]->where.line &&
               told[i]->where.file.view() == told[0]->where.file.view();
  const auto line_text = [](const view_step& s) {
    if (s.where.line == 0) return std::string();
    return " (" + std::string(s.where.file.view()) + ":" + number(s.where.line) + ")";
  };

  std::string out;
  if (p.refusal > step_refusal::no_buffer) {
    out = text_of(p.refused) + line_text(p.refused) + " of ";
    one_line = false;
  }
  for (int i = told_count - 1; i >= 0; --i) {  // the last step first, as one reads "columns of rows of x"
    out += text_of(*told[i]);
    if (!one_line) out += line_text(*told[i]);
    out += " of ";
  }
  if (p.step_count > provenance::capacity) {
    out = "later steps (" + number(p.step_count - provenance::capacity) + " not kept) of " + out;
  }
  out += quoted(p.root.view()) + " " + tuple(p.root_rank, [&](int i) { return p.root_extents[i]; });
  if (p.root_line.line != 0)
    out += " at " + std::string(p.root_line.file.view()) + ":" + number(p.root_line.line);
  if (one_line && told_count > 0) out += line_text(*told[0]);
  if (v.kind == violation_kind::row_pitch) {
    out += told_count > 0 ? " keep its row pitch of " + number(v.found)
                          : ", whose row pitch is " + number(v.found);
  }
  return out;
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
