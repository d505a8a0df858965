// What the GPU test programs share. They need no GoogleTest, so that a machine with nvcc and cmake alone can build them.
// Exit: 0 all passed, 1 something failed, 77 no device ("skipped: REASON" says why, as scripts/test expects).
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace gpu {

inline int failures = 0;

inline void check(bool holds, const char* what, const char* file, int line) {
  if (holds) return;
  ++failures;
  std::printf("%s:%d: FAILED: %s\n", file, line, what);
}
#define GPU_CHECK(condition) gpu::check((condition), #condition, __FILE__, __LINE__)

inline void must(cudaError_t code, const char* what, const char* file, int line) {
  if (code == cudaSuccess) return;
  std::printf("%s:%d: FAILED: %s: %s\n", file, line, what, cudaGetErrorName(code));
  std::exit(1);
}
#define GPU_MUST(call) gpu::must((call), #call, __FILE__, __LINE__)

// Ends the program with 77 if there is nothing to run on.
inline void need_device() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaSuccess && count > 0) return;
  std::printf("skipped: no CUDA device: %s\n", cudaGetErrorName(code));
  std::exit(77);
}

inline std::string machine() {
  int driver = 0;
  int runtime = 0;
  cudaDeviceProp properties{};
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  cudaGetDeviceProperties(&properties, 0);
  std::string version = "unknown";
  if (std::FILE* file = std::fopen("/proc/driver/nvidia/version", "r")) {
    char line[256] = {};
    if (std::fgets(line, sizeof line, file) != nullptr) {
      // NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build …
      const std::string text = line;
      for (std::size_t i = 0; i + 7 < text.size(); ++i) {
        if (text[i] == ' ' && text[i + 1] >= '1' && text[i + 1] <= '9' && text.find('.', i) == i + 4) {
          version = text.substr(i + 1, text.find(' ', i + 1) - i - 1);
          break;
        }
      }
    }
    std::fclose(file);
  }
  return std::string(properties.name) + ", driver " + version + " (CUDA " + std::to_string(driver / 1000) +
         "." + std::to_string(driver % 1000 / 10) + "), runtime " + std::to_string(runtime / 1000) + "." +
         std::to_string(runtime % 1000 / 10);
}

}  // namespace gpu
