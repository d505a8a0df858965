// Mock: c10::optional is std::optional since libtorch 2.2.
#pragma once
#include <optional>

namespace c10 {
using std::in_place;
using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using std::optional;
}  // namespace c10
