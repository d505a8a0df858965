// unchecked-pointer: the raw pointer of a parameter goes to a consumer that reads densely, and nobody asked for the
// layout on the way.
//
// Reads what an entry point asks of its parameters without checking it. Always a `note`: nothing is known about the
// producer. A caller in the program that is known to pass a view that is not dense is a finding of narrowed-view at
// that call, and a caller that checks, or passes what is dense, leaves nothing to ask.
#include <algorithm>
#include <map>
#include <tuple>

#include "analyzer/checks/checks.h"
#include "analyzer/checks/words.h"
#include "analyzer/report/fingerprint.h"
#include "analyzer/solve/interpret.h"

namespace stridelock::checks {

using report::finding;
using report::severity;
using solve::evidence;
using solve::requirement;
using solve::term_id;
using solve::term_kind;

namespace {

// The parameter a tensor was reached through; no_term if it was not.
term_id root_of(const solve::term_graph& graph, term_id tensor) {
  for (int steps = 0; steps < 16; ++steps) {
    const term_kind k = graph.kind(tensor);
    if (k == term_kind::parameter) return tensor;
    if (k != term_kind::deref && k != term_kind::project && k != term_kind::via) break;
    tensor = graph.child(tensor, 0);
  }
  return solve::no_term;
}

// A check on the same execution refuses what this one would read wrongly: loud, not silent.
bool is_refused_anyway(const solve::term_graph& graph, const solve::summary& of, const requirement& r) {
  return std::any_of(of.requirements.begin(), of.requirements.end(), [&](const requirement& q) {
    return q.how == evidence::checked && q.formula == r.formula &&
           (q.guard == r.guard || graph.children(q.guard).empty());
  });
}

std::string condition(const solve::term_graph& graph, const requirement& r) {
  std::string out;
  for (term_id atom : graph.children(r.guard)) {
    if (graph.kind(atom) == term_kind::unknown) continue;
    if (!out.empty()) out += " and ";
    out += solve::describe(graph, atom, r.context);
  }
  return out;
}

}  // namespace

void unchecked_pointer(const solve::solution& solved, std::vector<finding>& out) {
  const solve::term_graph& graph = solved.graph;
  // One finding for each parameter of each function, however many launches; instantiations are one function.
  std::map<std::tuple<std::string, std::uint32_t, std::uint32_t, std::string>,
           std::vector<const requirement*>>
      groups;
  for (std::size_t f = 0; f < solved.summaries.size(); ++f) {
    if (!solved.entry_points[f]) continue;
    for (const requirement& r : solved.summaries[f].requirements) {
      if (!r.of_pointer || !r.about_layout || r.how == evidence::checked) continue;
      const term_id tensor = solve::tensor_of(graph, r.formula);
      // Who stores a field decides about it, not who passes the object.
      if (tensor == solve::no_term || solve::field_read(graph, tensor) != solve::no_term) continue;
      if (root_of(graph, tensor) == solve::no_term || is_refused_anyway(graph, solved.summaries[f], r))
        continue;
      const ir::location& at = r.context->where;
      groups[{at.file.str(), at.line, at.column, solve::describe(graph, tensor, r.context)}].push_back(&r);
    }
  }
  for (auto& [key, all] : groups) {
    // What is known of the consumer first; then what happens on every execution.
    std::stable_sort(all.begin(), all.end(), [&](const requirement* a, const requirement* b) {
      const auto rank = [&](const requirement* r) {
        return (r->how == evidence::declared ? 0 : 2) + (graph.children(r->guard).empty() ? 0 : 1);
      };
      return rank(a) < rank(b);
    });
    const requirement& lead = *all.front();
    const std::string& what = std::get<3>(key);
    finding f;
    f.check = "unchecked-pointer";
    f.level = severity::note;
    f.where = lead.anchor;
    f.function = lead.anchor_function;
    f.message = "the pointer of '" + what + "' goes to '" + plain_name(lead.consumer) + "'";
    if (lead.how == evidence::declared)
      f.message += ", which needs " + needed(graph, lead.formula, lead.fact);
    else
      f.message += " with sizes and no stride";
    const std::string when = condition(graph, lead);
    if (!when.empty()) f.message += ", when " + when;
    f.message += "; nobody checks the layout, and a strided view would be read as dense";

    const auto index =
        static_cast<std::size_t>(graph.at(root_of(graph, solve::tensor_of(graph, lead.formula))).number);
    if (index < lead.context->params.size() && lead.context->params[index].where.line != 0)
      f.trace.push_back({lead.context->params[index].where,
                         "'" + what + "' comes from outside the program: its layout is unknown"});
    for (const requirement* r : all)
      for (const report::trace_step& s : r->path)
        if (std::find(f.trace.begin(), f.trace.end(), s) == f.trace.end()) f.trace.push_back(s);
    f.trace.push_back({lead.anchor, "check the layout of '" + what +
                                        "' before the first use, or pass its strides with the pointer"});
    f.fingerprint = report::fingerprint({.check = f.check,
                                         .function = f.function,
                                         .callee = lead.anchor_callee,
                                         .parameter = lead.subject,
                                         .expression = what});
    out.push_back(std::move(f));
  }
}

}  // namespace stridelock::checks
