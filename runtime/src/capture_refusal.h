// The report of a boundary whose arguments would not be there at replay. Private to the library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stridelock/capture_backend.h"
#include "stridelock/evaluate.h"
#include "stridelock/registry.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

class refused_arguments {
 public:
  refused_arguments(const dispatch_view& what, const argument_value* arguments, int count,
                    std::string_view graph, capture_mode mode)
      : what_(what), arguments_(arguments), count_(count), graph_(graph), mode_(mode) {}

  void add(int argument, const placement& where);
  bool empty() const { return violations_.empty(); }
  // One report of both: what the contract says, and what cannot be captured.
  report join(report judged) &&;

 private:
  std::string_view name(int argument) const;

  const dispatch_view& what_;
  const argument_value* arguments_;
  int count_;
  std::string_view graph_;
  capture_mode mode_;
  std::vector<violation> violations_;
  std::string text_;
};

report refused_host_memory(std::string_view boundary, std::string_view name, std::uint64_t bytes,
                           std::string_view graph, capture_mode mode);

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
