#include "analyzer/extract/supplied_files.h"

namespace stridelock::extract {

const char* const supplied_cuda_headers = "/stridelock-supplied/cuda";
const char* const supplied_cuda_prelude = "/stridelock-supplied/prelude/cuda.h";

const std::vector<supplied_file>& supplied_files() {
  static const std::vector<supplied_file> files = {
      {"/stridelock-supplied/cuda/texture_fetch_functions.h", "#pragma once\n"},
      // nvcc lets host code call min and max unqualified; Clang's wrapper declares them for the device only.
      {"/stridelock-supplied/prelude/cuda.h", R"(#pragma once
#if defined(__CUDA__) && defined(__cplusplus)
#define STRIDELOCK_HOST __attribute__((host)) static inline constexpr
STRIDELOCK_HOST int min(int a, int b) { return b < a ? b : a; }
STRIDELOCK_HOST int max(int a, int b) { return a < b ? b : a; }
STRIDELOCK_HOST unsigned min(unsigned a, unsigned b) { return b < a ? b : a; }
STRIDELOCK_HOST unsigned max(unsigned a, unsigned b) { return a < b ? b : a; }
STRIDELOCK_HOST unsigned min(int a, unsigned b) { return min(static_cast<unsigned>(a), b); }
STRIDELOCK_HOST unsigned max(int a, unsigned b) { return max(static_cast<unsigned>(a), b); }
STRIDELOCK_HOST unsigned min(unsigned a, int b) { return min(a, static_cast<unsigned>(b)); }
STRIDELOCK_HOST unsigned max(unsigned a, int b) { return max(a, static_cast<unsigned>(b)); }
STRIDELOCK_HOST long min(long a, long b) { return b < a ? b : a; }
STRIDELOCK_HOST long max(long a, long b) { return a < b ? b : a; }
STRIDELOCK_HOST unsigned long min(unsigned long a, unsigned long b) { return b < a ? b : a; }
STRIDELOCK_HOST unsigned long max(unsigned long a, unsigned long b) { return a < b ? b : a; }
STRIDELOCK_HOST long long min(long long a, long long b) { return b < a ? b : a; }
STRIDELOCK_HOST long long max(long long a, long long b) { return a < b ? b : a; }
STRIDELOCK_HOST unsigned long long min(unsigned long long a, unsigned long long b) { return b < a ? b : a; }
STRIDELOCK_HOST unsigned long long max(unsigned long long a, unsigned long long b) { return a < b ? b : a; }
STRIDELOCK_HOST float min(float a, float b) { return b < a ? b : a; }
STRIDELOCK_HOST float max(float a, float b) { return a < b ? b : a; }
STRIDELOCK_HOST double min(double a, double b) { return b < a ? b : a; }
STRIDELOCK_HOST double max(double a, double b) { return a < b ? b : a; }
#undef STRIDELOCK_HOST
#endif
)"},
  };
  return files;
}

}  // namespace stridelock::extract
