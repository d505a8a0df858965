#include "analyzer/solve/call_graph.h"

#include <algorithm>
#include <limits>

namespace stridelock::solve {
namespace {

void collect(const program& whole, function_index f, std::vector<function_index>& out) {
  const std::uint32_t unit = whole.unit_of(f);
  auto add = [&](const std::vector<function_index>& more) {
    out.insert(out.end(), more.begin(), more.end());
  };
  for (const ir::block& b : whole.functions()[f]->blocks)
    for (const ir::instruction& i : b.body) {
      if (const auto* c = std::get_if<ir::call>(&i.what)) {
        add(c->kind == ir::call_kind::virtual_ ? whole.overriders(c->symbol, unit)
                                               : whole.bodies(c->symbol, unit));
        for (const ir::argument& a : c->args)
          if (const auto* named = std::get_if<ir::function_ref>(&a.what))
            add(whole.bodies(named->symbol, unit));
        if (const auto* named = std::get_if<ir::function_ref>(&c->target))
          add(whole.bodies(named->symbol, unit));
      } else if (const auto* l = std::get_if<ir::closure>(&i.what)) {
        // Whoever makes a lambda may hand it to someone who runs it: its summary must be there by then.
        add(whole.bodies(l->symbol, unit));
      }
    }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

}  // namespace

call_graph build_call_graph(const program& whole) {
  const std::size_t n = whole.functions().size();
  call_graph g;
  g.callees.resize(n);
  g.has_caller.assign(n, false);
  for (function_index f = 0; f < n; ++f) {
    collect(whole, f, g.callees[f]);
    for (function_index c : g.callees[f])
      if (c != f) g.has_caller[c] = true;
  }
  // Tarjan, without recursion: a call chain may be as long as the program.
  constexpr std::uint32_t unvisited = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> number(n, unvisited), low(n, 0);
  std::vector<char> on_stack(n, 0);
  std::vector<function_index> stack;
  std::vector<std::pair<function_index, std::size_t>> work;
  std::uint32_t next = 0;
  for (function_index root = 0; root < n; ++root) {
    if (number[root] != unvisited) continue;
    work.emplace_back(root, 0);
    while (!work.empty()) {
      auto& [f, edge] = work.back();
      if (edge == 0) {
        number[f] = low[f] = next++;
        stack.push_back(f);
        on_stack[f] = 1;
      }
      if (edge < g.callees[f].size()) {
        const function_index c = g.callees[f][edge++];
        if (number[c] == unvisited)
          work.emplace_back(c, 0);
        else if (on_stack[c])
          low[f] = std::min(low[f], number[c]);
        continue;
      }
      const function_index done = f;
      work.pop_back();
      if (!work.empty()) low[work.back().first] = std::min(low[work.back().first], low[done]);
      if (low[done] != number[done]) continue;
      std::vector<function_index> component;
      for (;;) {
        const function_index top = stack.back();
        stack.pop_back();
        on_stack[top] = 0;
        component.push_back(top);
        if (top == done) break;
      }
      std::sort(component.begin(), component.end());
      g.components.push_back(std::move(component));
    }
  }
  return g;
}

}  // namespace stridelock::solve
