#include "analyzer/extract/suppressions.h"

#include <gtest/gtest.h>

namespace stridelock::extract {
namespace {

std::vector<ir::suppression> read(std::string_view comment) {
  return suppressions_in(comment, "a.cpp", 10);
}

TEST(suppressions, names_check_line_and_reason) {
  EXPECT_EQ(read("// NOLINT(stridelock-narrowed-view): rows are padded"),
            (std::vector<ir::suppression>{{"a.cpp", 10, 10, "narrowed-view", "rows are padded"}}));
}

TEST(suppressions, next_line_applies_below_the_comment) {
  EXPECT_EQ(read("// NOLINTNEXTLINE(stridelock-copy-in-capture): once"),
            (std::vector<ir::suppression>{{"a.cpp", 11, 10, "copy-in-capture", "once"}}));
}

TEST(suppressions, several_checks_share_a_reason_and_those_of_other_tools_are_left_alone) {
  EXPECT_EQ(read("// NOLINT(bugprone-x, stridelock-a ,stridelock-b): why"),
            (std::vector<ir::suppression>{{"a.cpp", 10, 10, "a", "why"}, {"a.cpp", 10, 10, "b", "why"}}));
}

TEST(suppressions, a_missing_reason_is_kept_as_missing) {
  EXPECT_EQ(read("// NOLINT(stridelock-a)"), (std::vector<ir::suppression>{{"a.cpp", 10, 10, "a", ""}}));
  EXPECT_EQ(read("// NOLINT(stridelock-a):  "), (std::vector<ir::suppression>{{"a.cpp", 10, 10, "a", ""}}));
  EXPECT_EQ(read("// NOLINT(stridelock-a) because"),
            (std::vector<ir::suppression>{{"a.cpp", 10, 10, "a", ""}}));
}

TEST(suppressions, bare_and_wildcard_do_not_count) {
  EXPECT_TRUE(read("// NOLINT").empty());
  EXPECT_TRUE(read("// NOLINT: reason").empty());
  EXPECT_TRUE(read("// NOLINT(*): reason").empty());
  EXPECT_TRUE(read("// NOLINT(stridelock-*): reason").empty());
  EXPECT_TRUE(read("// NOLINT(stridelock-): reason").empty());
  EXPECT_TRUE(read("// NOLINTBEGIN(stridelock-a): reason").empty());
  EXPECT_TRUE(read("// XNOLINT(stridelock-a): reason").empty());
  EXPECT_TRUE(read("// NOLINT(stridelock-a").empty());
}

TEST(suppressions, block_comments_count_lines_and_end_the_reason) {
  EXPECT_EQ(read("/* first\n NOLINTNEXTLINE(stridelock-a): why */"),
            (std::vector<ir::suppression>{{"a.cpp", 12, 11, "a", "why"}}));
}

TEST(suppressions, two_in_one_comment) {
  EXPECT_EQ(read("// NOLINT(stridelock-a): one NOLINT(stridelock-b): two"),
            (std::vector<ir::suppression>{{"a.cpp", 10, 10, "a", "one"}, {"a.cpp", 10, 10, "b", "two"}}));
}

}  // namespace
}  // namespace stridelock::extract
