// Mock of torch/torch.h: everything of ATen under the name torch.
#pragma once
#include <ATen/ATen.h>

namespace torch {
using namespace at;  // NOLINT(google-build-using-namespace): as the real header
}  // namespace torch
