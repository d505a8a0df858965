// Runs `stridelock` in a scratch project, and says what every refusal must look like.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/scratch.h"

namespace stridelock::test {

// A file that has one narrowed-view finding, without any include: the model says what the types mean.
extern const char* const clean_source;

class bad_input : public ::testing::Test {
 protected:
  bad_input();  // the cache lies in the scratch folder
  outcome stridelock(std::vector<std::string> arguments) const;

  // Exit 2, no finding, no crash, and `parts` all in one line of standard error.
  static void expect_refusal(const outcome& ended, std::initializer_list<std::string> parts);

  scratch folder_;
};

// Nested `[` as deep as `depth`.
std::string deep_list(std::size_t depth);

}  // namespace stridelock::test
