#include "analyzer/solve/interpret.h"

#include "analyzer/solve/interpreter.h"

namespace stridelock::solve {

function_report interpret(const interpretation_input& input) {
  return interpreter(input).run();
}

}  // namespace stridelock::solve
