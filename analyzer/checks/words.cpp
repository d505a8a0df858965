#include "analyzer/checks/words.h"

namespace stridelock::checks {

std::string needed(const solve::term_graph& graph, solve::term_id formula, const std::string& fact) {
  const solve::term& t = graph.at(formula);
  if (t.kind == solve::term_kind::test) switch (static_cast<ir::predicate>(t.op)) {
      case ir::predicate::contiguous:
        return "a contiguous tensor";
      case ir::predicate::inner_contiguous:
        return "a last dimension of stride 1";
      case ir::predicate::row_pitched:
        return "dense rows with one pitch";
      case ir::predicate::permutation_dense:
        return "a tensor without gaps";
      default:
        break;
    }
  return fact.empty() ? "another layout" : "'" + fact + "'";
}

std::string plain_name(const std::string& signature) {
  return signature.substr(0, signature.find('('));
}

}  // namespace stridelock::checks
