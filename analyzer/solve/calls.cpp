#include <array>
#include <set>

#include "analyzer/solve/interpreter.h"

namespace stridelock::solve {

std::vector<interpreter::target> interpreter::targets_of(const state& s, const ir::call& c, bool& complete) {
  std::vector<target> out;
  complete = true;
  auto add_bodies = [&](const std::vector<function_index>& bodies, term_id closure) {
    for (function_index f : bodies) {
      const summary* known = in_.summary_of(f);
      out.push_back({in_.whole.functions()[f], known, closure, false});
    }
  };
  switch (c.kind) {
    case ir::call_kind::virtual_:
      add_bodies(in_.whole.overriders(c.symbol, unit_), no_term);
      break;
    case ir::call_kind::indirect: {
      const term_id callee = graph_.strip(tensor(s, c.target));
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
  const std::vector<target> targets = targets_of(s, c, complete);

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
      for (const auto& a : graph_.alternatives(args[k].raw))
        r.of_pointer = r.of_pointer || graph_.kind(graph_.strip(a.value)) == term_kind::pointer;
      r.where = where;
      r.consumer = declaration ? declaration->signature.str() : c.callee.str();
      r.subject = subject;
      r.fact = std::string(contract);
      const std::array<term_id, 1> o{args[k].object};
      r.carried = args[k].object;
      r.path.push_back({args[k].where, "passed to '" + c.callee.str() + "' here"});
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
    const ir::location where = place_of(*row);
    std::string subject = "argument " + std::to_string(row->argument);
    if (declaration && row->argument < declaration->params.size() &&
        !declaration->params[row->argument].variable.empty())
      subject = declaration->params[row->argument].variable.str();
    declare(row->argument, row->text, where, subject);
  }

  if (recording_) pointer_uses(s, c, args, declared);

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
  std::vector<term_id> learned;

  if (recording_) {
    for (const requirement& r : known->requirements) {
      if (!r.about_layout && !(r.about_metadata && r.path.size() < most_metadata_steps)) continue;
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
      up.carried = graph_.substitute(tensor_of(graph_, r.formula), with);
      // What a lambda captured is named in its body, which is part of this function: a finding stands there.
      if (which < args.size() && graph_.kind(graph_.strip(args[which].object)) == term_kind::closure) {
        demand(s, up, formula, guard, r.anchor, r.anchor_callee, r.anchor_spelling, may);
        continue;
      }
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

  // The call returned: what the callee stops for without a condition holds from here on.
  if (!may && !to.uncertain)
    for (const requirement& r : known->requirements)
      if (r.how == evidence::checked && !r.may && (r.about_layout || r.about_metadata) &&
          graph_.children(r.guard).empty())
        learned.push_back(layout_formula(graph_, graph_.strip(graph_.substitute(r.formula, with))));

  // Effects on the callee's side of memory, computed from the state before the call, then stored.
  std::vector<std::pair<term_id, term_id>> stores;
  for (const location_write& w : known->writes) {
    const term_id at = graph_.substitute(w.location, with);
    if (at == no_term) continue;
    stores.emplace_back(at, graph_.substitute(w.value, with));
  }
  for (const auto& [at, v] : stores) write(s, at, v);
  for (term_id f : learned) s.known.add(graph_, f);

  switch (known->exit) {
    case capture_status::inherited:
      break;
    case capture_status::inside:
      s.capture.saved.emplace_back(s.capture.status, s.capture.region);
      s.capture.status = capture_status::inside;
      s.capture.region = known->exit_region;
      s.capture.region.guard = block_guard(current_);
      s.capture.region.opened_by.insert(s.capture.region.opened_by.begin(),
                                        {i.where, "'" + callee.qualified.str() + "' opens a capture region"});
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
    e.subject = tensor(s, c.target);
    e.where = i.where;
    e.spelling = i.spelling.str();
    effect(s, std::move(e));
  }
  bool changes_something = false;
  for (std::size_t k = 0; k < args.size(); ++k) {
    const ir::argument& a = *args[k].argument;
    const term_id plain = graph_.strip(args[k].raw);
    // A callable taken by template parameter or reference runs now; one kept as std::function runs later.
    if (c.kind == ir::call_kind::destroy) break;
    if (graph_.kind(plain) == term_kind::closure ||
        graph_.kind(graph_.strip(args[k].object)) == term_kind::closure) {
      if (a.type.view().find("std::function<") == std::string_view::npos) invoke(s, i, args[k].object);
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
void interpreter::invoke(state& s, const ir::instruction& i, term_id callable) {
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
      apply(ran, i, unknowns, {&callee, in_.summary_of(body), f, true}, false, results);
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
  if (!found && recording_) {
    capture_effect e;
    e.what = capture_effect::kind::invoke;
    e.subject = callable;
    e.where = i.where;
    e.spelling = i.spelling.str();
    effect(s, std::move(e));
  }
}

}  // namespace stridelock::solve
