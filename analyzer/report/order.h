// The one order of findings, and the one place where two findings become one.
//
// Promises:  the result depends on the set of findings alone, not on the order they arrive in.
#pragma once

#include <vector>

#include "analyzer/report/finding.h"

namespace stridelock::report {

// By file, line, column, check, fingerprint, then strongest first, then everything else.
bool before(const finding& a, const finding& b);

// Sorts; findings of one check at one place with one fingerprint (template instantiations, units that share a
// header, macro copies) become one: the strongest, of those the one with the shortest path.
std::vector<finding> sorted_and_merged(std::vector<finding> findings);

}  // namespace stridelock::report
