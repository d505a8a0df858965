// What each of the test's shared libraries offers. They differ in the standard string they were built with and in where
// their Stridelock comes from; everything that passes between them is declared here.
#pragma once

#include <cstddef>

#include "stridelock/failure.h"
#include "stridelock/report.h"

namespace abi_test {

enum class caught { nothing, violation, exception };

struct library {
  bool new_string;                // _GLIBCXX_USE_CXX11_ABI
  void (*refuse)();               // a boundary that refuses, and throws if no hook takes the report
  stridelock::report (*judge)();  // the same call, as data
  // Reads a report made elsewhere: its text with this library's std::string.
  bool (*reads)(const stridelock::report& r, const char* expected);
  void (*drop)(stridelock::report r);
  // Runs `action` and says what it threw; copies a violation, and reads the copy.
  caught (*runs)(void (*action)(), const char* expected_text);
  // Runs `action` under a hook and a pretended capability of this library, and says how often the hook was called.
  int (*hook_calls)(void (*action)());
};

}  // namespace abi_test
