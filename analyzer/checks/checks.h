// The checks: which there are, and running them over a solved program.
//
// Promises:  one folder a check: rule.cpp, README.md (what `stridelock explain` prints) and fixtures. Findings come
//            sorted by place; equal findings are given once.
// Does not:  suppress, compare with a baseline or print: report does.
#pragma once

#include <string>
#include <vector>

#include "analyzer/report/finding.h"
#include "analyzer/solve/program.h"
#include "analyzer/solve/solve.h"

namespace stridelock::checks {

struct check_info {
  std::string name;     // without prefix
  std::string summary;  // one line
  std::string page;     // README.md of its folder
  report::severity usual = report::severity::warning;
};
const std::vector<check_info>& all_checks();

struct check_options {
  std::vector<std::string> enabled_globs;   // empty: all; "-glob" disables
  std::vector<std::string> assume_capture;  // globs over qualified names
};

struct analysis_result {
  std::vector<report::finding> findings;
  report::coverage coverage;   // functions, limits, unknowns: the rest is the driver's
  std::string contracts_text;  // what each exported function asks of its arguments, for --debug=contracts
};
// `whole` must be finished; it must outlive nothing.
analysis_result run_checks(const solve::program& whole, const check_options& options);

bool matches_glob(std::string_view pattern, std::string_view text);  // '*' and '?'
bool is_enabled(std::string_view check, const std::vector<std::string>& globs);

// ---- for rules ---------------------------------------------------------------------------------------------------

// Each rule reads the solution and appends what it found.
void narrowed_view(const solve::solution& solved, std::vector<report::finding>& out);
void copy_in_capture(const solve::solution& solved, std::vector<report::finding>& out);
void unchecked_pointer(const solve::solution& solved, std::vector<report::finding>& out);

}  // namespace stridelock::checks
