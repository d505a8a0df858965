#include "analyzer/solve/entry_points.h"

#include <gtest/gtest.h>

#include "analyzer/solve/test_program.h"

namespace stridelock::solve {
namespace {

std::vector<std::string> names(std::string_view text) {
  program whole;
  add_unit(whole, text);
  whole.finish();
  const std::vector<bool> entry = entry_points(whole);
  std::vector<std::string> out;
  for (function_index f = 0; f < whole.functions().size(); ++f)
    if (entry[f]) out.push_back(whole.functions()[f]->symbol.str());
  return out;
}

TEST(EntryPoints, WhoIsCalledIsNone) {
  EXPECT_EQ(names(R"ir(
unit u.cpp
function inner ; 1
b0:
  return
function outer ; 2
b0:
  call inner()
  return
)ir"),
            std::vector<std::string>{"outer"});
}

TEST(EntryPoints, ACallByItselfIsNoCaller) {
  EXPECT_EQ(names(R"ir(
unit u.cpp
function again ; 1
b0:
  call again()
  return
)ir"),
            std::vector<std::string>{"again"});
}

TEST(EntryPoints, WhoIsHandedToTheProgramIsNoneWhoIsHandedToALibraryIs) {
  EXPECT_EQ(names(R"ir(
unit u.cpp
function registered ; 1
b0:
  return
function handed ; 2
b0:
  return
function apply ; 3
  param f "void (*)()"
b0:
  return
function setup ; 4
b0:
  call library_def(fn registered)
  call apply(fn handed)
  return
)ir"),
            (std::vector<std::string>{"registered", "setup"}));
}

}  // namespace
}  // namespace stridelock::solve
