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
  EXPECT_TRUE(read("// NOLINTBEGIN: reason").empty());
  EXPECT_TRUE(read("// NOLINTBEGINNING(stridelock-a): reason").empty());
  EXPECT_TRUE(read("// XNOLINT(stridelock-a): reason").empty());
  EXPECT_TRUE(read("// NOLINT(stridelock-a").empty());
}

TEST(suppressions, block_comments_count_lines_and_end_the_reason) {
  EXPECT_EQ(read("/* first\n NOLINTNEXTLINE(stridelock-a): why */"),
            (std::vector<ir::suppression>{{"a.cpp", 12, 11, "a", "why"}}));
}

using ir::suppression;
using ir::suppression_extent;

suppression mark(std::uint32_t line, std::string_view check, suppression_extent extent,
                 std::uint32_t last = 0) {
  return {"a.cpp", line, line, check, extent == suppression_extent::unopened ? "" : "why", extent, last};
}

TEST(suppressions, begin_and_end_of_a_region_are_marks) {
  EXPECT_EQ(read("// NOLINTBEGIN(stridelock-a): why"),
            std::vector<suppression>{mark(10, "a", suppression_extent::unclosed)});
  EXPECT_EQ(read("// NOLINTEND(stridelock-a)"),
            std::vector<suppression>{mark(10, "a", suppression_extent::unopened)});
}

TEST(suppressions, marks_join_like_braces_by_check_and_file) {
  const auto begin = [](std::uint32_t line, std::string_view check) {
    return mark(line, check, suppression_extent::unclosed);
  };
  const auto end = [](std::uint32_t line, std::string_view check) {
    return mark(line, check, suppression_extent::unopened);
  };
  const auto region = [](std::uint32_t first, std::string_view check, std::uint32_t last) {
    return mark(first, check, suppression_extent::region, last);
  };
  EXPECT_EQ(joined_suppressions(
                {end(9, "a"), begin(1, "a"), begin(3, "a"), end(5, "a"), begin(4, "b"), end(7, "b")}),
            (std::vector<suppression>{region(1, "a", 9), region(3, "a", 5), region(4, "b", 7)}));
  EXPECT_EQ(joined_suppressions({end(1, "a"), begin(2, "a"), begin(2, "a")}),
            (std::vector<suppression>{end(1, "a"), begin(2, "a")}))
      << "an end before its begin closes nothing, and a header read twice counts once";
  suppression elsewhere = end(5, "a");
  elsewhere.file = "b.cpp";
  EXPECT_EQ(joined_suppressions({begin(1, "a"), elsewhere}),
            (std::vector<suppression>{begin(1, "a"), elsewhere}));
}

TEST(suppressions, two_in_one_comment) {
  EXPECT_EQ(read("// NOLINT(stridelock-a): one NOLINT(stridelock-b): two"),
            (std::vector<ir::suppression>{{"a.cpp", 10, 10, "a", "one"}, {"a.cpp", 10, 10, "b", "two"}}));
}

}  // namespace
}  // namespace stridelock::extract
