#include "analyzer/solve/solve.h"

#include <algorithm>
#include <map>

#include "analyzer/solve/call_graph.h"
#include "analyzer/solve/entry_points.h"
#include "analyzer/solve/interpret.h"
#include "analyzer/solve/judge.h"

namespace stridelock::solve {
namespace {

constexpr std::size_t most_writers = 16;

// Rebuilds `whole` with one term in the place of another.
term_id replaced(term_graph& graph, term_id whole, term_id from, term_id to) {
  struct replacement final : term_graph::substitution {
    term_graph& graph;
    explicit replacement(term_graph& g) : graph(g) {}
    term_id parameter_value(std::uint32_t k) override { return graph.parameter(k); }
    term_id parameter_address(std::uint32_t k) override { return graph.parameter_location(k); }
    term_id read(term_id location) override {
      // Nothing was stored: the object as it was.
      const term t = graph.at(location);
      switch (static_cast<location_kind>(t.op)) {
        case location_kind::global:
          return graph.global(t.first);
        case location_kind::pointee:
          return graph.deref(graph.child(location, 0));
        case location_kind::parameter:
          return graph.parameter(static_cast<std::uint32_t>(t.number));
        case location_kind::part:
          return graph.project(read(graph.child(location, 0)), graph.child(location, 1));
        case location_kind::local:
          break;
      }
      return graph.fresh("local");
    }
  } with(graph);
  with.done.emplace(from, to);
  return graph.substitute(whole, with);
}

struct field_key {
  ir::name record;
  ir::name field;
  auto operator<=>(const field_key& o) const {
    if (record != o.record)
      return record < o.record ? std::strong_ordering::less : std::strong_ordering::greater;
    if (field != o.field) return field < o.field ? std::strong_ordering::less : std::strong_ordering::greater;
    return std::strong_ordering::equal;
  }
  bool operator==(const field_key&) const = default;
};

// A store of a value whose layout is known to lack something, under its own conditions.
struct narrowed_store {
  const field_write* write = nullptr;
  term_id value = no_term;
  term_id guard = no_term;
  term_id culprit = no_term;
};

// The first few for each field: one witness is enough to report, a hub field must not cost its square.
std::map<field_key, std::vector<narrowed_store>> narrowed_stores(solution& out,
                                                                 const std::vector<field_write>& writes) {
  term_graph& graph = out.graph;
  std::map<field_key, std::vector<narrowed_store>> by_field;
  for (const field_write& w : writes) {
    if (w.value == no_term) continue;
    for (const auto& a : graph.alternatives(w.value)) {
      const term_id guard = graph.conjunction_of(w.guard, a.guard);
      assumptions known;
      known.add(graph, guard);
      judge j(graph, known);
      if (j.holds_all(guard) == tri::no) continue;
      const layout_verdict v = j.layout(a.value);
      if (v.culprit == no_term) continue;
      auto& list = by_field[{w.record, w.field}];
      if (list.size() < most_writers)
        list.push_back({&w, a.value, guard, v.culprit});
      else
        ++out.limits_hit;
    }
  }
  return by_field;
}

// Pairs what is asked of a field with what is stored in it anywhere in the program.
void join_fields(solution& out, const std::vector<requirement>& asked,
                 const std::vector<field_write>& writes) {
  term_graph& graph = out.graph;
  const auto by_field = narrowed_stores(out, writes);
  if (by_field.empty()) return;
  for (const requirement& r : asked) {
    const term_id read = field_read(graph, tensor_of(graph, r.formula));
    if (read == no_term) continue;
    const term& step = graph.at(graph.child(read, 1));
    auto it = by_field.find({step.first, step.second});
    if (it == by_field.end()) continue;
    for (const narrowed_store& store : it->second) {
      if (exclude_each_other(graph, store.guard, r.guard)) continue;
      const term_id formula = replaced(graph, r.formula, read, store.value);
      assumptions known;
      known.add(graph, store.guard);
      judge j(graph, known);
      if (j.holds(formula) != tri::no) continue;
      disagreement d;
      d.asked = r;
      d.asked.may = true;
      d.formula = formula;
      d.tensor = tensor_of(graph, formula);
      if (graph.strip(store.value) == graph.strip(d.tensor)) d.tensor = store.value;
      d.culprit = j.layout(d.tensor).culprit;
      if (d.culprit == no_term) continue;
      d.guard_proved = graph.children(r.guard).empty();
      d.may = true;
      for (term_id atom : graph.children(r.guard)) {
        if (graph.kind(atom) == term_kind::unknown) continue;
        if (!d.when.empty()) d.when += " and ";
        d.when += describe(graph, atom, r.context);
      }
      d.where = r.anchor;
      d.function = r.anchor_function;
      d.callee = r.anchor_callee;
      d.spelling = r.anchor_spelling;
      d.context = store.write->context;
      out.disagreements.push_back(std::move(d));
    }
  }
}

}  // namespace

std::unique_ptr<solution> solve(const program& whole, const solve_options& options) {
  auto out = std::make_unique<solution>();
  const std::size_t n = whole.functions().size();
  out->summaries.resize(n);
  out->entry_points = entry_points(whole);
  const call_graph calls = build_call_graph(whole);
  const std::function<const summary*(function_index)> summary_of = [&](function_index f) {
    return out->summaries[f].solved ? &out->summaries[f] : nullptr;
  };
  std::vector<requirement> open;
  std::vector<field_write> writes;
  auto run = [&](function_index f, bool keep) {
    const ir::function& function = *whole.functions()[f];
    const bool assumed = options.assume_capture && options.assume_capture(function);
    function_report report = interpret({out->graph, whole, f, summary_of, assumed});
    out->summaries[f] = std::move(report.result);
    if (!keep) return;
    auto append = [](auto& to, auto& from) {
      to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    };
    append(out->disagreements, report.disagreements);
    append(out->capture_hits, report.capture_hits);
    append(open, report.open_requirements);
    append(writes, report.field_writes);
    out->limits_hit += report.limits_hit;
    out->unknown_calls += report.unknown_calls;
  };
  for (const auto& component : calls.components) {
    const bool recursive =
        component.size() > 1 || std::binary_search(calls.callees[component[0]].begin(),
                                                   calls.callees[component[0]].end(), component[0]);
    if (recursive)
      for (function_index f : component) run(f, false);
    for (function_index f : component) run(f, true);
  }
  // What a function without a caller asks of a field of its parameters is decided by whoever stores that field.
  for (function_index f = 0; f < n; ++f) {
    if (calls.has_caller[f]) continue;
    for (const requirement& r : out->summaries[f].requirements)
      if (r.about_layout && field_read(out->graph, tensor_of(out->graph, r.formula)) != no_term)
        open.push_back(r);
  }
  join_fields(*out, open, writes);

  for (const ir::unit& u : whole.units())
    for (const ir::function& f : u.functions)
      for (const ir::block& b : f.blocks)
        for (const ir::instruction& i : b.body)
          if (std::holds_alternative<ir::unknown>(i.what)) ++out->unknown_instructions;
  return out;
}

}  // namespace stridelock::solve
