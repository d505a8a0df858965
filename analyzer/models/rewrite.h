// rewrite: raw IR to modelled IR, the first pass of link (docs/layout-ir.md, "What link adds").
//
// Promises:  a call that a row describes becomes what the row says, with its location and spelling; every value the call
//            defined is still defined; a call that no row describes stays as it is. References stay in range. Equal
//            input gives equal output. A function with a body in the unit is rewritten only by a row that names it.
// Does not:  interpret: requirements are model_set::requirements(), never instructions. Rewriting twice changes nothing
//            more, except where a row keeps the call and adds to it: rewrite a unit once.
//
// What rows with several parts become, in this order: effects, the capture event, the call if it is kept, what it
// stores. Rows that only add (effects, capture, noreturn, requires, alloc and test with `out`) keep the call.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/ir/ir.h"
#include "analyzer/models/model_set.h"

namespace stridelock::models {

// A function without model and without body in the unit that is given a tensor or returns one.
struct unmodelled_call {
  ir::name callee;
  ir::name symbol;  // link drops those that another unit defines
  std::uint64_t count = 0;
  bool operator==(const unmodelled_call&) const = default;
};

struct rewrite_statistics {
  std::uint64_t calls = 0;
  std::uint64_t modelled = 0;               // a row was found
  std::vector<unmodelled_call> unmodelled;  // sorted by callee and symbol

  rewrite_statistics& operator+=(const rewrite_statistics& other);
  bool operator==(const rewrite_statistics&) const = default;
};

rewrite_statistics rewrite(ir::unit& unit, const model_set& models);

}  // namespace stridelock::models
