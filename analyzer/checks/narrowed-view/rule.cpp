// narrowed-view: a visible view that lost a layout reaches a consumer that needs it.
//
// Reads the disagreements of the solver whose value was made by a view in the program. Grading: `error` where consumer
// and producer are both certain; `warning` where the requirement holds only under a condition, the value comes through
// a join, or nobody looks (the pointer goes on without its stride).
#include <algorithm>
#include <map>
#include <tuple>

#include "analyzer/checks/checks.h"
#include "analyzer/checks/history.h"
#include "analyzer/checks/words.h"
#include "analyzer/report/fingerprint.h"

namespace stridelock::checks {

using report::finding;
using report::severity;
using solve::disagreement;
using solve::evidence;

namespace {

severity grade(const disagreement& d) {
  if (d.asked.how == evidence::unchecked) return severity::warning;
  return d.guard_proved && !d.may ? severity::error : severity::warning;
}

// Refused first, then silent; certain before conditional.
int rank(const disagreement& d) {
  return (grade(d) == severity::error ? 0 : 2) + (d.asked.how == evidence::unchecked ? 1 : 0);
}

}  // namespace

void narrowed_view(const solve::solution& solved, std::vector<finding>& out) {
  // One finding for each value at one place, however many branches behind it object.
  std::map<std::tuple<std::string, std::uint32_t, std::uint32_t, solve::term_id, std::string>,
           std::vector<const disagreement*>>
      groups;
  for (const disagreement& d : solved.disagreements) {
    if (d.culprit == solve::no_term || solved.graph.kind(d.culprit) != solve::term_kind::view) continue;
    groups[{d.where.file.str(), d.where.line, d.where.column, d.culprit, d.callee}].push_back(&d);
  }
  for (auto& [key, all] : groups) {
    std::stable_sort(all.begin(), all.end(),
                     [](const disagreement* a, const disagreement* b) { return rank(*a) < rank(*b); });
    const disagreement& lead = *all.front();
    finding f;
    f.check = "narrowed-view";
    f.level = grade(lead);
    f.where = lead.where;
    f.function = lead.function;

    const std::string what =
        lead.spelling.empty() ? solve::describe(solved.graph, lead.tensor, lead.context) : lead.spelling;
    f.message = "'" + what + (lead.is_member ? "' holds " : "' is ") +
                describe_view(solved.graph, lead.culprit, lead.context);
    if (lead.asked.how == evidence::unchecked)
      f.message += ", and its pointer goes to '" + plain_name(lead.asked.consumer) +
                   "' with sizes and no stride: rows after the first would be read from the wrong place";
    else if (lead.callee.empty())
      f.message += ", but " + needed(solved.graph, lead.formula, lead.asked.fact) + " is required here";
    else
      f.message += ", and reaches '" + plain_name(lead.asked.consumer) + "', which needs " +
                   needed(solved.graph, lead.formula, lead.asked.fact);
    if (!lead.when.empty()) f.message += ", when " + lead.when;
    for (const disagreement* d : all)
      if (d->asked.how == evidence::unchecked && lead.asked.how != evidence::unchecked) {
        f.message += (d->when.empty() ? std::string("; elsewhere") : "; when " + d->when) +
                     " nobody looks, and rows after the first would be wrong";
        break;
      }

    f.trace = history(solved.graph, lead.tensor, lead.culprit, lead.context);
    for (const disagreement* d : all)
      for (const report::trace_step& s : d->asked.path)
        if (!(s.where == f.where && s.message.starts_with("passed ")) &&
            std::find(f.trace.begin(), f.trace.end(), s) == f.trace.end())
          f.trace.push_back(s);
    if (lead.may)
      f.trace.push_back(
          {lead.where, "may: the value and its use are joined through a field or several callees"});
    f.fingerprint = report::fingerprint({.check = f.check,
                                         .function = f.function,
                                         .callee = lead.callee,
                                         .parameter = lead.asked.subject,
                                         .expression = what});
    out.push_back(std::move(f));
  }
}

}  // namespace stridelock::checks
