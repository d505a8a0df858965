#include "analyzer/report/baseline.h"

#include <gtest/gtest.h>

#include "analyzer/report/report.h"
#include "analyzer/report/rule.h"
#include "analyzer/report/test_findings.h"

namespace stridelock::report {
namespace {

finding named(std::string fingerprint, std::uint32_t line) {
  finding f = testing::narrowed_view();
  f.fingerprint = std::move(fingerprint);
  f.where.line = line;
  return f;
}

baseline read(const std::string& bytes) {
  baseline out;
  const auto error = parse_baseline(bytes, out);
  EXPECT_FALSE(error) << error->line << ": " << error->message;
  return out;
}

std::string refusal(const std::string& bytes) {
  baseline out;
  const auto error = parse_baseline(bytes, out);
  return error ? std::to_string(error->line) + ": " + error->message : "accepted";
}

TEST(Baseline, HoldsOneSortedLineForEachFinding) {
  EXPECT_EQ(
      print_baseline({testing::narrowed_view(), testing::copy_in_capture()}),
      "# stridelock baseline, version 1. Written by `stridelock check --write-baseline=FILE`; do not edit.\n"
      "copy-in-capture|engine::prepare(at::Tensor)|at::Tensor::contiguous||x\n"
      "narrowed-view|engine::run(const engine::batch &)|sparse_mla|extra_indices|idx\n");
}

TEST(Baseline, IsReadBackEqualWhateverBytesItHolds) {
  const finding odd = named("narrowed-view|a\nb\r|\\n|\xc3\x28", 1);
  const baseline again = read(print_baseline({odd, testing::hostile()}));
  EXPECT_EQ(again.fingerprints,
            (std::set<std::string, std::less<>>{odd.fingerprint, testing::hostile().fingerprint}));
  EXPECT_TRUE(read(print_baseline(baseline())).fingerprints.empty());
}

TEST(Baseline, SurvivesACheckoutWithCarriageReturns) {
  std::string bytes = print_baseline({testing::narrowed_view()});
  for (std::size_t at = bytes.find('\n'); at != std::string::npos; at = bytes.find('\n', at + 2))
    bytes.insert(at, "\r");
  EXPECT_EQ(read(bytes).fingerprints.count(testing::narrowed_view().fingerprint), 1u);
}

TEST(Baseline, RefusesWhatItDidNotWrite) {
  EXPECT_EQ(refusal(""),
            "1: expected '# stridelock baseline, version 1', as on the first line of a file that "
            "--write-baseline wrote");
  EXPECT_EQ(refusal("narrowed-view|f\n").substr(0, 12), "1: expected ");
  EXPECT_EQ(refusal("# stridelock baseline, version 2.\n"),
            "1: this baseline has another version than 1; write it again with --write-baseline");
  EXPECT_EQ(refusal("# stridelock baseline, version 12.\n"),
            "1: this baseline has another version than 1; write it again with --write-baseline");
  EXPECT_EQ(refusal("# stridelock baseline, version 1.\n\nnonsense\n"),
            "3: expected a fingerprint, CHECK|FUNCTION|…; write the file again with --write-baseline");
  EXPECT_EQ(refusal("# stridelock baseline, version 1.\na|b\\x\n").substr(0, 12), "2: expected ");
  EXPECT_EQ(refusal("# stridelock baseline, version 1.\na|b\\").substr(0, 12), "2: expected ");
}

TEST(Baseline, LeavesTheNewOneOfEqualFindings) {
  const baseline known = read(print_baseline({named("c|f", 3), named("c|f|#2", 9), named("c|gone", 1)}));
  const baseline_outcome outcome =
      apply_baseline({named("c|f", 5), named("c|f|#2", 8), named("c|f|#3", 12)}, known);
  ASSERT_EQ(outcome.fresh.size(), 1u);
  EXPECT_EQ(outcome.fresh[0].where.line, 12u);
  EXPECT_EQ(outcome.known.size(), 2u);
  EXPECT_EQ(outcome.gone, 1u);
}

TEST(Baseline, DoesNotAdoptFindingsAboutSuppressions) {
  finding f = testing::narrowed_view();
  f.check = unreasoned_suppression;
  f.fingerprint = "unreasoned-suppression|x";
  EXPECT_EQ(print_baseline({f}), print_baseline(baseline()));
}

TEST(Baseline, DecidesTheExitCodeAndIsCounted) {
  report_data data = assemble({testing::narrowed_view(), testing::copy_in_capture()}, testing::no_comments(),
                              testing::all_analysed(), {});
  report_data same = data;
  compare_with(
      same, read(print_baseline({named("c|gone", 1), testing::narrowed_view(), testing::copy_in_capture()})),
      true);
  EXPECT_EQ(exit_code(same, fail_threshold::note), 0);
  EXPECT_EQ(coverage_line(same),
            "analysed 2 of 2 files, 31 functions, 0 limits hit; no findings, 2 in the baseline, 1 of the "
            "baseline gone");

  compare_with(data, read(print_baseline({testing::copy_in_capture(), named("c|gone", 1)})), false);
  EXPECT_EQ(exit_code(data, fail_threshold::warning), 1);
  EXPECT_EQ(data.gone, 0u) << "a part of the program cannot tell what is gone";
  EXPECT_EQ(coverage_line(data),
            "analysed 2 of 2 files, 31 functions, 0 limits hit; 1 error, 1 in the baseline");
}

}  // namespace
}  // namespace stridelock::report
