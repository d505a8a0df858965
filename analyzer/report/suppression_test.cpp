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
