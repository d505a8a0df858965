// Who may call whom, and an order in which callees come before callers.
#pragma once

#include <vector>

#include "analyzer/solve/program.h"

namespace stridelock::solve {

struct call_graph {
  std::vector<std::vector<function_index>> callees;     // sorted, without repeats
  std::vector<std::vector<function_index>> components;  // strongly connected, callees first
  std::vector<bool> has_caller;
};

call_graph build_call_graph(const program& whole);

}  // namespace stridelock::solve
