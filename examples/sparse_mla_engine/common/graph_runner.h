// Captures a step into a graph once and replays it for later steps of the same shape.
#pragma once

#include "step.h"

namespace engine {

// Captures with the data of `captured`, refills the buffers with `replayed`, replays, and returns what came
// out. Throws what the kernel library throws.
step_output capture_and_replay(const step_input& captured, const step_input& replayed);

}  // namespace engine
