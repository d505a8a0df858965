// Words that several rules use in their messages.
#pragma once

#include <string>

#include "analyzer/solve/solve.h"

namespace stridelock::checks {

// What a layout formula asks: "a contiguous tensor". `fact`, how the consumer spells it, stands in for formulas that
// have no words of their own.
std::string needed(const solve::term_graph& graph, solve::term_id formula, const std::string& fact);

// A signature without the parameter types.
std::string plain_name(const std::string& signature);

}  // namespace stridelock::checks
