#include <algorithm>

#include "analyzer/solve/interpreter.h"

namespace stridelock::solve {

void interpreter::effect(const state& s, capture_effect e) {
  if (!recording_) return;
  if (e.guard == no_term) e.guard = block_guard(current_);
  if (e.function.empty()) e.function = named_function(function_);
  if (s.capture.suspended) return;
  judge j(graph_, s.known);
  if (j.holds_all(e.guard) == tri::no) return;
  // Only matters while capturing: a path that says otherwise, of whatever stream, is exempt.
  auto denies_capture = [&](term_id atom) {
    const term& a = graph_.at(atom);
    if (a.kind != term_kind::operation || static_cast<ir::expr_op>(a.op) != ir::expr_op::logical_not)
      return false;
    const term& tested = graph_.at(graph_.child(atom, 0));
    return tested.kind == term_kind::test &&
           static_cast<ir::predicate>(tested.op) == ir::predicate::is_capturing;
  };
  const auto& known_here = s.known.formulas();
  if (std::any_of(known_here.begin(), known_here.end(), denies_capture)) return;
  const auto guards = graph_.children(e.guard);
  if (std::any_of(guards.begin(), guards.end(), denies_capture)) return;

  const bool resolved_region = e.status != capture_status::inherited;
  if (!resolved_region) {
    switch (s.capture.status) {
      case capture_status::inherited:
        break;
      case capture_status::ended:
        return;
      case capture_status::inside:
      case capture_status::maybe:
        e.status = s.capture.status;
        e.region = s.capture.region;
        break;
    }
  }
  if (e.what == capture_effect::kind::invoke) {
    // A callable whose body is known here: its effects happen in the invoker's region.
    bool known_body = false;
    for (const auto& a : graph_.alternatives(e.subject)) {
      const term_id f = graph_.strip(a.value);
      if (graph_.kind(f) != term_kind::closure && graph_.kind(f) != term_kind::function) continue;
      for (function_index body : in_.whole.bodies(graph_.at(f).first, unit_)) {
        known_body = true;
        const summary* inner = in_.summary_of(body);
        if (!inner || !inner->solved) continue;
        struct captured final : term_graph::substitution {
          interpreter& self;
          const state& memory;
          term_id closure;
          captured(interpreter& i, const state& m, term_id c) : self(i), memory(m), closure(c) {}
          term_id parameter_value(std::uint32_t k) override {
            return k == 0 ? closure : self.unknown(&self.function_, 5, "argument of a callable");
          }
          term_id parameter_address(std::uint32_t) override { return no_term; }
          term_id read(term_id location) override { return self.read(memory, location); }
        } with(*this, s, f);
        for (const capture_effect& inside : inner->effects) {
          if (inside.status != capture_status::inherited) continue;
          capture_effect up = inside;
          up.subject = up.subject == no_term ? no_term : graph_.substitute(up.subject, with);
          up.copy_term = up.copy_term == no_term ? no_term : graph_.substitute(up.copy_term, with);
          up.guard = graph_.conjunction_of(graph_.substitute(up.guard, with), e.guard);
          up.status = e.status;
          up.region = e.region;
          up.path.insert(up.path.begin(), e.path.begin(), e.path.end());
          up.path.insert(up.path.begin() + static_cast<std::ptrdiff_t>(e.path.size()),
                         {e.where, "runs the callable it was given"});
          if (up.path.size() > most_path_steps) {
            ++report_.limits_hit;
            continue;
          }
          effect(s, std::move(up));
        }
      }
    }
    if (known_body) return;
    if (!rooted_in_parameter(graph_, e.subject)) return;
  } else if (e.status != capture_status::inherited) {
    capture_hit hit;
    hit.region = e.region;
    hit.may = e.may || e.status == capture_status::maybe;
    assumptions known = s.known;
    known.add(graph_, e.guard);
    judge there(graph_, known);
    if (e.subject != no_term) {
      const layout_verdict v = there.layout(e.subject);
      hit.source_dense = v.facts.dense;
      hit.culprit = v.culprit;
    }
    if (j.holds_all(e.guard) != tri::yes) {
      std::vector<term_id> open;
      for (term_id a : graph_.children(e.guard))
        if (j.holds(a) != tri::yes) open.push_back(a);
      hit.when = words(graph_.conjunction(std::move(open)));
    }
    hit.context = &function_;
    hit.effect = std::move(e);
    report_.capture_hits.push_back(std::move(hit));
    return;
  }
  if (report_.result.effects.size() >= most_effects) {
    ++report_.limits_hit;
    return;
  }
  for (const capture_effect& o : report_.result.effects)
    if (o.what == e.what && o.where == e.where && o.subject == e.subject && o.guard == e.guard &&
        o.status == e.status)
      return;
  report_.result.effects.push_back(std::move(e));
}

}  // namespace stridelock::solve
