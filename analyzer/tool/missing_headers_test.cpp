#include "analyzer/tool/missing_headers.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stridelock::tool {
namespace {

ir::unit with(const char* message, std::uint32_t errors = 1) {
  ir::unit unit;
  unit.diagnostics = {{{"src/a.cpp", 1, 10}, message}};
  unit.error_count = errors;
  return unit;
}

bool holds(const std::vector<std::string>& paths, const char* path) {
  return std::find(paths.begin(), paths.end(), path) != paths.end();
}

TEST(MissingHeaders, AreLookedForWhereTheCompilerLooked) {
  const auto paths =
      missing_headers(with("'x/y.h' file not found"), "/p/build",
                      {"clang++", "-I../include", "-isystem", "/opt/i", "-c", "/p/src/a.cpp"}, "/p");
  ASSERT_TRUE(paths.has_value());
  EXPECT_TRUE(holds(*paths, "/p/src/x/y.h"));
  EXPECT_TRUE(holds(*paths, "/p/include/x/y.h"));
  EXPECT_TRUE(holds(*paths, "/opt/i/x/y.h"));
}

TEST(MissingHeaders, AdviceBehindTheMessageDoesNotMatter) {
  const auto paths = missing_headers(with("'y.h' file not found, did you mean 'Y.h'?"), "/p", {}, "/p");
  ASSERT_TRUE(paths.has_value());
  EXPECT_TRUE(holds(*paths, "/p/src/y.h"));
}

TEST(MissingHeaders, OtherErrorsMissNone) {
  EXPECT_TRUE(missing_headers(with("expected ';'"), "/p", {}, "/p")->empty());
  EXPECT_TRUE(missing_headers(with(""), "/p", {}, "/p")->empty());
  EXPECT_TRUE(missing_headers({}, "/p", {}, "/p")->empty());
}

TEST(MissingHeaders, CannotBeToldFromHalfTheErrors) {
  EXPECT_FALSE(missing_headers(with("expected ';'", 2), "/p", {}, "/p").has_value());
}

}  // namespace
}  // namespace stridelock::tool
