#include "analyzer/solve/interpret.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>

#include "analyzer/solve/control.h"

namespace stridelock::solve {
namespace {

using ir::expr_op;

template <class... F>
struct overloaded : F... {
  using F::operator()...;
};
template <class... F>
overloaded(F...) -> overloaded<F...>;

constexpr std::size_t most_requirements = 128;
constexpr std::size_t most_effects = 128;
constexpr std::size_t most_path_steps = 8;
constexpr std::size_t most_guard_atoms = 8;
constexpr int visits_before_widening = 2;
constexpr int visits_at_most = 6;

struct capture_state {
  capture_status status = capture_status::inherited;
  capture_region region;
  std::vector<std::pair<capture_status, capture_region>> saved;  // what an end restores
  bool suspended = false;
  bool operator==(const capture_state&) const = default;
};

struct state {
  bool reached = false;
  std::map<term_id, term_id> memory;
  assumptions known;
  capture_state capture;
  bool operator==(const state&) const = default;
};

bool is_layout_text(std::string_view word, ir::predicate& what) {
  if (word == "contiguous" || word == "dense") return what = ir::predicate::contiguous, true;
  if (word == "inner_contiguous") return what = ir::predicate::inner_contiguous, true;
  if (word == "row_pitched") return what = ir::predicate::row_pitched, true;
  if (word == "permutation_dense") return what = ir::predicate::permutation_dense, true;
  return false;
}

std::vector<ir::predicate> layouts_in(std::string_view contract) {
  std::vector<ir::predicate> out;
  while (!contract.empty()) {
    const std::size_t end = contract.find(';');
    std::string_view word = contract.substr(0, end);
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    ir::predicate what{};
    if (is_layout_text(word, what)) out.push_back(what);
    if (end == std::string_view::npos) break;
    contract.remove_prefix(end + 1);
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

class interpreter final {
 public:
  explicit interpreter(const interpretation_input& in)
      : in_(in),
        graph_(in.graph),
        function_(*in.whole.functions()[in.index]),
        unit_(in.whole.unit_of(in.index)) {}

  function_report run();

 private:
  // ---- memory
  term_id initial(term_id location);
  term_id read(const state& s, term_id location);
  term_id read_without_parts(const state& s, term_id location);
  void write(state& s, term_id location, term_id value);
  void forget(state& s, term_id location);
  term_id locate(const state& s, const ir::place& p);
  term_id value(const state& s, const ir::operand& o);
  term_id tensor(const state& s, const ir::operand& o);
  void set(ir::value_id id, term_id v);
  // An unknown value that is the same at every visit.
  term_id unknown(const void* cause, std::uint64_t detail, std::string_view reason);

  // ---- control
  state join(const std::vector<std::pair<state, ir::block_id>>& in, ir::block_id at);
  term_id edge_condition(ir::block_id from, std::uint32_t successor);
  term_id block_guard(ir::block_id b);
  void run_block(state& s, ir::block_id b);
  void execute(state& s, const ir::instruction& i);

  // ---- calls
  struct actual {
    term_id raw = no_term;     // as passed
    term_id object = no_term;  // the object behind a reference
    const ir::argument* argument = nullptr;
    ir::location where;  // the call's, if the argument has none
  };
  struct target {
    const ir::function* declaration = nullptr;
    const summary* known = nullptr;
    term_id closure = no_term;
  };
  void call(state& s, const ir::instruction& i, const ir::call& c);
  void apply(state& s, const ir::instruction& i, const std::vector<actual>& args, const target& to, bool may,
             std::vector<term_graph::alternative>& results);
  void external(state& s, const ir::instruction& i, const ir::call& c, std::vector<actual>& args);
  void invoke(state& s, const ir::instruction& i, term_id callable, std::string_view by);
  void pointer_uses(state& s, const ir::instruction& i, const ir::call& c, const std::vector<actual>& args,
                    const std::vector<bool>& declared);
  std::vector<target> targets_of(const state& s, const ir::call& c, const std::vector<actual>& args,
                                 bool& complete);

  // ---- recording
  void demand(const state& s, requirement r, term_id formula, term_id guard, const ir::location& where,
              const std::string& callee, const std::string& spelling, bool may);
  void demand_one(const state& s, requirement r, term_id formula, term_id guard, const ir::location& where,
                  const std::string& callee, const std::string& spelling, bool may);
  void check_branch(const state& s, ir::block_id b);
  void effect(const state& s, capture_effect e);
  void declared_parameters();

  bool never_returns(const ir::instruction& i) const;
  std::string words(term_id conjunction);

  const interpretation_input& in_;
  term_graph& graph_;
  const ir::function& function_;
  std::uint32_t unit_;
  control_flow flow_;
  std::vector<term_id> values_;
  std::vector<state> in_state_;
  std::vector<state> out_state_;
  std::vector<int> visits_;
  std::vector<term_id> guard_memo_;
  std::map<std::pair<const void*, std::uint64_t>, term_id> unknowns_;
  bool recording_ = false;
  ir::block_id current_ = 0;
  function_report report_;
  std::vector<term_graph::alternative> returned_;
};

// ---- memory ----------------------------------------------------------------------------------------------------

term_id interpreter::initial(term_id location) {
  const term t = graph_.at(location);
  switch (static_cast<location_kind>(t.op)) {
    case location_kind::local:
      return unknown(&function_, location, "not initialised");
    case location_kind::parameter:
      return graph_.parameter(static_cast<std::uint32_t>(t.number));
    case location_kind::global:
      return graph_.global(t.first);
    case location_kind::pointee:
      return graph_.deref(graph_.child(location, 0));
    case location_kind::part:
      return graph_.project(initial(graph_.child(location, 0)), graph_.child(location, 1));
  }
  return unknown(&function_, 0, "location");
}

term_id interpreter::unknown(const void* cause, std::uint64_t detail, std::string_view reason) {
  auto [it, fresh] = unknowns_.emplace(std::pair{cause, detail}, no_term);
  if (fresh) it->second = graph_.fresh(reason);
  return it->second;
}

term_id interpreter::read_without_parts(const state& s, term_id location) {
  if (auto it = s.memory.find(location); it != s.memory.end()) return it->second;
  const term t = graph_.at(location);
  if (static_cast<location_kind>(t.op) == location_kind::part) {
    const term_id whole = graph_.child(location, 0);
    const term_id step = graph_.child(location, 1);
    // An element that was never stored by its index may have been stored by another.
    if (static_cast<ir::step_kind>(graph_.at(step).op) == ir::step_kind::element) {
      ir::step any;
      any.kind = ir::step_kind::any_element;
      auto it = s.memory.find(graph_.part_location(whole, graph_.step(any)));
      if (it != s.memory.end()) return it->second;
    }
    return graph_.project(read_without_parts(s, whole), step);
  }
  if (static_cast<location_kind>(t.op) == location_kind::pointee) {
    const term_id p = graph_.child(location, 0);
    if (graph_.kind(p) == term_kind::one_of) {
      std::vector<term_graph::alternative> parts;
      for (const auto& a : graph_.alternatives(p))
        parts.push_back({read(s, graph_.pointee_location(a.value)), a.guard});
      return graph_.one_of(std::move(parts));
    }
  }
  return initial(location);
}

term_id interpreter::read(const state& s, term_id location) {
  term_id v = read_without_parts(s, location);
  // Parts stored since.
  std::set<term_id> parts;
  for (const auto& [key, stored] : s.memory) {
    term_id x = key;
    while (static_cast<location_kind>(graph_.at(x).op) == location_kind::part) {
      const term_id whole = graph_.child(x, 0);
      if (whole == location) {
        parts.insert(x);
        break;
      }
      x = whole;
    }
  }
  if (parts.empty()) return v;
  std::vector<term_id> pairs;
  for (term_id p : parts) {
    pairs.push_back(graph_.child(p, 1));
    pairs.push_back(read(s, p));
  }
  return graph_.aggregate(v, pairs);
}

void interpreter::write(state& s, term_id location, term_id v) {
  const term t = graph_.at(location);
  const auto kind = static_cast<location_kind>(t.op);
  if (kind == location_kind::pointee && graph_.kind(graph_.child(location, 0)) == term_kind::one_of) {
    for (const auto& a : graph_.alternatives(graph_.child(location, 0))) {
      const term_id l = graph_.pointee_location(a.value);
      write(s, l, graph_.one_of({{read(s, l), no_term}, {v, a.guard}}));
    }
    return;
  }
  if (kind == location_kind::part) {
    const term& step = graph_.at(graph_.child(location, 1));
    if (static_cast<ir::step_kind>(step.op) == ir::step_kind::any_element) {
      auto it = s.memory.find(location);
      if (it != s.memory.end()) v = graph_.one_of({{it->second, no_term}, {v, no_term}});
    }
  }
  forget(s, location);
  s.memory[location] = v;
}

// Drops what was stored in the location and its parts.
void interpreter::forget(state& s, term_id location) {
  for (auto it = s.memory.begin(); it != s.memory.end();) {
    bool below = it->first == location;
    term_id x = it->first;
    while (!below && static_cast<location_kind>(graph_.at(x).op) == location_kind::part) {
      x = graph_.child(x, 0);
      below = x == location;
    }
    it = below ? s.memory.erase(it) : std::next(it);
  }
}

term_id interpreter::locate(const state& s, const ir::place& p) {
  term_id at = no_term;
  switch (p.root) {
    case ir::root_kind::local:
      at = graph_.local_location(p.number);
      break;
    case ir::root_kind::param:
      at = graph_.parameter_location(p.number);
      break;
    case ir::root_kind::global:
      at = graph_.global_location(p.symbol);
      break;
    case ir::root_kind::value: {
      const term_id v = p.number < values_.size() && values_[p.number] != no_term
                            ? values_[p.number]
                            : unknown(&function_, 1, "not computed");
      at = graph_.pointee_location(v);
      break;
    }
  }
  bool first = true;
  for (ir::step step : p.path) {
    if (step.kind == ir::step_kind::deref) {
      at = graph_.pointee_location(read(s, at));
    } else {
      // What a lambda captured is named by the variable alone.
      if (first && function_.is_lambda && p.root == ir::root_kind::param && p.number == 0) step.record = {};
      at = graph_.part_location(at, graph_.step(step));
    }
    first = false;
  }
  return at;
}

term_id interpreter::value(const state& s, const ir::operand& o) {
  return std::visit(overloaded{
                        [](const ir::none&) { return no_term; },
                        [&](const ir::value_ref& v) {
                          if (v.id >= values_.size() || values_[v.id] == no_term)
                            return unknown(&function_, 1, "not computed");
                          return values_[v.id];
                        },
                        [&](const ir::integer& i) { return graph_.integer(i.number); },
                        [&](const ir::text& t) { return graph_.literal(t.content); },
                        [&](const ir::function_ref& f) { return graph_.function(f.symbol); },
                        [&](const ir::address_of& a) { return graph_.address(locate(s, a.where)); },
                    },
                    o);
}

// The object an operand means: read through a reference.
term_id interpreter::tensor(const state& s, const ir::operand& o) {
  if (const auto* a = std::get_if<ir::address_of>(&o)) return read(s, locate(s, a->where));
  const term_id v = value(s, o);
  const term_id plain = graph_.strip(v);
  if (graph_.kind(plain) == term_kind::address) return read(s, graph_.child(plain, 0));
  return v;
}

void interpreter::set(ir::value_id id, term_id v) {
  if (id == ir::no_value) return;
  if (id >= values_.size()) values_.resize(id + 1, no_term);
  values_[id] = v;
}

// ---- control ---------------------------------------------------------------------------------------------------

term_id interpreter::edge_condition(ir::block_id from, std::uint32_t successor) {
  const ir::block& block = function_.blocks[from];
  const state& s = out_state_[from];
  if (const auto* b = std::get_if<ir::branch>(&block.end)) {
    if (std::holds_alternative<ir::none>(b->condition)) return unknown(&block, 0, "condition");
    if (flow_.successors[from].size() < 2) return graph_.integer(1);
    const term_id c = graph_.strip(value(s, b->condition));
    return successor == 0 ? c : graph_.negate(c);
  }
  if (const auto* w = std::get_if<ir::switch_branch>(&block.end)) {
    if (successor >= w->cases.size()) return unknown(&block, 0, "condition");
    const term_id c = graph_.strip(value(s, w->condition));
    const ir::switch_case& taken = w->cases[successor];
    if (taken.values.empty()) {
      std::vector<term_id> none_of;
      for (const auto& other : w->cases)
        for (const auto& v : other.values) {
          if (none_of.size() >= most_guard_atoms) return unknown(&block, 1, "default of a large switch");
          none_of.push_back(graph_.operation(expr_op::ne, {c, graph_.integer(v.number)}));
        }
      return graph_.conjunction(std::move(none_of));
    }
    term_id any = no_term;
    for (const auto& v : taken.values) {
      const term_id one = graph_.operation(expr_op::eq, {c, graph_.integer(v.number)});
      any = any == no_term ? one : graph_.operation(expr_op::logical_or, {any, one});
    }
    return any;
  }
  return graph_.integer(1);
}

term_id interpreter::block_guard(ir::block_id b) {
  if (guard_memo_[b] != no_term) return guard_memo_[b];
  guard_memo_[b] = graph_.conjunction({});  // cuts cycles
  const auto& edges = flow_.depends_on[b];
  term_id g = graph_.conjunction({});
  if (edges.size() == 1) {
    g = graph_.conjunction_of(block_guard(edges[0].from), edge_condition(edges[0].from, edges[0].successor));
  } else if (edges.size() > 1) {
    // Several ways in: what they share, and that one of them was taken.
    std::vector<term_id> ways;
    for (const edge& e : edges)
      ways.push_back(graph_.conjunction_of(block_guard(e.from), edge_condition(e.from, e.successor)));
    std::vector<term_id> common(graph_.children(ways[0]).begin(), graph_.children(ways[0]).end());
    for (term_id w : ways) {
      std::vector<term_id> out;
      const auto c = graph_.children(w);
      std::set_intersection(common.begin(), common.end(), c.begin(), c.end(), std::back_inserter(out));
      common = std::move(out);
    }
    if (ways.size() <= 4) {
      term_id any = no_term;
      for (term_id w : ways) {
        term_id all = no_term;
        std::vector<term_id> own;
        const auto c = graph_.children(w);
        std::set_difference(c.begin(), c.end(), common.begin(), common.end(), std::back_inserter(own));
        for (term_id a : own) all = all == no_term ? a : graph_.operation(expr_op::logical_and, {all, a});
        if (all == no_term) all = graph_.integer(1);
        any = any == no_term ? all : graph_.operation(expr_op::logical_or, {any, all});
      }
      common.push_back(any);
    } else {
      common.push_back(unknown(&function_.blocks[b], 2, "one of several conditions"));
      if (recording_) ++report_.limits_hit;
    }
    g = graph_.conjunction(std::move(common));
  }
  if (graph_.children(g).size() > most_guard_atoms) {
    std::vector<term_id> some(graph_.children(g).begin(), graph_.children(g).begin() + most_guard_atoms - 1);
    some.push_back(unknown(&function_.blocks[b], 3, "further conditions"));
    g = graph_.conjunction(std::move(some));
  }
  guard_memo_[b] = g;
  return g;
}

state interpreter::join(const std::vector<std::pair<state, ir::block_id>>& in, ir::block_id at) {
  state out;
  std::vector<const state*> live;
  for (const auto& [s, from] : in)
    if (s.reached) live.push_back(&s);
  if (live.empty()) return out;
  if (live.size() == 1) return *live[0];
  out.reached = true;
  out.known = live[0]->known;
  for (const state* s : live) out.known.keep_common(s->known);
  out.capture = live[0]->capture;
  for (const state* s : live)
    if (!(s->capture == out.capture)) {
      if (out.capture.status != capture_status::inside && out.capture.status != capture_status::maybe)
        out.capture.region = s->capture.region;
      if (!(out.capture.status == s->capture.status && out.capture.region == s->capture.region))
        out.capture.status = capture_status::maybe;
      if (s->capture.saved.size() > out.capture.saved.size()) out.capture.saved = s->capture.saved;
    }
  std::set<term_id> keys;
  for (const state* s : live)
    for (const auto& [k, v] : s->memory) keys.insert(k);
  for (term_id k : keys) {
    bool same = true;
    term_id first = no_term;
    std::vector<term_graph::alternative> parts;
    for (const state* s : live) {
      auto it = s->memory.find(k);
      const term_id v = it != s->memory.end() ? it->second : read_without_parts(*s, k);
      if (first == no_term) first = v;
      same = same && v == first;
      // The alternative's own conditions: what holds on this path and not on all.
      std::vector<term_id> own;
      std::set_difference(s->known.formulas().begin(), s->known.formulas().end(),
                          out.known.formulas().begin(), out.known.formulas().end(), std::back_inserter(own));
      if (own.size() > 4) own.resize(4);
      parts.push_back({v, graph_.conjunction(std::move(own))});
    }
    out.memory[k] = same ? first : graph_.one_of(std::move(parts));
  }
  // Loops: what still changes is unknown.
  if (flow_.is_loop_head[at] && visits_[at] >= visits_before_widening) {
    const state& before = in_state_[at];
    for (auto& [k, v] : out.memory) {
      auto it = before.memory.find(k);
      if (it != before.memory.end() && it->second == v) continue;
      if (it != before.memory.end() && graph_.kind(it->second) == term_kind::unknown) {
        v = it->second;
        continue;
      }
      v = unknown(&function_.blocks[at], 16 + std::uint64_t{k}, "changes in a loop");
    }
  }
  return out;
}

void interpreter::run_block(state& s, ir::block_id b) {
  current_ = b;
  for (const ir::instruction& i : function_.blocks[b].body) execute(s, i);
}

bool interpreter::never_returns(const ir::instruction& i) const {
  const auto* c = std::get_if<ir::call>(&i.what);
  if (!c || c->kind == ir::call_kind::indirect || c->kind == ir::call_kind::virtual_) return false;
  const ir::function* d = in_.whole.declaration(c->symbol);
  if (d && d->is_noreturn) return true;
  const auto bodies = in_.whole.bodies(c->symbol, unit_);
  if (bodies.empty()) return false;
  for (function_index f : bodies) {
    const summary* known = in_.summary_of(f);
    if (!known || !known->never_returns) return false;
  }
  return true;
}

// ---- instructions ------------------------------------------------------------------------------------------------

void interpreter::execute(state& s, const ir::instruction& i) {
  std::visit(
      overloaded{
          [&](const ir::expr& e) {
            std::vector<term_id> c;
            for (const auto& o : e.operands) c.push_back(value(s, o));
            term_id v = no_term;
            if (e.op == expr_op::select && c.size() == 3) {
              const term_id condition = graph_.strip(c[0]);
              judge j(graph_, s.known);
              const tri known = j.holds(condition);
              v = known == tri::yes ? c[1]
                  : known == tri::no
                      ? c[2]
                      : graph_.one_of({{c[1], graph_.conjunction({condition})},
                                       {c[2], graph_.conjunction({graph_.negate(condition)})}});
            } else if (e.op == expr_op::aggregate) {
              std::vector<term_id> pairs;
              for (std::size_t k = 0; k < c.size() && k < e.fields.size(); ++k) {
                ir::step step;
                step.record = e.record;
                step.field = e.fields[k];
                pairs.push_back(graph_.step(step));
                pairs.push_back(c[k]);
                if (recording_)
                  report_.field_writes.push_back({e.record, e.fields[k], c[k], block_guard(current_), i.where,
                                                  named_function(function_), &function_});
              }
              v = graph_.aggregate(no_term, pairs);
            } else if (e.op == expr_op::floating) {
              v = unknown(&i, 0, "floating point");
            } else {
              v = graph_.operation(e.op, c);
            }
            set(e.result, v);
          },
          [&](const ir::load& l) { set(l.result, read(s, locate(s, l.from))); },
          [&](const ir::store& st) {
            const term_id at = locate(s, st.to);
            term_id v = value(s, st.what);
            if (v == no_term) v = unknown(&i, 0, "nothing stored");
            if (!st.to.path.empty() && st.to.path.back().kind == ir::step_kind::field) {
              const ir::step& f = st.to.path.back();
              const term_kind k = graph_.kind(graph_.strip(v));
              if (k == term_kind::view || k == term_kind::copy || k == term_kind::one_of ||
                  k == term_kind::pointer)
                v = graph_.via(v, "stored in '" + f.field.str() + "'", i.where);
              if (recording_)
                report_.field_writes.push_back({f.record, f.field, v, block_guard(current_), i.where,
                                                named_function(function_), &function_});
            }
            write(s, at, v);
          },
          [&](const ir::call& c) { call(s, i, c); },
          [&](const ir::closure& c) {
            std::vector<term_id> pairs;
            for (const ir::capture& k : c.captures) {
              ir::step step;
              step.field = k.variable;
              pairs.push_back(graph_.step(step));
              pairs.push_back(value(s, k.what));
            }
            set(c.result, graph_.closure(c.symbol, pairs));
          },
          [&](const ir::pointer_cast& p) { set(p.result, value(s, p.what)); },
          [&](const ir::index_use&) {},
          [&](const ir::scope_end&) {},
          [&](const ir::temporary_end&) {},
          [&](const ir::unused&) {},
          [&](const ir::unknown& u) { set(u.result, unknown(&i, 0, u.reason.view())); },
          [&](const ir::alloc& a) {
            const term_id like = std::holds_alternative<ir::none>(a.like) ? no_term : tensor(s, a.like);
            const term_id shape = std::holds_alternative<ir::none>(a.shape) ? no_term : tensor(s, a.shape);
            const term_id v = graph_.allocation(shape, like, i.where, a.label);
            set(a.result, v);
            capture_effect e;
            e.what = capture_effect::kind::allocate;
            e.subject = v;
            e.where = i.where;
            e.spelling = i.spelling.str();
            e.label = a.label.str();
            effect(s, std::move(e));
          },
          [&](const ir::view& v) {
            std::vector<term_id> args;
            for (const auto& o : v.args) args.push_back(value(s, o));
            std::vector<term_graph::alternative> parts;
            for (const auto& a : graph_.alternatives(tensor(s, v.base)))
              parts.push_back({graph_.view(v.op, a.value, args, i.where, i.spelling, v.label), a.guard});
            set(v.result, graph_.one_of(std::move(parts)));
          },
          [&](const ir::maycopy& m) {
            const term_id base = tensor(s, m.base);
            std::vector<term_graph::alternative> parts;
            for (const auto& a : graph_.alternatives(base))
              parts.push_back({graph_.copy(m.op, a.value, i.where, i.spelling, m.label), a.guard});
            const term_id v = graph_.one_of(std::move(parts));
            set(m.result, v);
            if (m.op == ir::copy_op::to) return;  // an alias unless something changes
            capture_effect e;
            e.what = capture_effect::kind::copy;
            e.subject = base;
            e.copy_term = v;
            e.where = i.where;
            e.spelling = i.spelling.str();
            e.label = m.label.str();
            effect(s, std::move(e));
          },
          [&](const ir::query& q) {
            set(q.result, graph_.query(q.op, tensor(s, q.base),
                                       std::holds_alternative<ir::none>(q.dim) ? no_term : value(s, q.dim)));
          },
          [&](const ir::test& t) {
            std::vector<term_id> c;
            for (const auto& o : t.operands) c.push_back(tensor(s, o));
            set(t.result, graph_.test(t.what, c));
          },
          [&](const ir::pointer& p) { set(p.result, graph_.pointer(tensor(s, p.base))); },
          [&](const ir::same& a) { set(a.result, value(s, a.of)); },
          [&](const ir::invoke& v) {
            set(v.result, unknown(&i, 0, "result of a callable"));
            if (!v.deferred) invoke(s, i, value(s, v.callable), v.label.view());
          },
          [&](const ir::effect& e) {
            capture_effect out;
            out.what = capture_effect::kind::api;
            out.api = e.op;
            out.where = i.where;
            out.spelling = i.spelling.str();
            out.label = e.label.str();
            effect(s, std::move(out));
          },
          [&](const ir::capture_event& c) {
            capture_state& now = s.capture;
            switch (c.op) {
              case ir::capture_op::begin:
                now.saved.emplace_back(now.status, now.region);
                now.status = capture_status::inside;
                now.region = {i.where, c.label, c.owner, c.mode, named_function(function_)};
                break;
              case ir::capture_op::end:
                if (!now.saved.empty()) {
                  std::tie(now.status, now.region) = now.saved.back();
                  now.saved.pop_back();
                } else {
                  now.status = capture_status::ended;
                }
                break;
              case ir::capture_op::suspend:
                now.suspended = true;
                break;
              case ir::capture_op::resume:
                now.suspended = false;
                break;
              case ir::capture_op::mode_push:
              case ir::capture_op::mode_pop:
                break;
            }
          },
      },
      i.what);
}

// ---- calls -------------------------------------------------------------------------------------------------------

std::vector<interpreter::target> interpreter::targets_of(const state& s, const ir::call& c,
                                                         const std::vector<actual>& args, bool& complete) {
  std::vector<target> out;
  complete = true;
  auto add_bodies = [&](const std::vector<function_index>& bodies, term_id closure) {
    for (function_index f : bodies) {
      const summary* known = in_.summary_of(f);
      out.push_back({in_.whole.functions()[f], known, closure});
    }
  };
  switch (c.kind) {
    case ir::call_kind::virtual_:
      add_bodies(in_.whole.overriders(c.symbol, unit_), no_term);
      break;
    case ir::call_kind::indirect: {
      const term_id callee = graph_.strip(value(s, c.target));
      for (const auto& a : graph_.alternatives(callee)) {
        const term_id f = graph_.strip(a.value);
        const term_kind k = graph_.kind(f);
        if (k == term_kind::function || k == term_kind::closure)
          add_bodies(in_.whole.bodies(graph_.at(f).first, unit_), k == term_kind::closure ? f : no_term);
        else
          complete = false;
      }
      break;
    }
    default:
      add_bodies(in_.whole.bodies(c.symbol, unit_), no_term);
      break;
  }
  (void)args;
  if (out.size() > 8) {
    if (recording_) ++report_.limits_hit;
    out.clear();
    complete = false;
  }
  return out;
}

void interpreter::call(state& s, const ir::instruction& i, const ir::call& c) {
  std::vector<actual> args;
  for (const ir::argument& a : c.args) {
    actual x;
    x.where = a.where.line != 0 ? a.where : i.where;
    x.raw = value(s, a.what);
    x.object = tensor(s, a.what);
    x.argument = &a;
    args.push_back(x);
  }
  bool complete = true;
  const std::vector<target> targets = targets_of(s, c, args, complete);

  // What is declared of the arguments, whether or not the body is known.
  const ir::function* declaration = in_.whole.declaration(c.symbol);
  std::vector<bool> declared(args.size(), false);
  auto declare = [&](std::size_t k, std::string_view contract, const ir::location& where,
                     const std::string& subject) {
    if (k >= args.size()) return;
    for (ir::predicate what : layouts_in(contract)) {
      declared[k] = true;
      if (!recording_) continue;
      requirement r;
      r.how = evidence::declared;
      r.about_layout = true;
      r.where = where;
      r.consumer = declaration ? declaration->signature.str() : c.callee.str();
      r.subject = subject;
      r.fact = std::string(contract);
      const std::array<term_id, 1> o{args[k].object};
      r.path.push_back({where, "'" + subject + "' is declared \"" + std::string(contract) + "\""});
      demand(s, r, graph_.test(what, o), block_guard(current_), args[k].where, c.callee.str(),
             args[k].argument->spelling.str(), false);
    }
  };
  if (declaration)
    for (std::size_t k = 0; k < declaration->params.size() && k < args.size(); ++k)
      if (!declaration->params[k].contract.empty())
        declare(k, declaration->params[k].contract.view(), declaration->params[k].where,
                declaration->params[k].variable.str());
  for (const requirement_row* row : in_.whole.requirements_of(c.callee.view())) {
    ir::location where;
    where.file = row->source;
    const std::size_t colon = row->source.rfind(':');
    if (colon != std::string::npos) {
      where.file = row->source.substr(0, colon);
      where.line = static_cast<std::uint32_t>(std::strtoul(row->source.c_str() + colon + 1, nullptr, 10));
      where.column = 1;
    }
    std::string subject = "argument " + std::to_string(row->argument);
    if (declaration && row->argument < declaration->params.size() &&
        !declaration->params[row->argument].variable.empty())
      subject = declaration->params[row->argument].variable.str();
    declare(row->argument, row->text, where, subject);
  }

  if (recording_) pointer_uses(s, i, c, args, declared);

  std::vector<term_graph::alternative> results;
  if (!targets.empty()) {
    const state before = s;
    std::vector<std::pair<state, ir::block_id>> after;
    bool first = true;
    for (const target& t : targets) {
      state branch = targets.size() == 1 && complete ? std::move(s) : before;
      apply(branch, i, args, t, targets.size() > 1, results);
      if (first)
        s = std::move(branch);
      else {
        // Joined without conditions: nobody knows which callee ran.
        after.clear();
        after.emplace_back(std::move(s), 0);
        after.emplace_back(std::move(branch), 0);
        state merged;
        merged.reached = true;
        merged.known = before.known;
        merged.capture = after[0].first.capture;
        if (!(after[1].first.capture == merged.capture)) merged.capture.status = capture_status::maybe;
        std::set<term_id> keys;
        for (const auto& [st, b] : after)
          for (const auto& [k, v] : st.memory) keys.insert(k);
        for (term_id k : keys)
          merged.memory[k] = graph_.one_of({{read_without_parts(after[0].first, k), no_term},
                                            {read_without_parts(after[1].first, k), no_term}});
        s = std::move(merged);
      }
      first = false;
    }
    if (!complete) results.push_back({unknown(&i, 1, "unknown callee"), no_term});
    set(c.result, results.empty() ? unknown(&i, 3, "no result") : graph_.one_of(std::move(results)));
    return;
  }
  external(s, i, c, args);
}

void interpreter::apply(state& s, const ir::instruction& i, const std::vector<actual>& args, const target& to,
                        bool may, std::vector<term_graph::alternative>& results) {
  const ir::function& callee = *to.declaration;
  // A call through a callable value passes no object argument.
  const std::size_t shift = to.closure != no_term && callee.params.size() == args.size() + 1 ? 1 : 0;
  struct into_caller final : term_graph::substitution {
    interpreter& self;
    const state& memory;
    const std::vector<actual>& args;
    const ir::function& callee;
    std::size_t shift;
    term_id closure;
    const ir::instruction& at;
    into_caller(interpreter& i, const state& m, const std::vector<actual>& a, const ir::function& f,
                std::size_t sh, term_id cl, const ir::instruction& where)
        : self(i), memory(m), args(a), callee(f), shift(sh), closure(cl), at(where) {}
    term_id none(std::uint32_t k) {
      return self.unknown(&at, 1000 + std::uint64_t{k}, "argument not passed");
    }
    term_id parameter_value(std::uint32_t k) override {
      if (shift == 1 && k == 0) return closure;
      const std::size_t a = k - shift;
      if (a >= args.size() || args[a].raw == no_term) return none(k);
      const bool by_value = k < callee.params.size() && callee.params[k].how == ir::passing::value;
      const bool is_this = k == 0 && callee.is_method;
      return by_value && !is_this ? args[a].raw : args[a].object;
    }
    term_id parameter_address(std::uint32_t k) override {
      const std::size_t a = k - shift;
      if ((shift == 1 && k == 0) || a >= args.size() || args[a].raw == no_term) return no_term;
      const bool by_value = k < callee.params.size() && callee.params[k].how == ir::passing::value;
      if (by_value && !(k == 0 && callee.is_method)) return no_term;
      return self.graph_.pointee_location(args[a].raw);
    }
    term_id read(term_id location) override { return self.read(memory, location); }
  };
  const summary* known = to.known;
  if (!known || !known->solved) {
    results.push_back({unknown(&i, 2, "recursive call"), no_term});
    return;
  }
  const state before = s;
  into_caller with(*this, before, args, callee, shift, to.closure, i);

  if (recording_) {
    for (const requirement& r : known->requirements) {
      if (!r.about_layout) continue;
      if (r.path.size() >= most_path_steps) {
        ++report_.limits_hit;
        continue;
      }
      const term_id formula = graph_.substitute(r.formula, with);
      const term_id guard = graph_.conjunction_of(graph_.substitute(r.guard, with), block_guard(current_));
      // The argument that brings the tensor.
      std::size_t which = args.size();
      for (std::size_t k = 0; k < callee.params.size(); ++k) {
        std::vector<term_id> stack{tensor_of(graph_, r.formula)};
        bool found = false;
        for (int steps = 0; !stack.empty() && steps < 64 && !found; ++steps) {
          const term_id x = stack.back();
          stack.pop_back();
          if (graph_.kind(x) == term_kind::parameter && graph_.at(x).number == static_cast<std::int64_t>(k))
            found = true;
          const term_kind kind = graph_.kind(x);
          if (kind == term_kind::project || kind == term_kind::view || kind == term_kind::copy ||
              kind == term_kind::deref || kind == term_kind::via || kind == term_kind::pointer)
            stack.push_back(graph_.child(x, 0));
        }
        if (found && k >= shift && k - shift < args.size()) {
          which = k - shift;
          break;
        }
      }
      requirement up = r;
      ir::location where = i.where;
      std::string spelling = i.spelling.str();
      if (which < args.size()) {
        if (args[which].where.line != 0) where = args[which].where;
        if (!args[which].argument->spelling.empty()) spelling = args[which].argument->spelling.str();
        const std::string& name = callee.params[which + shift].variable.str();
        const bool object = which + shift == 0 && callee.is_method;
        up.path.insert(up.path.begin(),
                       {where, object || name.empty() || name == "this"
                                   ? "'" + callee.qualified.str() + "' is called on it here"
                                   : "passed as '" + name + "' to '" + callee.qualified.str() + "' here"});
      }
      demand(s, std::move(up), formula, guard, where, callee.qualified.str(), spelling, may);
    }
    for (const capture_effect& e : known->effects) {
      capture_effect up = e;
      up.guard = graph_.conjunction_of(graph_.substitute(e.guard, with), block_guard(current_));
      up.subject = e.subject == no_term ? no_term : graph_.substitute(e.subject, with);
      up.copy_term = e.copy_term == no_term ? no_term : graph_.substitute(e.copy_term, with);
      up.may = up.may || may;
      if (up.path.size() >= most_path_steps) {
        ++report_.limits_hit;
        continue;
      }
      up.path.insert(up.path.begin(), {i.where, "calls '" + callee.qualified.str() + "'"});
      effect(s, std::move(up));
    }
  }

  // Effects on the callee's side of memory, computed from the state before the call, then stored.
  std::vector<std::pair<term_id, term_id>> stores;
  for (const location_write& w : known->writes) {
    const term_id at = graph_.substitute(w.location, with);
    if (at == no_term) continue;
    stores.emplace_back(at, graph_.substitute(w.value, with));
  }
  for (const auto& [at, v] : stores) write(s, at, v);

  switch (known->exit) {
    case capture_status::inherited:
      break;
    case capture_status::inside:
      s.capture.saved.emplace_back(s.capture.status, s.capture.region);
      s.capture.status = capture_status::inside;
      s.capture.region = known->exit_region;
      break;
    case capture_status::ended:
      if (!s.capture.saved.empty()) {
        std::tie(s.capture.status, s.capture.region) = s.capture.saved.back();
        s.capture.saved.pop_back();
      } else {
        s.capture.status = capture_status::ended;
      }
      break;
    case capture_status::maybe:
      s.capture.status = capture_status::maybe;
      s.capture.region = known->exit_region;
      break;
  }

  term_id result = no_term;
  if (known->result != no_term) {
    result = graph_.substitute(known->result, with);
    const term_kind k = graph_.kind(graph_.strip(result));
    if (k == term_kind::view || k == term_kind::copy || k == term_kind::one_of || k == term_kind::pointer)
      result = graph_.via(result, "returned by '" + callee.qualified.str() + "'", i.where);
  }
  results.push_back({result == no_term ? unknown(&i, 3, "no result") : result, no_term});
}

void interpreter::external(state& s, const ir::instruction& i, const ir::call& c, std::vector<actual>& args) {
  if (recording_) ++report_.unknown_calls;
  if (c.kind == ir::call_kind::indirect && recording_) {
    capture_effect e;
    e.what = capture_effect::kind::invoke;
    e.subject = value(s, c.target);
    e.where = i.where;
    e.spelling = i.spelling.str();
    effect(s, std::move(e));
  }
  bool changes_something = false;
  for (std::size_t k = 0; k < args.size(); ++k) {
    const ir::argument& a = *args[k].argument;
    const term_id plain = graph_.strip(args[k].raw);
    // A callable taken by template parameter or reference runs now; one kept as std::function runs later.
    if (graph_.kind(plain) == term_kind::closure ||
        graph_.kind(graph_.strip(args[k].object)) == term_kind::closure) {
      if (a.type.view().find("std::function<") == std::string_view::npos)
        invoke(s, i, args[k].object, c.callee.view());
      continue;
    }
    if (c.kind == ir::call_kind::launch || a.to_const) continue;
    if (graph_.kind(plain) == term_kind::address) {
      write(s, graph_.child(plain, 0), unknown(&i, 16 + k, "changed by a call"));
      changes_something = true;
    } else if (c.is_method && k == 0) {
      write(s, graph_.pointee_location(args[k].raw), unknown(&i, 16 + k, "changed by a call"));
      changes_something = true;
    }
  }
  if (changes_something || c.kind == ir::call_kind::indirect || c.kind == ir::call_kind::construct) {
    set(c.result, unknown(&i, 4, "result of '" + c.callee.str() + "'"));
    return;
  }
  std::vector<term_id> objects;
  for (const actual& a : args) objects.push_back(a.object);
  set(c.result, graph_.result(c.callee, objects));
}

// Runs a callable that a library was given: its requirements, writes and effects, with arguments nobody knows.
void interpreter::invoke(state& s, const ir::instruction& i, term_id callable, std::string_view by) {
  bool found = false;
  for (const auto& a : graph_.alternatives(callable)) {
    const term_id f = graph_.strip(a.value);
    if (graph_.kind(f) != term_kind::closure && graph_.kind(f) != term_kind::function) continue;
    for (function_index body : in_.whole.bodies(graph_.at(f).first, unit_)) {
      found = true;
      std::vector<term_graph::alternative> results;
      const ir::function& callee = *in_.whole.functions()[body];
      // Parameters beyond the captures are unknown.
      static const ir::argument nothing{};
      std::vector<actual> unknowns(callee.params.size() - (callee.params.empty() ? 0 : 1));
      for (actual& u : unknowns) {
        u.raw = u.object = unknown(&i, 5, "argument of a callable");
        u.argument = &nothing;
      }
      state ran = s;
      apply(ran, i, unknowns, {&callee, in_.summary_of(body), f}, false, results);
      // Zero or more times.
      std::set<term_id> keys;
      for (const auto& [k, v] : ran.memory) keys.insert(k);
      for (term_id k : keys) {
        const term_id was = read_without_parts(s, k);
        const term_id now = ran.memory[k];
        if (was != now) write(s, k, graph_.one_of({{was, no_term}, {now, no_term}}));
      }
      s.capture = ran.capture;
    }
  }
  (void)by;
  if (!found && recording_) {
    capture_effect e;
    e.what = capture_effect::kind::invoke;
    e.subject = callable;
    e.where = i.where;
    e.spelling = i.spelling.str();
    effect(s, std::move(e));
  }
}

// A raw pointer that goes on with sizes and without strides: nobody looks at the layout any more.
void interpreter::pointer_uses(state& s, const ir::instruction& i, const ir::call& c,
                               const std::vector<actual>& args, const std::vector<bool>& declared) {
  const ir::function* d = in_.whole.declaration(c.symbol);
  const bool project = d != nullptr && !c.symbol.empty();
  if (c.kind != ir::call_kind::launch && !project) return;
  if (c.kind == ir::call_kind::destroy) return;
  auto depends = [&](term_id value, term_id tensor, bool& on_size, bool& on_stride, bool& on_tensor) {
    std::vector<term_id> stack{value};
    std::set<term_id> seen;
    for (int steps = 0; !stack.empty() && steps < 400; ++steps) {
      const term_id x = graph_.strip(stack.back());
      stack.pop_back();
      if (x == no_term || !seen.insert(x).second) continue;
      const term_kind k = graph_.kind(x);
      if (k == term_kind::pointer) continue;
      if (x == tensor) {
        on_tensor = true;
        continue;
      }
      if (k == term_kind::query && graph_.strip(graph_.child(x, 0)) == tensor) {
        switch (static_cast<ir::query_op>(graph_.at(x).op)) {
          case ir::query_op::stride:
          case ir::query_op::stride_bytes:
          case ir::query_op::strides:
            on_stride = true;
            break;
          case ir::query_op::size:
          case ir::query_op::sizes:
          case ir::query_op::numel:
          case ir::query_op::nbytes:
            on_size = true;
            break;
          default:
            break;
        }
        continue;
      }
      // Sizes and strides of a view were rewritten into those of its base or into the arguments of the view.
      if (k == term_kind::query) {
        const auto op = static_cast<ir::query_op>(graph_.at(x).op);
        term_id base = tensor;
        for (int up = 0; up < 16 && graph_.kind(base) == term_kind::view; ++up) {
          base = graph_.strip(graph_.child(base, 0));
          if (base != graph_.strip(graph_.child(x, 0))) continue;
          if (op == ir::query_op::stride || op == ir::query_op::stride_bytes || op == ir::query_op::strides)
            on_stride = true;
          else
            on_size = true;
        }
      }
      for (term_id child : graph_.children(x)) stack.push_back(child);
    }
  };
  for (std::size_t k = 0; k < args.size(); ++k) {
    if (declared[k]) continue;
    for (const auto& alternative : graph_.alternatives(args[k].raw)) {
      const term_id p = graph_.strip(alternative.value);
      if (graph_.kind(p) != term_kind::pointer) continue;
      const term_id tensor = graph_.strip(graph_.child(p, 0));
      bool on_size = false, on_stride = false, on_tensor = false;
      for (std::size_t m = 0; m < args.size(); ++m)
        if (m != k) {
          depends(args[m].raw, tensor, on_size, on_stride, on_tensor);
          if (args[m].object != args[m].raw) depends(args[m].object, tensor, on_size, on_stride, on_tensor);
        }
      for (const auto& o : c.config) depends(value(s, o), tensor, on_size, on_stride, on_tensor);
      // The width of a narrowed view may be passed as the very number it was narrowed to.
      if (!on_size && graph_.kind(tensor) == term_kind::view)
        for (std::size_t m = 0; m < args.size() && !on_size; ++m)
          for (term_id a : graph_.children(tensor))
            if (m != k && a != no_term && !graph_.is_integer(a) && graph_.strip(args[m].raw) == a)
              on_size = true;
      if (on_stride || on_tensor || !on_size) continue;
      requirement r;
      r.how = evidence::unchecked;
      r.about_layout = true;
      r.where = args[k].where;
      r.consumer = d ? d->signature.str() : c.callee.str();
      r.subject =
          d && k < d->params.size() ? d->params[k].variable.str() : "argument " + std::to_string(k + 1);
      r.fact = "pointer and sizes, no stride";
      r.path.push_back({args[k].where, "pointer and sizes go on to '" + c.callee.str() +
                                           "' without a stride: nobody looks at the layout"});
      const std::array<term_id, 1> o{tensor};
      demand(s, r, graph_.test(ir::predicate::contiguous, o),
             graph_.conjunction_of(alternative.guard, block_guard(current_)), args[k].where, c.callee.str(),
             args[k].argument->spelling.str(), false);
    }
  }
  (void)i;
}

// ---- recording -----------------------------------------------------------------------------------------------------

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
    for (const auto& a : alternatives)
      demand_one(s, r, a.value, graph_.conjunction_of(guard, a.guard), where, callee, spelling, may);
    return;
  }
  demand_one(s, std::move(r), formula, guard, where, callee, spelling, may);
}

void interpreter::demand_one(const state& s, requirement r, term_id formula, term_id guard,
                             const ir::location& where, const std::string& callee,
                             const std::string& spelling, bool may) {
  r.may = r.may || may;
  r.about_layout = mentions_layout(graph_, formula);
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
    d.formula = formula;
    d.tensor = subject;
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
  r.formula = formula;
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

void interpreter::effect(const state& s, capture_effect e) {
  if (!recording_) return;
  if (e.guard == no_term) e.guard = block_guard(current_);
  if (e.function.empty()) e.function = named_function(function_);
  if (s.capture.suspended) return;
  judge j(graph_, s.known);
  if (j.holds_all(e.guard) == tri::no) return;
  const term_id capturing = graph_.test(ir::predicate::is_capturing, {});
  // Only matters while capturing: a path that says otherwise is exempt.
  if (j.holds(capturing) == tri::no) return;
  for (term_id a : graph_.children(e.guard))
    if (a == graph_.negate(capturing)) return;

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

function_report interpreter::run() {
  flow_ = analyse_control(function_, [&](const ir::instruction& i) { return never_returns(i); });
  const std::size_t n = function_.blocks.size();
  values_.assign(function_.value_count, no_term);
  in_state_.assign(n, {});
  out_state_.assign(n, {});
  visits_.assign(n, 0);
  guard_memo_.assign(n, no_term);

  state entry;
  entry.reached = true;
  if (in_.assume_capture) {
    entry.capture.status = capture_status::inside;
    entry.capture.region = {function_.where, "--assume-capture", ir::capture_owner::framework,
                            ir::capture_mode::unknown, named_function(function_)};
  }
  // What is declared of a parameter holds inside the function.
  for (std::uint32_t k = 0; k < function_.params.size(); ++k)
    for (ir::predicate what : layouts_in(function_.params[k].contract.view())) {
      const std::array<term_id, 1> o{graph_.parameter(k)};
      entry.known.add(graph_, graph_.test(what, o));
    }

  auto transfer = [&](ir::block_id b) {
    std::vector<std::pair<state, ir::block_id>> in;
    if (b == 0) in.emplace_back(entry, b);
    if (function_.blocks[b].is_handler) {
      // Entered from anywhere in its try body: nothing is known but that the function was entered.
      state unknown = entry;
      in.emplace_back(unknown, b);
    }
    for (ir::block_id p : flow_.predecessors[b]) {
      if (!out_state_[p].reached) continue;
      for (std::uint32_t k = 0; k < flow_.successors[p].size(); ++k) {
        if (flow_.successors[p][k] != b) continue;
        state s = out_state_[p];
        const term_id c = edge_condition(p, k);
        judge j(graph_, s.known);
        if (j.holds(c) == tri::no && !flow_.is_loop_head[b]) continue;
        s.known.add(graph_, c);
        in.emplace_back(std::move(s), p);
      }
    }
    // The same predecessor may be listed once per edge.
    return join(in, b);
  };

  std::set<std::size_t> pending;  // positions in order
  std::vector<std::size_t> position(n, 0);
  for (std::size_t i = 0; i < flow_.order.size(); ++i) position[flow_.order[i]] = i;
  for (std::size_t i = 0; i < flow_.order.size(); ++i) pending.insert(i);
  while (!pending.empty()) {
    const ir::block_id b = flow_.order[*pending.begin()];
    pending.erase(pending.begin());
    if (visits_[b] >= visits_at_most) {
      ++report_.limits_hit;
      continue;
    }
    state s = transfer(b);
    if (visits_[b] > 0 && s == in_state_[b]) continue;
    ++visits_[b];
    in_state_[b] = s;
    if (!s.reached) continue;
    run_block(s, b);
    if (visits_[b] > 1 && s == out_state_[b]) continue;
    out_state_[b] = std::move(s);
    for (ir::block_id t : flow_.successors[b]) pending.insert(position[t]);
  }

  // Once more over the fixpoint, to record.
  recording_ = true;
  guard_memo_.assign(n, no_term);
  std::vector<std::pair<state, ir::block_id>> exits;
  for (ir::block_id b : flow_.order) {
    if (!in_state_[b].reached) continue;
    state s = in_state_[b];
    run_block(s, b);
    check_branch(s, b);
    if (const auto* r = std::get_if<ir::ret>(&function_.blocks[b].end); r && !flow_.must_stop[b]) {
      const term_id v = value(s, r->what);
      if (v != no_term) returned_.push_back({v, block_guard(b)});
      exits.emplace_back(std::move(s), b);
    }
  }

  summary& out = report_.result;
  out.solved = true;
  out.never_returns = flow_.never_returns;
  if (!returned_.empty()) out.result = graph_.one_of(returned_);
  flow_.is_loop_head.assign(n, false);
  const state exit = join(exits, 0);
  if (exit.reached) {
    out.exit = exit.capture.status;
    out.exit_region = exit.capture.region;
    for (const auto& [at, v] : exit.memory) {
      term_id root = at;
      bool through_pointer = false;
      for (;;) {
        const auto kind = static_cast<location_kind>(graph_.at(root).op);
        if (kind == location_kind::part) {
          root = graph_.child(root, 0);
        } else if (kind == location_kind::pointee) {
          through_pointer = true;
          break;
        } else {
          break;
        }
      }
      const term& r = graph_.at(root);
      bool visible = false;
      switch (static_cast<location_kind>(r.op)) {
        case location_kind::global:
          visible = true;
          break;
        case location_kind::parameter: {
          const auto k = static_cast<std::size_t>(r.number);
          visible = k < function_.params.size() &&
                    (function_.params[k].how != ir::passing::value || (k == 0 && function_.is_method));
          break;
        }
        case location_kind::pointee:
          visible = through_pointer && rooted_in_parameter(graph_, root);
          break;
        default:
          break;
      }
      if (visible) out.writes.push_back({at, v});
    }
  }
  return std::move(report_);
}

}  // namespace

term_id tensor_of(const term_graph& graph, term_id formula) {
  std::vector<term_id> stack{formula};
  for (int steps = 0; !stack.empty() && steps < 200; ++steps) {
    const term_id x = graph.strip(stack.back());
    stack.pop_back();
    const term& t = graph.at(x);
    if (t.kind == term_kind::test && static_cast<ir::predicate>(t.op) != ir::predicate::present &&
        static_cast<ir::predicate>(t.op) != ir::predicate::is_capturing)
      return graph.child(x, 0);
    if (t.kind == term_kind::query && (static_cast<ir::query_op>(t.op) == ir::query_op::stride ||
                                       static_cast<ir::query_op>(t.op) == ir::query_op::stride_bytes ||
                                       static_cast<ir::query_op>(t.op) == ir::query_op::strides))
      return graph.child(x, 0);
    if (t.kind == term_kind::operation || t.kind == term_kind::conjunction || t.kind == term_kind::one_of) {
      const auto c = graph.children(x);
      for (auto it = c.rbegin(); it != c.rend(); ++it) stack.push_back(*it);
    }
  }
  return no_term;
}

term_id field_read(const term_graph& graph, term_id tensor) {
  for (int steps = 0; tensor != no_term && steps < 64; ++steps) {
    const term_id x = graph.strip(tensor);
    switch (graph.kind(x)) {
      case term_kind::project:
        if (static_cast<ir::step_kind>(graph.at(graph.child(x, 1)).op) == ir::step_kind::field) return x;
        tensor = graph.child(x, 0);
        break;
      case term_kind::view:
      case term_kind::pointer:
        tensor = graph.child(x, 0);
        break;
      case term_kind::copy:
        tensor = graph.child(x, 0);
        break;
      default:
        return no_term;
    }
  }
  return no_term;
}

bool rooted_in_parameter(const term_graph& graph, term_id term) {
  std::vector<term_id> stack{term};
  std::set<term_id> seen;
  for (int steps = 0; !stack.empty() && steps < 400; ++steps) {
    const term_id x = stack.back();
    stack.pop_back();
    if (x == no_term || !seen.insert(x).second) continue;
    if (graph.kind(x) == term_kind::parameter) return true;
    if (graph.kind(x) == term_kind::location &&
        static_cast<location_kind>(graph.at(x).op) == location_kind::parameter)
      return true;
    for (term_id c : graph.children(x)) stack.push_back(c);
  }
  return false;
}

std::string flag_key(const term_graph& graph, term_id atom) {
  const term_id x = graph.strip(atom);
  const term& t = graph.at(x);
  switch (t.kind) {
    case term_kind::integer:
      return std::to_string(t.number);
    case term_kind::global:
      return "::" + t.first.str();
    case term_kind::project: {
      const term& step = graph.at(graph.child(x, 1));
      if (static_cast<ir::step_kind>(step.op) != ir::step_kind::field) return {};
      return step.first.str() + "::" + step.second.str();
    }
    case term_kind::result: {
      // A function without arguments, or a getter of one object.
      if (t.child_count > 1) return {};
      return t.first.str() + "()";
    }
    case term_kind::operation: {
      std::string out = "(" + std::to_string(t.op);
      for (term_id c : graph.children(x)) {
        const std::string k = flag_key(graph, c);
        if (k.empty()) return {};
        out += " " + k;
      }
      return out + ")";
    }
    default:
      return {};
  }
}

bool exclude_each_other(const term_graph& graph, term_id guard, term_id other) {
  if (guard == no_term || other == no_term) return false;
  auto opposite = [&](term_id a) {
    // Text of the negation, without building terms: the graph is const here.
    const term& t = graph.at(a);
    if (t.kind == term_kind::operation && static_cast<expr_op>(t.op) == expr_op::logical_not)
      return flag_key(graph, graph.child(a, 0));
    if (t.kind == term_kind::operation) {
      const auto op = static_cast<expr_op>(t.op);
      expr_op inverse = op;
      switch (op) {
        case expr_op::eq:
          inverse = expr_op::ne;
          break;
        case expr_op::ne:
          inverse = expr_op::eq;
          break;
        case expr_op::lt:
          inverse = expr_op::ge;
          break;
        case expr_op::ge:
          inverse = expr_op::lt;
          break;
        case expr_op::gt:
          inverse = expr_op::le;
          break;
        case expr_op::le:
          inverse = expr_op::gt;
          break;
        default:
          return std::string();
      }
      std::string key = flag_key(graph, a);
      const std::string head = "(" + std::to_string(t.op);
      if (key.compare(0, head.size(), head) == 0)
        return "(" + std::to_string(static_cast<int>(inverse)) + key.substr(head.size());
      return std::string();
    }
    const std::string key = flag_key(graph, a);
    return key.empty() ? key : "(" + std::to_string(static_cast<int>(expr_op::logical_not)) + " " + key + ")";
  };
  for (term_id a : graph.children(guard)) {
    const std::string no = opposite(a);
    if (no.empty()) continue;
    for (term_id b : graph.children(other))
      if (flag_key(graph, b) == no) return true;
  }
  return false;
}

function_report interpret(const interpretation_input& input) {
  return interpreter(input).run();
}

}  // namespace stridelock::solve
