// Where a host address lies in this process. Linux only; elsewhere the answer is unknown. Private to the library.
#pragma once

#include <cstdint>
#include <vector>

#include "stridelock/graph_snapshot.h"

namespace stridelock {
inline namespace v1 {
namespace cuda {

// The mappings of the process at the time of construction.
class host_mappings {
 public:
  host_mappings();
  host_storage storage_of(std::uint64_t address) const;

 private:
  struct range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  bool known_ = false;
  std::vector<range> readable_;  // ascending
  std::vector<range> stacks_;    // of the main thread and of this one
};

}  // namespace cuda
}  // namespace v1
}  // namespace stridelock
