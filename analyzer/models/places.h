// Visiting and rewriting the places of an instruction.
#pragma once

#include "analyzer/ir/ir.h"
#include "analyzer/models/model_set.h"

namespace stridelock::models {

// Gives elements one name: `.std::pair::first` becomes `[0]` where a field row says so.
void unify_elements(ir::function& function, const model_set& models);

// A load of a field that a row describes as a query or pointer becomes that; false if it is not one.
bool rewrite_field_load(ir::instruction& instruction, const model_set& models);

}  // namespace stridelock::models
