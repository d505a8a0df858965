// roofs.h: what this chip can do at most: move memory, and multiply.
#pragma once

#include <cstddef>

namespace stridelock::kernels::bench {

void run_copy(void* stream, void* to, const void* from, std::size_t bytes, int processors);
void run_read(void* stream, float* scratch, const void* from, std::size_t bytes, int processors);

// Launches a loop of mma.sync and returns how many floating-point operations it does.
double run_matrix_rate(void* stream, float* scratch, int blocks, int rounds);

}  // namespace stridelock::kernels::bench
