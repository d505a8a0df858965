// Everything a report prints, in the order it prints it, and the exit code that goes with it.
//
// Promises:  assemble() depends on the sets of its inputs alone, so the same bytes come out for any number of
//            processes and any state of the cache. A run that could not do its job never ends with 0.
// Does not:  print; see text.h, json.h, sarif.h.
//
//   report_data data = assemble(findings, suppressions, coverage, problems);
//   std::string bytes = to_text(data, options);
//   return exit_code(data, fail_threshold::warning);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/report/baseline.h"
#include "analyzer/report/finding.h"
#include "analyzer/report/suppression.h"

namespace stridelock::report {

// A unit that was not analysed, or only in part.
struct unit_problem {
  ir::name file;
  bool failed = true;   // false: errors, yet analysed
  std::string summary;  // one line: what went wrong
  std::vector<ir::diagnostic> errors;
  std::uint32_t error_count = 0;  // all of them; `errors` may hold fewer
  std::string listed_reason;  // from `unparsed:`; empty: not listed, and then the run could not do its job
  bool operator==(const unit_problem&) const = default;
};

struct report_data {
  std::vector<finding> findings;               // shown
  std::vector<suppressed_finding> suppressed;  // only SARIF shows them
  std::vector<finding> known;                  // in the baseline; only SARIF shows them
  bool compared = false;                       // with a baseline
  std::size_t gone = 0;                        // of the baseline, and not found any more
  coverage seen;
  std::vector<unit_problem> problems;
  bool complete = true;  // the job was done: something was analysed, every problem is listed with a reason
};

report_data assemble(std::vector<finding> findings, const suppression_context& suppressions,
                     const coverage& seen, std::vector<unit_problem> problems);

// Takes the findings that are known out of those that are shown. `whole_program`: what was not found is gone.
void compare_with(report_data& data, const baseline& known, bool whole_program);

enum class fail_threshold : std::uint8_t { note, warning, error, never };

// 0: nothing at or above the threshold. 1: findings. 2: the job could not be done, whatever the threshold.
int exit_code(const report_data& data, fail_threshold threshold);

// "analysed 412 of 415 files (3 failed), 9811 functions, 0 limits hit; 2 errors, 1 warning, 1 suppressed"
std::string coverage_line(const report_data& data);

// The problems as compiler-like lines, for standard error.
std::string problem_lines(const report_data& data);

}  // namespace stridelock::report
