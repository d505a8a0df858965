// How a value came about, in the words of a trace.
#pragma once

#include <string>
#include <vector>

#include "analyzer/solve/solve.h"

namespace stridelock::checks {

// From the culprit outward to the value itself: the view that broke it, what was done with it since.
std::vector<report::trace_step> history(const solve::term_graph& graph, solve::term_id value,
                                        solve::term_id culprit, const ir::function* context);

// "columns [0, k) of 'buffer', which keep its row pitch"
std::string describe_view(const solve::term_graph& graph, solve::term_id view, const ir::function* context);

}  // namespace stridelock::checks
