#include "analyzer/solve/interpreter.h"
#include "stridelock/requirement_text.h"

namespace stridelock::solve {

using ir::expr_op;

// A text that cannot be read asks nothing; checks::run_checks reports it.
std::vector<ir::predicate> layouts_in(std::string_view contract) {
  std::vector<ir::predicate> out;
  const stridelock::requirement_text_result read = stridelock::parse_requirement_text(contract);
  if (!read.ok) return out;
  for (int k = 0; k < read.value.requirement_count; ++k) {
    switch (read.value.requirements[k].what) {
      // The strides of extents of 1 are not tracked: canonical is asked as dense.
      case stridelock::notion::dense:
      case stridelock::notion::canonical:
        out.push_back(ir::predicate::contiguous);
        break;
      case stridelock::notion::inner_contiguous:
        out.push_back(ir::predicate::inner_contiguous);
        break;
      case stridelock::notion::row_pitched:
        out.push_back(ir::predicate::row_pitched);
        break;
      case stridelock::notion::permutation_dense:
        out.push_back(ir::predicate::permutation_dense);
        break;
      default:
        break;  // not judged yet
    }
  }
  return out;
}

std::string named_function(const ir::function& f) {
  std::string s = f.signature.str();
  constexpr std::string_view lambda = " (lambda)";
  if (s.size() > lambda.size() && s.compare(s.size() - lambda.size(), lambda.size(), lambda) == 0)
    s.resize(s.size() - lambda.size());
  return s;
}

std::string interpreter::words(term_id conjunction) {
  std::string out;
  for (term_id a : graph_.children(conjunction)) {
    if (graph_.kind(a) == term_kind::unknown) continue;
    if (!out.empty()) out += " and ";
    out += describe(graph_, a, &function_);
  }
  return out;
}

void interpreter::demand(const state& s, requirement r, term_id formula, term_id guard,
                         const ir::location& where, const std::string& callee, const std::string& spelling,
                         bool may) {
  if (formula == no_term) return;
  formula = layout_formula(graph_, graph_.strip(formula));
  const term t = graph_.at(formula);
  // Each part of a conjunction is asked for itself; a disjunction asks its layout side where the other fails.
  if (t.kind == term_kind::operation && static_cast<expr_op>(t.op) == expr_op::logical_and) {
    demand(s, r, graph_.child(formula, 0), guard, where, callee, spelling, may);
    demand(s, r, graph_.child(formula, 1), guard, where, callee, spelling, may);
    return;
  }
  if (t.kind == term_kind::operation && static_cast<expr_op>(t.op) == expr_op::logical_or) {
    const term_id a = graph_.child(formula, 0);
    const term_id b = graph_.child(formula, 1);
    const bool a_layout = mentions_layout(graph_, a);
    const bool b_layout = mentions_layout(graph_, b);
    if (a_layout != b_layout) {
      const term_id asked = a_layout ? a : b;
      const term_id other = a_layout ? b : a;
      demand(s, r, asked, graph_.conjunction_of(guard, graph_.conjunction({graph_.negate(other)})), where,
             callee, spelling, may);
      return;
    }
  }
  const auto alternatives = graph_.alternatives(formula);
  if (alternatives.size() > 1) {
    // An alternative without a condition of its own (an element among others, one of several callees) may not be it.
    for (const auto& a : alternatives)
      demand_one(s, r, a.value, graph_.conjunction_of(guard, a.guard), where, callee, spelling,
                 may || graph_.children(a.guard).empty());
    return;
  }
  demand_one(s, std::move(r), formula, guard, where, callee, spelling, may);
}

void interpreter::demand_one(const state& s, requirement r, term_id formula, term_id guard,
                             const ir::location& where, const std::string& callee,
                             const std::string& spelling, bool may) {
  r.may = r.may || may;
  r.about_layout = mentions_layout(graph_, formula);
  r.about_metadata = mentions_tensor(graph_, formula);
  // What a call answers is no demand on the arguments.
  if (!r.about_layout && !r.about_metadata && graph_.kind(formula) == term_kind::result) return;
  assumptions known = s.known;
  judge here(graph_, s.known);
  const tri guard_holds = here.holds_all(guard);
  if (guard_holds == tri::no) return;
  known.add(graph_, guard);
  judge there(graph_, known);
  const tri holds = there.holds(formula);
  if (holds == tri::yes) return;
  if (holds == tri::no && r.about_layout) {
    const term_id subject = tensor_of(graph_, formula);
    if (subject == no_term) return;
    const layout_verdict v = there.layout(subject);
    disagreement d;
    d.asked = r;
    d.is_member = r.formula != no_term && field_read(graph_, tensor_of(graph_, r.formula)) != no_term;
    d.formula = formula;
    d.tensor = subject;
    // Formulas speak of bare values; how the value got here is on what the call passes.
    if (r.carried != no_term)
      for (const auto& a : graph_.alternatives(r.carried))
        if (graph_.strip(a.value) == graph_.strip(subject)) d.tensor = a.value;
    d.culprit = v.culprit;
    d.guard_proved = guard_holds == tri::yes;
    d.may = r.may || v.may;
    if (!d.guard_proved) {
      // Only what is not known anyway is worth saying.
      std::vector<term_id> open;
      for (term_id a : graph_.children(guard))
        if (here.holds(a) != tri::yes) open.push_back(a);
      d.when = words(graph_.conjunction(std::move(open)));
    }
    d.where = where;
    d.function = named_function(function_);
    d.callee = callee;
    d.spelling = spelling;
    d.context = &function_;
    report_.disagreements.push_back(std::move(d));
    return;
  }
  if (holds == tri::no) return;  // sizes that do not fit are not ours

  // A tensor is named where it is first read from a field: there a finding stands if nobody else decides.
  const bool named_before =
      r.formula != no_term && field_read(graph_, tensor_of(graph_, r.formula)) != no_term;
  if (!named_before) {
    r.anchor = where;
    r.anchor_function = named_function(function_);
    r.anchor_callee = callee;
    r.anchor_spelling = spelling;
  }
  r.carried = no_term;
  r.formula = formula;
  r.context = &function_;
  // What is known here anyway need not be asked of callers.
  std::vector<term_id> open;
  for (term_id a : graph_.children(guard))
    if (!s.known.contains(a) || rooted_in_parameter(graph_, a)) open.push_back(a);
  r.guard = graph_.conjunction(std::move(open));
  if (rooted_in_parameter(graph_, formula)) {
    if (report_.result.requirements.size() >= most_requirements) {
      ++report_.limits_hit;
      return;
    }
    for (const requirement& o : report_.result.requirements)
      if (o.formula == r.formula && o.guard == r.guard && o.where == r.where && o.how == r.how) return;
    report_.result.requirements.push_back(std::move(r));
  } else if (r.about_layout && field_read(graph_, tensor_of(graph_, formula)) != no_term) {
    report_.open_requirements.push_back(std::move(r));
  }
}

// The side of a branch that must stop is the failing side of a check.
void interpreter::check_branch(const state& s, ir::block_id b) {
  const auto* branch = std::get_if<ir::branch>(&function_.blocks[b].end);
  if (!branch || flow_.successors[b].size() != 2) return;
  const bool true_stops = flow_.must_stop[flow_.successors[b][0]];
  const bool false_stops = flow_.must_stop[flow_.successors[b][1]];
  if (true_stops == false_stops) return;
  const term_id condition = graph_.strip(value(s, branch->condition));
  if (condition == no_term || std::holds_alternative<ir::none>(branch->condition)) return;
  requirement r;
  r.how = evidence::checked;
  r.where = function_.blocks[b].where;
  r.consumer = function_.signature.str();
  const term_id formula = true_stops ? graph_.negate(condition) : condition;
  r.fact = describe(graph_, formula, &function_);
  const term_id subject = tensor_of(graph_, layout_formula(graph_, formula));
  r.subject = subject == no_term ? "" : describe(graph_, subject, &function_);
  r.path.push_back({r.where, "the program stops here unless " + r.fact});
  demand(s, std::move(r), formula, block_guard(b), function_.blocks[b].where, "", "", false);
}

}  // namespace stridelock::solve
