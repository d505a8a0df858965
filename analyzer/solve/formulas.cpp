// Questions about formulas that need no interpreter.
#include <set>

#include "analyzer/solve/interpret.h"

namespace stridelock::solve {

using ir::expr_op;

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
      case term_kind::deref:
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

bool contains(const term_graph& graph, term_id whole, term_id part) {
  std::vector<term_id> stack{whole};
  std::set<term_id> seen;
  for (int steps = 0; !stack.empty() && steps < 400; ++steps) {
    const term_id x = stack.back();
    stack.pop_back();
    if (x == part) return true;
    if (x == no_term || !seen.insert(x).second) continue;
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

}  // namespace stridelock::solve
