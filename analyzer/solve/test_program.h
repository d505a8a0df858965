// Builds a program from the text form, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "analyzer/ir/text.h"
#include "analyzer/solve/program.h"

namespace stridelock::solve {

inline void add_unit(program& p, std::string_view text) {
  auto parsed = ir::parse(text, "test");
  if (const auto* e = std::get_if<ir::parse_error>(&parsed)) {
    ADD_FAILURE() << e->str();
    return;
  }
  p.add(std::move(std::get<ir::unit>(parsed)));
}

}  // namespace stridelock::solve
