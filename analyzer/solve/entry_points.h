// Functions that outsiders call: no call in the program runs them.
//
// Promises:  a function that is only named where a library takes it (registered as an operator, exported through a
//            binding) is an entry point; one that is handed to a function of the program is not. Lambdas never are.
// Does not:  tell a function that nobody calls from one whose callers are elsewhere; a call by itself is no caller.
#pragma once

#include <vector>

#include "analyzer/solve/program.h"

namespace stridelock::solve {

std::vector<bool> entry_points(const program& whole);  // by function_index

}  // namespace stridelock::solve
