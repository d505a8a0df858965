#include <set>

#include "analyzer/solve/interpreter.h"

namespace stridelock::solve {

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
      if (it != s.memory.end()) {
        // Which of the stored elements this is, nobody knows.
        std::vector<term_graph::alternative> elements{{it->second, no_term}};
        if (auto made = s.memory.find(whole); made != s.memory.end())  // what it was made with
          elements.push_back({graph_.project(made->second, step), no_term});
        for (const auto& [key, value] : s.memory) {
          const term& k = graph_.at(key);
          if (static_cast<location_kind>(k.op) != location_kind::part || graph_.child(key, 0) != whole)
            continue;
          if (static_cast<ir::step_kind>(graph_.at(graph_.child(key, 1)).op) == ir::step_kind::element)
            elements.push_back({value, no_term});
        }
        return graph_.one_of(std::move(elements));
      }
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

}  // namespace stridelock::solve
