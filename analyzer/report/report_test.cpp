#include "analyzer/report/report.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyzer/report/json.h"
#include "analyzer/report/sarif.h"
#include "analyzer/report/test_findings.h"
#include "analyzer/report/text.h"

namespace stridelock::report {
namespace {

report_data with(severity level) {
  finding f = testing::copy_in_capture();
  f.level = level;
  return assemble({f}, testing::no_comments(), testing::all_analysed(), {});
}

unit_problem failed_unit(const char* reason = "") {
  unit_problem p;
  p.file = "engine/bad.cpp";
  p.summary = "not analysed: 3 errors";
  p.errors = {{{"engine/bad.cpp", 5, 2}, "unknown type name 'foo'"}};
  p.error_count = 3;
  p.listed_reason = reason;
  return p;
}

TEST(ExitCode, IsZeroWithoutFindings) {
  const report_data none = assemble({}, testing::no_comments(), testing::all_analysed(), {});
  EXPECT_EQ(exit_code(none, fail_threshold::note), 0);
}

TEST(ExitCode, DependsOnTheThreshold) {
  const auto code = [](severity level, fail_threshold threshold) {
    return exit_code(with(level), threshold);
  };
  EXPECT_EQ(code(severity::note, fail_threshold::note), 1);
  EXPECT_EQ(code(severity::note, fail_threshold::warning), 0);
  EXPECT_EQ(code(severity::warning, fail_threshold::warning), 1);
  EXPECT_EQ(code(severity::warning, fail_threshold::error), 0);
  EXPECT_EQ(code(severity::error, fail_threshold::error), 1);
  EXPECT_EQ(code(severity::error, fail_threshold::never), 0);
}

TEST(ExitCode, IsTwoWhenNothingWasAnalysedWhateverTheThreshold) {
  const report_data empty = assemble({}, testing::no_comments(), {}, {});
  EXPECT_EQ(exit_code(empty, fail_threshold::never), 2);
  EXPECT_EQ(exit_code(empty, fail_threshold::warning), 2);
}

TEST(ExitCode, IsTwoForAFailedUnitUnlessItIsListed) {
  const auto code = [](const char* reason) {
    return exit_code(assemble({testing::copy_in_capture()}, testing::no_comments(), testing::all_analysed(),
                              {failed_unit(reason)}),
                     fail_threshold::never);
  };
  EXPECT_EQ(code(""), 2);
  EXPECT_EQ(code("needs nvshmem"), 0);
}

TEST(ExitCode, SuppressedFindingsDoNotCount) {
  suppression_context context = testing::no_comments();
  context.comments = {{"engine/run.cpp", 4, 4, "copy-in-capture", "dense by construction"}};
  const report_data data = assemble({testing::copy_in_capture()}, context, testing::all_analysed(), {});
  EXPECT_EQ(exit_code(data, fail_threshold::note), 0);
}

TEST(CoverageLine, SaysWhatWasNotDone) {
  coverage seen;
  seen.units_asked = 10;
  seen.units_analysed = 7;
  seen.units_degraded = 1;
  seen.units_failed = 3;
  seen.units_listed = 2;
  seen.functions = 1;
  seen.limits_hit = 1;
  seen.unknown_instructions = 4;
  EXPECT_EQ(coverage_line(assemble({testing::narrowed_view(), testing::copy_in_capture()},
                                   testing::no_comments(), seen, {failed_unit()})),
            "analysed 7 of 10 files (3 failed, 1 with errors, 2 listed as unparsed), 1 function, "
            "4 unknown instructions, 1 limit hit; 1 error, 1 warning");
}

TEST(ProblemLines, ShowErrorsAndTheWayOut) {
  EXPECT_EQ(problem_lines(assemble({}, testing::no_comments(), testing::all_analysed(), {failed_unit()})),
            "engine/bad.cpp:5:2: error: unknown type name 'foo'\n"
            "engine/bad.cpp: note: and 2 more errors\n"
            "engine/bad.cpp: error: not analysed: 3 errors; make it parse, or list it under `unparsed:` in "
            ".stridelock.yaml with a reason\n");
}

TEST(Assemble, RepeatedFindingsOfOneNameAreNumbered) {
  finding second = testing::copy_in_capture();
  second.where.line = 9;
  const report_data data =
      assemble({second, testing::copy_in_capture()}, testing::no_comments(), testing::all_analysed(), {});
  ASSERT_EQ(data.findings.size(), 2u);
  EXPECT_EQ(data.findings[0].where.line, 4u);
  EXPECT_EQ(data.findings[1].fingerprint, data.findings[0].fingerprint + "|#2");
}

TEST(Assemble, ASuppressionDoesNotRenameTheNeighbour) {
  finding second = testing::copy_in_capture();
  second.where.line = 9;
  suppression_context context = testing::no_comments();
  context.comments = {{"engine/run.cpp", 4, 4, "copy-in-capture", "r"}};
  const report_data data =
      assemble({second, testing::copy_in_capture()}, context, testing::all_analysed(), {});
  ASSERT_EQ(data.findings.size(), 1u);
  EXPECT_EQ(data.findings[0].fingerprint, testing::copy_in_capture().fingerprint + "|#2");
}

TEST(Assemble, EveryFormatHasTheSameBytesForAnyOrder) {
  suppression_context context = testing::no_comments();
  context.comments = {{"engine/run.cpp", 2, 2, "narrowed-view", "r"},
                      {"engine/run.cpp", 4, 4, "narrowed-view", ""},
                      {"engine/a.cpp", 4, 4, "narrowed-view", "r"}};
  std::vector<finding> findings = {testing::hostile(), testing::narrowed_view(), testing::copy_in_capture()};
  unit_problem other = failed_unit();
  other.file = "engine/also_bad.cpp";
  std::vector<unit_problem> problems = {failed_unit(), other, failed_unit()};
  std::string expected;
  std::vector<int> order = {0, 1, 2};
  do {
    const auto shuffled = [&](const auto& all) {
      auto out = all;
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = all[static_cast<std::size_t>(order[i])];
      return out;
    };
    suppression_context shuffled_context = context;
    shuffled_context.comments = shuffled(context.comments);
    const report_data data =
        assemble(shuffled(findings), shuffled_context, testing::all_analysed(), shuffled(problems));
    const std::string bytes = to_text(data, {}) + to_json(data) + to_sarif(data, {}) + problem_lines(data);
    if (expected.empty()) expected = bytes;
    ASSERT_EQ(bytes, expected);
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace
}  // namespace stridelock::report
