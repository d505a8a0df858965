#include <algorithm>
#include <set>
#include <tuple>

#include "analyzer/solve/interpreter.h"

namespace stridelock::solve {

using ir::expr_op;

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
  // The conditions of each way in: what holds on it and not on all.
  std::vector<term_id> conditions(live.size(), no_term);
  auto condition_of = [&](std::size_t way) {
    if (conditions[way] != no_term) return conditions[way];
    std::vector<term_id> own;
    const auto& all = live[way]->known.formulas();
    std::set_difference(all.begin(), all.end(), out.known.formulas().begin(), out.known.formulas().end(),
                        std::back_inserter(own));
    if (own.size() > most_alternative_atoms) {
      // What was tested of a layout is worth more than the rest.
      std::stable_partition(own.begin(), own.end(), [&](term_id f) { return mentions_layout(graph_, f); });
      own.resize(most_alternative_atoms);
    }
    return conditions[way] = graph_.conjunction(std::move(own));
  };
  std::vector<term_id> keys;
  for (const state* s : live)
    for (const auto& [k, v] : s->memory) keys.push_back(k);
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<term_id> stored(live.size());
  for (term_id k : keys) {
    bool same = true;
    for (std::size_t way = 0; way < live.size(); ++way) {
      auto it = live[way]->memory.find(k);
      stored[way] = it != live[way]->memory.end() ? it->second : read_without_parts(*live[way], k);
      same = same && stored[way] == stored[0];
    }
    if (same) {
      out.memory.emplace_hint(out.memory.end(), k, stored[0]);
      continue;
    }
    if (live.size() > most_alternatives) {
      // A join of many ways: do not build alternatives that would be cut at once.
      std::vector<term_id> distinct = stored;
      std::sort(distinct.begin(), distinct.end());
      distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
      if (distinct.size() > most_alternatives) {
        out.memory.emplace_hint(
            out.memory.end(), k,
            unknown(&function_.blocks[at], 16 + std::uint64_t{k}, "too many alternatives"));
        continue;
      }
    }
    std::vector<term_graph::alternative> parts;
    for (std::size_t way = 0; way < live.size(); ++way) parts.push_back({stored[way], condition_of(way)});
    out.memory.emplace_hint(out.memory.end(), k, graph_.one_of(std::move(parts)));
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
    entry.capture.region = {function_.where,
                            "--assume-capture",
                            ir::capture_owner::framework,
                            ir::capture_mode::unknown,
                            named_function(function_),
                            no_term,
                            {}};
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
        // A region that begins under a condition: this path may decide it.
        if (s.capture.status == capture_status::maybe && s.capture.region.guard != no_term) {
          judge now(graph_, s.known);
          const tri begun = now.holds_all(s.capture.region.guard);
          if (begun == tri::yes) s.capture.status = capture_status::inside;
          if (begun == tri::no && !s.capture.saved.empty()) {
            std::tie(s.capture.status, s.capture.region) = s.capture.saved.back();
            s.capture.saved.pop_back();
          }
        }
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
  // A copy that leaves the function which opened the region is read outside the graph it belongs to.
  for (capture_hit& hit : report_.capture_hits) {
    if (hit.effect.copy_term == no_term) continue;
    hit.escapes = out.result != no_term && contains(graph_, out.result, hit.effect.copy_term);
    for (const location_write& w : out.writes)
      hit.escapes = hit.escapes || contains(graph_, w.value, hit.effect.copy_term);
  }
  return std::move(report_);
}

}  // namespace stridelock::solve
