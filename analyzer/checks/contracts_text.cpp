#include "analyzer/checks/contracts_text.h"

#include <algorithm>
#include <set>

namespace stridelock::checks {

std::string contracts_text(const solve::program& whole, const solve::solution& solved) {
  std::vector<std::pair<std::string, std::string>> blocks;
  for (solve::function_index f = 0; f < whole.functions().size(); ++f) {
    const ir::function& function = *whole.functions()[f];
    if (!function.is_exported || solved.summaries[f].requirements.empty()) continue;
    std::string text = function.signature.str() + "  (" + function.where.file.str() + ":" +
                       std::to_string(function.where.line) + ")\n";
    std::set<std::string> seen;
    for (const solve::requirement& r : solved.summaries[f].requirements) {
      std::string line = "  ";
      switch (r.how) {
        case solve::evidence::declared:
          line += "declared   ";
          break;
        case solve::evidence::checked:
          line += "checked    ";
          break;
        case solve::evidence::unchecked:
          line += "unchecked  ";
          break;
      }
      line += solve::describe(solved.graph, r.formula, &function);
      if (!solved.graph.children(r.guard).empty())
        line += "   when " + solve::describe(solved.graph, r.guard, &function);
      line += "   [" + r.where.file.str() + ":" + std::to_string(r.where.line);
      if (r.path.size() > 1) line += ", asked by " + r.consumer;
      line += "]\n";
      if (seen.insert(line).second) text += line;
    }
    blocks.emplace_back(function.signature.str(), std::move(text));
  }
  std::sort(blocks.begin(), blocks.end());
  std::string out;
  for (const auto& [signature, text] : blocks) out += text;
  return out;
}

}  // namespace stridelock::checks
