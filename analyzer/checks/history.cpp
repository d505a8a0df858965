#include "analyzer/checks/history.h"

#include <algorithm>

namespace stridelock::checks {

using solve::no_term;
using solve::term;
using solve::term_graph;
using solve::term_id;
using solve::term_kind;

namespace {

std::string spelled(const term_graph& graph, term_id id, const ir::function* context) {
  return solve::describe(graph, id, context);
}

}  // namespace

std::string describe_view(const term_graph& graph, term_id view, const ir::function* context) {
  const term& t = graph.at(view);
  const std::string base = "'" + spelled(graph, graph.child(view, 0), context) + "'";
  auto arg = [&](std::size_t k) { return graph.child(view, k); };
  auto words = [&](std::size_t k) { return spelled(graph, arg(k), context); };
  switch (static_cast<ir::view_op>(t.op)) {
    case ir::view_op::narrow:
      return "a slice of dimension " + words(1) + " of " + base + ", which keeps its strides";
    case ir::view_op::slice:
      return "a slice of dimension " + words(1) + " of " + base + ", which keeps its strides";
    case ir::view_op::columns:
      return "a range of columns of " + base + ", which keeps its row pitch";
    case ir::view_op::select:
      return "one index of dimension " + words(1) + " of " + base + ", which keeps its strides";
    case ir::view_op::split:
      return "a piece of " + base + " along dimension " + (arg(2) == no_term ? std::string("0") : words(2)) +
             ", which keeps its strides";
    case ir::view_op::unbind:
      return "a piece of " + base + " along dimension " + words(1) + ", which keeps its strides";
    case ir::view_op::transpose:
      return "a transpose of " + base + ": its rows are no longer next to each other";
    case ir::view_op::permute:
      return "a permutation of the dimensions of " + base;
    case ir::view_op::expand:
      return "an expansion of " + base + " with stride 0";
    default:
      return "a view of " + base + " with other strides";
  }
}

std::vector<report::trace_step> history(const term_graph& graph, term_id value, term_id culprit,
                                        const ir::function* context) {
  std::vector<report::trace_step> outward;
  auto add = [&](const ir::location& where, std::string text) {
    if (where.line == 0) return;
    if (!outward.empty() && outward.back().where == where) return;
    outward.push_back({where, std::move(text)});
  };
  term_id x = value;
  for (int steps = 0; x != no_term && steps < 64; ++steps) {
    const term& t = graph.at(x);
    if (x == culprit) {
      add(t.where, "'" + (t.spelling.empty() ? t.first.str() : t.spelling.str()) + "' is " +
                       describe_view(graph, x, context));
      break;
    }
    switch (t.kind) {
      case term_kind::via:
        add(t.where, t.first.str() + " here");
        x = graph.child(x, 0);
        break;
      case term_kind::view:
        add(t.where, "'" + t.spelling.str() + "' is a view of it");
        x = graph.child(x, 0);
        break;
      case term_kind::copy:
        add(t.where, "'" + t.spelling.str() + "' may be the same tensor: it copies only if it must");
        x = graph.child(x, 0);
        break;
      case term_kind::pointer:
      case term_kind::project:
        x = graph.child(x, 0);
        break;
      default:
        x = no_term;
        break;
    }
  }
  std::reverse(outward.begin(), outward.end());
  return outward;
}

}  // namespace stridelock::checks
