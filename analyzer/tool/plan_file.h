// The plan that `stridelock preflight` reads. The format is described in docs/preflight.md.
//
// Promises:  any bytes give a plan or a failure with file, line, column and what was expected.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stridelock/preflight.h"

namespace stridelock::tool {

struct plan_file {
  preflight_plan plan;
  std::vector<std::string> contracts;  // as written: relative to the plan's folder

  // Where a text of the plan stands, for faults that are found later.
  struct place {
    std::string text;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
  };
  std::vector<place> places;
  std::string file;

  [[noreturn]] void refuse(const plan_fault& fault) const;
};

// Throws failure.
plan_file parse_plan(std::string_view bytes, const std::string& file);

}  // namespace stridelock::tool
