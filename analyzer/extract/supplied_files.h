// Headers that the analyzer brings along, held in memory: what Clang 19's CUDA wrapper includes and CUDA 13 no longer
// has, the host overloads that nvcc has built in, and the OpenMP declarations that another compiler keeps to itself.
#pragma once

#include <string>
#include <vector>

namespace stridelock::extract {

struct supplied_file {
  const char* path;  // absolute, below a folder that exists nowhere
  const char* content;
};

// Folder that holds the empty texture_fetch_functions.h; to be searched after all others.
extern const char* const supplied_cuda_headers;
// Folder that holds omp.h; to be searched after all others.
extern const char* const supplied_openmp_headers;
// Folder of headers that a build of the user's libraries would have generated; to be searched after all others.
extern const char* const supplied_generated_headers;
// To be included before a CUDA file.
extern const char* const supplied_cuda_prelude;

const std::vector<supplied_file>& supplied_files();

}  // namespace stridelock::extract
