#include "host_memory.h"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace stridelock {
inline namespace v1 {
namespace cuda {

host_mappings::host_mappings() {
#if defined(__linux__)
  if (std::FILE* file = std::fopen("/proc/self/maps", "r")) {
    known_ = true;
    char line[1024];
    while (std::fgets(line, sizeof line, file) != nullptr) {
      std::uint64_t begin = 0;
      std::uint64_t end = 0;
      char access[5] = {};
      if (std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &begin, &end, access) != 3) continue;
      if (std::strstr(line, "[stack]") != nullptr) stacks_.push_back({begin, end});
      // The driver reserves address ranges without access, and maps device files: neither is host memory.
      if (access[0] == 'r' && std::strstr(line, "/dev/nvidia") == nullptr) readable_.push_back({begin, end});
    }
    std::fclose(file);
    std::sort(readable_.begin(), readable_.end(),
              [](const range& a, const range& b) { return a.begin < b.begin; });
  }
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* low = nullptr;
    std::size_t size = 0;
    if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
      const auto begin = reinterpret_cast<std::uint64_t>(low);
      stacks_.push_back({begin, begin + size});
    }
    pthread_attr_destroy(&attributes);
  }
#endif
}

host_storage host_mappings::storage_of(std::uint64_t address) const {
  if (!known_) return host_storage::unknown;
  for (const range& stack : stacks_) {
    if (address >= stack.begin && address < stack.end) return host_storage::stack;
  }
  const auto after = std::upper_bound(readable_.begin(), readable_.end(), address,
                                      [](std::uint64_t a, const range& r) { return a < r.begin; });
  if (after == readable_.begin() || address >= (after - 1)->end) return host_storage::unmapped;
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(address), &info) != 0) return host_storage::static_storage;
  return host_storage::other;
}

}  // namespace cuda
}  // namespace v1
}  // namespace stridelock
