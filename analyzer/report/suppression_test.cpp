#include "analyzer/report/suppression.h"

#include <gtest/gtest.h>

#include "analyzer/report/rule.h"
#include "analyzer/report/test_findings.h"

namespace stridelock::report {
namespace {

ir::suppression comment(std::uint32_t line, const char* check, const char* reason) {
  return {"engine/run.cpp", line, line, check, reason};
}

std::vector<std::string> checks_of(const std::vector<finding>& findings) {
  std::vector<std::string> checks;
  for (const finding& f : findings) checks.push_back(f.check);
  return checks;
}

using names = std::vector<std::string>;

TEST(Suppression, AReasonSilences) {
  suppression_context context = testing::no_comments();
  context.comments = {comment(2, "narrowed-view", "rows are padded")};
  const suppression_outcome outcome =
      apply_suppressions({testing::narrowed_view(), testing::copy_in_capture()}, context);
  EXPECT_EQ(checks_of(outcome.shown), names{"copy-in-capture"});
  ASSERT_EQ(outcome.suppressed.size(), 1u);
  EXPECT_EQ(outcome.suppressed[0].what, testing::narrowed_view());
  EXPECT_EQ(outcome.suppressed[0].reason, "rows are padded");
}

TEST(Suppression, NoReasonSilencesNothingAndIsReported) {
  suppression_context context = testing::no_comments();
  context.comments = {comment(2, "narrowed-view", "")};
  const suppression_outcome outcome = apply_suppressions({testing::narrowed_view()}, context);
  EXPECT_EQ(checks_of(outcome.shown), (names{"narrowed-view", unreasoned_suppression}));
  EXPECT_EQ(outcome.shown[1].level, severity::error);
  EXPECT_TRUE(outcome.suppressed.empty());
}

TEST(Suppression, OtherLineFileOrCheckDoesNotSilence) {
  suppression_context context = testing::no_comments();
  context.fully_analysed = nullptr;
  ir::suppression other_file = comment(2, "narrowed-view", "r");
  other_file.file = "engine/other.cpp";
  context.comments = {comment(3, "narrowed-view", "r"), comment(2, "copy-in-capture", "r"), other_file};
  EXPECT_EQ(apply_suppressions({testing::narrowed_view()}, context).shown.size(), 1u);
}

TEST(Suppression, ARegionSilencesItsLines) {
  suppression_context context = testing::no_comments();
  ir::suppression region = comment(1, "narrowed-view", "generated table");
  region.extent = ir::suppression_extent::region;
  region.last_line = 3;
  context.comments = {region};
  EXPECT_TRUE(apply_suppressions({testing::narrowed_view()}, context).shown.empty());
  context.comments[0].last_line = 1;  // ends above the finding
  EXPECT_EQ(checks_of(apply_suppressions({testing::narrowed_view()}, context).shown),
            (names{"narrowed-view", unused_suppression}));
  region.reason = "";
  context.comments = {region};
  const suppression_outcome outcome = apply_suppressions({testing::narrowed_view()}, context);
  ASSERT_EQ(checks_of(outcome.shown), (names{"narrowed-view", unreasoned_suppression}));
  EXPECT_NE(outcome.shown[1].message.find("write NOLINTBEGIN(stridelock-narrowed-view): why"),
            std::string::npos);
}

TEST(Suppression, ARegionWithoutBeginOrEndIsReported) {
  suppression_context context = testing::no_comments();
  ir::suppression open = comment(1, "narrowed-view", "r");
  open.extent = ir::suppression_extent::unclosed;
  ir::suppression end = comment(9, "copy-in-capture", "");
  end.extent = ir::suppression_extent::unopened;
  context.comments = {open, end};
  const suppression_outcome outcome = apply_suppressions({testing::narrowed_view()}, context);
  ASSERT_EQ(checks_of(outcome.shown), (names{"narrowed-view", unmatched_suppression, unmatched_suppression}));
  EXPECT_EQ(outcome.shown[1].message,
            "NOLINTBEGIN(stridelock-narrowed-view) silences nothing: no "
            "NOLINTEND(stridelock-narrowed-view) follows in this file");
  EXPECT_EQ(outcome.shown[2].message,
            "NOLINTEND(stridelock-copy-in-capture) ends nothing: no "
            "NOLINTBEGIN(stridelock-copy-in-capture) stands above it in this file");
}

TEST(Suppression, NextLineCommentsStandOnAnotherLine) {
  suppression_context context = testing::no_comments();
  context.comments = {{"engine/run.cpp", 2, 1, "narrowed-view", "r"}};
  const suppression_outcome outcome = apply_suppressions({testing::narrowed_view()}, context);
  EXPECT_TRUE(outcome.shown.empty());
  ASSERT_EQ(outcome.suppressed.size(), 1u);
  EXPECT_EQ(outcome.suppressed[0].comment.line, 1u);
}

TEST(Suppression, OneThatSilencesNothingIsReported) {
  suppression_context context = testing::no_comments();
  context.comments = {comment(9, "narrowed-view", "r"), comment(9, "narrowed-view", "r")};
  const suppression_outcome outcome = apply_suppressions({}, context);
  EXPECT_EQ(checks_of(outcome.shown), names{unused_suppression});
}

TEST(Suppression, NotIfItsCheckDidNotRun) {
  suppression_context context = testing::no_comments();
  context.checks_run = {"copy-in-capture"};
  context.comments = {comment(9, "narrowed-view", "r")};
  EXPECT_TRUE(apply_suppressions({}, context).shown.empty());
}

TEST(Suppression, NotIfAUnitWithTheFileWasNotAnalysed) {
  suppression_context context = testing::no_comments();
  context.fully_analysed = [](ir::name file) { return file != "engine/run.cpp"; };
  context.comments = {comment(9, "narrowed-view", "r")};
  EXPECT_TRUE(apply_suppressions({}, context).shown.empty());
}

TEST(Suppression, UnknownChecksAndWildcardsAreReported) {
  suppression_context context = testing::no_comments();
  context.comments = {comment(2, "narowed-view", "r"), comment(3, "*", "r")};
  const suppression_outcome outcome = apply_suppressions({testing::narrowed_view()}, context);
  EXPECT_EQ(checks_of(outcome.shown), (names{"narrowed-view", unknown_suppression, unknown_suppression}));
  EXPECT_NE(outcome.shown[1].message.find("did you mean 'stridelock-narrowed-view'?"), std::string::npos);
  EXPECT_NE(outcome.shown[2].message.find("wildcards do not count"), std::string::npos);
}

}  // namespace
}  // namespace stridelock::report
