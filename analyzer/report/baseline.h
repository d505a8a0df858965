// The findings a project already knows, so that it hears only of new ones.
//
//   # stridelock baseline, version 1. Written by `stridelock check --write-baseline=FILE`; do not edit.
//   narrowed-view|engine::run(const engine::batch &)|sparse_mla|extra_indices|idx
//
// Promises:  one fingerprint a line, sorted, so that it merges like source; read back equal, whatever bytes a
//            fingerprint holds. A finding that was moved or re-indented is still known. Equal findings count: a third
//            one is new where two were known.
// Does not:  hide anything: what is known is counted in the coverage line and marked in SARIF.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/report/finding.h"

namespace stridelock::report {

struct baseline {
  std::set<std::string, std::less<>> fingerprints;  // numbered, so each is there once
};

// Findings about comments and configuration are not taken: they are mended, not adopted.
std::string print_baseline(const std::vector<finding>& findings);
std::string print_baseline(const baseline& what);

struct baseline_error {
  std::uint32_t line = 0;
  std::string message;
};
std::optional<baseline_error> parse_baseline(std::string_view bytes, baseline& out);

struct baseline_outcome {
  std::vector<finding> fresh;
  std::vector<finding> known;
  std::size_t gone = 0;  // fingerprints that nothing has any more
};
// The order of the findings is kept.
baseline_outcome apply_baseline(std::vector<finding> findings, const baseline& known);

}  // namespace stridelock::report
