#include "analyzer/report/report.h"

#include <algorithm>
#include <tuple>

#include "analyzer/report/fingerprint.h"
#include "analyzer/report/order.h"
#include "analyzer/report/place.h"
#include "analyzer/report/utf8.h"

namespace stridelock::report {
namespace {

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

auto order_of(const unit_problem& p) {
  return std::tuple(p.file.view(), !p.failed, std::string_view(p.summary), p.error_count,
                    std::string_view(p.listed_reason));
}

}  // namespace

report_data assemble(std::vector<finding> findings, const suppression_context& suppressions,
                     const coverage& seen, std::vector<unit_problem> problems) {
  report_data data;
  data.seen = seen;

  // Numbered before suppression, so that a suppressed finding does not change the name of its neighbour.
  findings = sorted_and_merged(std::move(findings));
  number_equal_fingerprints(findings);
  suppression_outcome outcome = apply_suppressions(std::move(findings), suppressions);
  data.findings = sorted_and_merged(std::move(outcome.shown));
  number_equal_fingerprints(data.findings);
  data.suppressed = std::move(outcome.suppressed);
  std::sort(data.suppressed.begin(), data.suppressed.end(),
            [](const auto& a, const auto& b) { return before(a.what, b.what); });

  data.problems = std::move(problems);
  std::sort(data.problems.begin(), data.problems.end(),
            [](const auto& a, const auto& b) { return order_of(a) < order_of(b); });
  data.problems.erase(std::unique(data.problems.begin(), data.problems.end()), data.problems.end());

  data.complete =
      seen.units_analysed > 0 && std::none_of(data.problems.begin(), data.problems.end(),
                                              [](const unit_problem& p) { return p.listed_reason.empty(); });
  return data;
}

void compare_with(report_data& data, const baseline& known, bool whole_program) {
  baseline_outcome outcome = apply_baseline(std::move(data.findings), known);
  data.findings = std::move(outcome.fresh);
  data.known = std::move(outcome.known);
  data.compared = true;
  data.gone = whole_program && data.complete ? outcome.gone : 0;
}

int exit_code(const report_data& data, fail_threshold threshold) {
  if (!data.complete) return 2;
  if (threshold == fail_threshold::never) return 0;
  const auto least = static_cast<severity>(threshold);
  const bool any = std::any_of(data.findings.begin(), data.findings.end(),
                               [&](const finding& f) { return f.level >= least; });
  return any ? 1 : 0;
}

std::string coverage_line(const report_data& data) {
  const coverage& seen = data.seen;
  std::string out =
      "analysed " + std::to_string(seen.units_analysed) + " of " + counted(seen.units_asked, "file", "files");
  std::string exceptions;
  const auto except = [&](std::uint64_t count, const char* what) {
    if (count == 0) return;
    exceptions += exceptions.empty() ? " (" : ", ";
    exceptions += std::to_string(count) + " " + what;
  };
  except(seen.units_failed, "failed");
  except(seen.units_degraded, "with errors");
  except(seen.units_listed, "listed as unparsed");
  if (!exceptions.empty()) out += exceptions + ")";

  out += ", " + counted(seen.functions, "function", "functions");
  const auto also = [&](std::uint64_t count, const char* one, const char* many) {
    if (count != 0) out += ", " + counted(count, one, many);
  };
  also(seen.templates_without_instance, "template without an instance", "templates without an instance");
  also(seen.hidden_by_cuda_arch, "region hidden by __CUDA_ARCH__", "regions hidden by __CUDA_ARCH__");
  also(seen.unknown_instructions, "unknown instruction", "unknown instructions");
  also(seen.unmodelled_calls, "un-modelled tensor call", "un-modelled tensor calls");
  out += ", " + counted(seen.limits_hit, "limit", "limits") + " hit";

  std::uint64_t by_level[3] = {};
  for (const finding& f : data.findings) ++by_level[static_cast<int>(f.level)];
  std::string found;
  const auto add = [&](std::uint64_t count, const char* one, const char* many) {
    if (count == 0) return;
    if (!found.empty()) found += ", ";
    found += counted(count, one, many);
  };
  add(by_level[2], "error", "errors");
  add(by_level[1], "warning", "warnings");
  add(by_level[0], "note", "notes");
  if (found.empty()) found = "no findings";
  if (!data.suppressed.empty()) found += ", " + std::to_string(data.suppressed.size()) + " suppressed";
  if (!data.known.empty()) found += ", " + std::to_string(data.known.size()) + " in the baseline";
  if (data.gone != 0) found += ", " + std::to_string(data.gone) + " of the baseline gone";
  return out + "; " + found;
}

std::string problem_lines(const report_data& data) {
  std::string out;
  for (const unit_problem& p : data.problems) {
    for (const ir::diagnostic& d : p.errors) {
      out += place_text(d.where) + ": error: " + printable(d.message.view()) + "\n";
    }
    if (p.error_count > p.errors.size() && !p.errors.empty()) {
      out += printable(p.file.view()) + ": note: and " +
             counted(p.error_count - p.errors.size(), "more error", "more errors") + "\n";
    }
    out += printable(p.file.view()) + ": " + (p.listed_reason.empty() ? "error: " : "note: ") +
           printable(p.summary);
    out += p.listed_reason.empty()
               ? "; make it parse, or list it under `unparsed:` in .stridelock.yaml with a reason\n"
               : " (listed as unparsed: " + printable(p.listed_reason) + ")\n";
  }
  return out;
}

}  // namespace stridelock::report
