// launch_error.h: the one exception of kernels/ beside contract_violation: CUDA refused a launch, or this build has none.
#pragma once

#include <stdexcept>

namespace stridelock::kernels {

class launch_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace stridelock::kernels
