// What is known of a formula or a layout at one point of a program, given the conditions that hold there.
//
// Promises:  `yes` and `no` follow from the assumptions and from how a value was made; everything else is `unknown`.
// Does not:  search: no solver, only set membership, constant bounds and the narrowing table of contracts.
#pragma once

#include <span>
#include <vector>

#include "analyzer/solve/term.h"
#include "stridelock/narrowing.h"

namespace stridelock::solve {

using stridelock::layout_facts;
using stridelock::tri;

// Conditions known to hold: sorted formulas. Cheap to copy for small sets; conjunctions are taken apart.
class assumptions {
 public:
  void add(term_graph& graph, term_id formula);
  bool contains(term_id formula) const;
  void keep_common(const assumptions& other);
  const std::vector<term_id>& formulas() const { return formulas_; }
  bool operator==(const assumptions&) const = default;

 private:
  std::vector<term_id> formulas_;
};

struct layout_verdict {
  layout_facts facts;
  // The view that made `dense` (or the asked fact) false; no_term if none did.
  term_id culprit = no_term;
  bool may = false;  // holds only if a call that may copy did not, or through a join
  int rank = -1;     // -1: unknown
};

class judge {
 public:
  judge(term_graph& graph, const assumptions& known) : graph_(graph), known_(known) {}

  tri holds(term_id formula);
  // Of a conjunction: no if one atom is refuted, yes if all are proved.
  tri holds_all(term_id conjunction);
  layout_verdict layout(term_id tensor);
  tri has_layout(ir::predicate what, term_id tensor, layout_verdict* why = nullptr);

 private:
  tri compare(ir::expr_op op, term_id a, term_id b);
  bool bounds(term_id x, std::int64_t& low, std::int64_t& high);
  layout_verdict layout_of_view(term_id id);
  layout_verdict unknown_layout(term_id id);
  bool covers_whole(term_id base, term_id dim, term_id start, term_id length);
  int rank_of(term_id tensor);
  bool numbers(term_id tensor, std::vector<stridelock::index_t>& extents,
               std::vector<stridelock::index_t>& strides);

  term_graph& graph_;
  const assumptions& known_;
  int depth_ = 0;
};

// Formulas that say something about the layout of a tensor: tests of layout and comparisons of strides.
// `eq(stride(x, -1), 1)` and the like are rewritten into tests, so that they are judged by the table.
term_id layout_formula(term_graph& graph, term_id formula);
bool mentions_layout(const term_graph& graph, term_id formula);
// Rank, type, size or presence of a tensor, or its layout.
bool mentions_tensor(const term_graph& graph, term_id formula);

}  // namespace stridelock::solve
