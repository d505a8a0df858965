#include <array>
#include <set>

#include "analyzer/solve/interpreter.h"

namespace stridelock::solve {

// A raw pointer that goes on with sizes and without strides: nobody looks at the layout any more.
void interpreter::pointer_uses(const state& s, const ir::call& c, const std::vector<actual>& args,
                               const std::vector<bool>& declared) {
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
      // Conditions do not carry a size or a stride to the callee; only values do.
      if (k == term_kind::pointer || k == term_kind::conjunction || k == term_kind::test) continue;
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
      r.of_pointer = true;
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
}

}  // namespace stridelock::solve
