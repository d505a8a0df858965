#include "analyzer/solve/control.h"

#include <algorithm>

namespace stridelock::solve {
namespace {

template <class... F>
struct overloaded : F... {
  using F::operator()...;
};
template <class... F>
overloaded(F...) -> overloaded<F...>;

const ir::integer* constant_condition(const ir::block& block) {
  if (const auto* b = std::get_if<ir::branch>(&block.end)) return std::get_if<ir::integer>(&b->condition);
  return nullptr;
}

// Reverse post-order from the entry, then from handlers, without recursion.
std::vector<ir::block_id> reverse_post_order(const ir::function& function,
                                             const std::vector<std::vector<ir::block_id>>& successors) {
  const std::size_t n = function.blocks.size();
  std::vector<char> seen(n, 0);
  std::vector<ir::block_id> post;
  auto walk = [&](ir::block_id root) {
    if (seen[root]) return;
    std::vector<std::pair<ir::block_id, std::size_t>> stack{{root, 0}};
    seen[root] = 1;
    while (!stack.empty()) {
      auto& [b, next] = stack.back();
      if (next < successors[b].size()) {
        const ir::block_id s = successors[b][next++];
        if (!seen[s]) {
          seen[s] = 1;
          stack.emplace_back(s, 0);
        }
      } else {
        post.push_back(b);
        stack.pop_back();
      }
    }
  };
  // Handlers first, so that after reversal the entry leads.
  for (ir::block_id b = 0; b < n; ++b)
    if (function.blocks[b].is_handler) walk(b);
  walk(0);
  std::reverse(post.begin(), post.end());
  return post;
}

// Immediate post-dominators over the blocks that can go on to a return (Cooper, Harvey, Kennedy on the reversed graph).
// The virtual exit is number n.
std::vector<std::uint32_t> post_dominators(const control_flow& flow, const std::vector<char>& kept) {
  const auto n = static_cast<std::uint32_t>(flow.successors.size());
  std::vector<std::vector<std::uint32_t>> reversed(n + 1);  // edges of the reversed graph: exit -> …
  std::vector<std::vector<std::uint32_t>> forward(n);
  for (std::uint32_t b = 0; b < n; ++b) {
    if (!kept[b]) continue;
    for (ir::block_id s : flow.successors[b])
      if (kept[s]) forward[b].push_back(s);
    if (forward[b].empty()) forward[b].push_back(n);
  }
  // A loop without an exit still needs a way to the virtual exit.
  std::vector<char> reaches(n + 1, 0);
  auto flood = [&](std::uint32_t from) {
    std::vector<std::uint32_t> stack{from};
    reaches[from] = 1;
    while (!stack.empty()) {
      const std::uint32_t x = stack.back();
      stack.pop_back();
      for (std::uint32_t p : reversed[x])
        if (!reaches[p]) {
          reaches[p] = 1;
          stack.push_back(p);
        }
    }
  };
  for (std::uint32_t b = 0; b < n; ++b)
    for (std::uint32_t s : forward[b]) reversed[s].push_back(b);
  flood(n);
  for (auto it = flow.order.rbegin(); it != flow.order.rend(); ++it)
    if (kept[*it] && !reaches[*it]) {
      forward[*it].push_back(n);
      reversed[n].push_back(*it);
      flood(*it);
    }

  std::vector<std::uint32_t> post;  // post-order of the reversed graph
  std::vector<char> seen(n + 1, 0);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack{{n, 0}};
  seen[n] = 1;
  while (!stack.empty()) {
    auto& [x, next] = stack.back();
    if (next < reversed[x].size()) {
      const std::uint32_t p = reversed[x][next++];
      if (!seen[p]) {
        seen[p] = 1;
        stack.emplace_back(p, 0);
      }
    } else {
      post.push_back(x);
      stack.pop_back();
    }
  }
  std::vector<std::uint32_t> number(n + 1, 0);
  for (std::uint32_t i = 0; i < post.size(); ++i) number[post[i]] = i;
  constexpr std::uint32_t none = ~0u;
  std::vector<std::uint32_t> idom(n + 1, none);
  idom[n] = n;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = post.rbegin(); it != post.rend(); ++it) {
      const std::uint32_t b = *it;
      if (b == n) continue;
      std::uint32_t best = none;
      for (std::uint32_t s : forward[b]) {
        if (idom[s] == none) continue;
        if (best == none) {
          best = s;
          continue;
        }
        std::uint32_t x = s;
        while (x != best) {
          while (number[x] < number[best]) x = idom[x];
          while (number[best] < number[x]) best = idom[best];
        }
      }
      if (best != none && idom[b] != best) {
        idom[b] = best;
        changed = true;
      }
    }
  }
  return idom;
}

}  // namespace

std::vector<ir::block_id> successors_of(const ir::block& block) {
  return std::visit(overloaded{
                        [](const ir::jump& j) { return std::vector<ir::block_id>{j.to}; },
                        [](const ir::branch& b) { return std::vector<ir::block_id>{b.if_true, b.if_false}; },
                        [](const ir::switch_branch& s) {
                          std::vector<ir::block_id> out;
                          for (const auto& c : s.cases) out.push_back(c.to);
                          return out;
                        },
                        [](const auto&) { return std::vector<ir::block_id>{}; },
                    },
                    block.end);
}

control_flow analyse_control(const ir::function& function,
                             const std::function<bool(const ir::instruction&)>& never_returns) {
  control_flow flow;
  const std::size_t n = function.blocks.size();
  flow.successors.resize(n);
  flow.predecessors.resize(n);
  flow.must_stop.assign(n, false);
  flow.is_loop_head.assign(n, false);
  flow.depends_on.resize(n);
  if (n == 0) return flow;

  for (std::size_t b = 0; b < n; ++b) {
    const ir::block& block = function.blocks[b];
    bool ends =
        std::holds_alternative<ir::stop>(block.end) || std::holds_alternative<ir::unreachable>(block.end);
    for (const ir::instruction& i : block.body)
      if (!ends && never_returns(i)) ends = true;
    if (ends) {
      flow.must_stop[b] = true;
      continue;
    }
    std::vector<ir::block_id> out = successors_of(block);
    if (const ir::integer* c = constant_condition(block); c && out.size() == 2)
      out = {c->number != 0 ? out[0] : out[1]};
    out.erase(std::remove_if(out.begin(), out.end(), [&](ir::block_id s) { return s >= n; }), out.end());
    flow.successors[b] = std::move(out);
  }
  flow.order = reverse_post_order(function, flow.successors);

  // A block all of whose successors must stop must stop itself. Only loop-free chains are found; a loop that never
  // ends is not a stop.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = flow.order.rbegin(); it != flow.order.rend(); ++it) {
      const ir::block_id b = *it;
      if (flow.must_stop[b] || flow.successors[b].empty()) continue;
      if (std::all_of(flow.successors[b].begin(), flow.successors[b].end(),
                      [&](ir::block_id s) { return flow.must_stop[s]; })) {
        flow.must_stop[b] = true;
        changed = true;
      }
    }
  }
  flow.never_returns = flow.must_stop[0];

  for (ir::block_id b : flow.order)
    for (ir::block_id s : flow.successors[b]) flow.predecessors[s].push_back(b);

  std::vector<std::uint32_t> position(n, ~0u);
  for (std::uint32_t i = 0; i < flow.order.size(); ++i) position[flow.order[i]] = i;
  std::vector<char> kept(n, 0);
  for (ir::block_id b : flow.order) kept[b] = flow.must_stop[b] ? 0 : 1;
  for (ir::block_id b : flow.order)
    for (ir::block_id s : flow.successors[b])
      if (position[s] <= position[b]) flow.is_loop_head[s] = true;

  if (!kept[0]) return flow;
  const std::vector<std::uint32_t> idom = post_dominators(flow, kept);
  // b depends on edge (a, s) if b post-dominates s but not a: walk from s up to idom(a).
  for (ir::block_id a : flow.order) {
    if (!kept[a]) continue;
    std::size_t alive = 0;
    for (ir::block_id s : flow.successors[a]) alive += kept[s];
    if (alive < 2) continue;  // the failing side of a check is no alternative
    for (std::uint32_t k = 0; k < flow.successors[a].size(); ++k) {
      std::uint32_t runner = flow.successors[a][k];
      if (!kept[runner]) continue;
      while (runner != idom[a] && runner < n) {
        // A loop head depends on its own branch by the back edge; that says nothing about entering it.
        const bool back = position[runner] <= position[a];
        if (!back) {
          auto& list = flow.depends_on[runner];
          const edge e{a, k};
          if (std::find(list.begin(), list.end(), e) == list.end()) list.push_back(e);
        }
        if (idom[runner] == ~0u) break;
        runner = idom[runner];
      }
    }
  }
  // The failing side of a check, and what leads only there, depends on the edge that enters it.
  for (ir::block_id b : flow.order) {
    if (kept[b]) continue;
    for (ir::block_id p : flow.predecessors[b])
      for (std::uint32_t k = 0; k < flow.successors[p].size(); ++k)
        if (flow.successors[p][k] == b && flow.successors[p].size() > 1 && position[p] < position[b])
          flow.depends_on[b].push_back({p, k});
  }
  return flow;
}

}  // namespace stridelock::solve
