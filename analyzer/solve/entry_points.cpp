#include "analyzer/solve/entry_points.h"

namespace stridelock::solve {

std::vector<bool> entry_points(const program& whole) {
  const std::size_t n = whole.functions().size();
  std::vector<bool> out(n, true);
  for (function_index f = 0; f < n; ++f) {
    const ir::function& function = *whole.functions()[f];
    const std::uint32_t unit = whole.unit_of(f);
    if (function.is_lambda) out[f] = false;
    auto called = [&](const std::vector<function_index>& bodies) {
      for (function_index c : bodies)
        if (c != f) out[c] = false;
    };
    for (const ir::block& b : function.blocks)
      for (const ir::instruction& i : b.body) {
        const auto* c = std::get_if<ir::call>(&i.what);
        if (!c) continue;
        const auto receivers = c->kind == ir::call_kind::virtual_ ? whole.overriders(c->symbol, unit)
                                                                  : whole.bodies(c->symbol, unit);
        called(receivers);
        if (const auto* named = std::get_if<ir::function_ref>(&c->target))
          called(whole.bodies(named->symbol, unit));
        if (receivers.empty()) continue;
        for (const ir::argument& a : c->args)
          if (const auto* named = std::get_if<ir::function_ref>(&a.what))
            called(whole.bodies(named->symbol, unit));
      }
  }
  return out;
}

}  // namespace stridelock::solve
