// What the functions of a program ask of their arguments, as text: `check --debug=contracts`.
#pragma once

#include <string>

#include "analyzer/solve/solve.h"

namespace stridelock::checks {

// Exported functions in order of signature; for each its requirements: evidence, fact, guard, place.
std::string contracts_text(const solve::program& whole, const solve::solution& solved);

}  // namespace stridelock::checks
