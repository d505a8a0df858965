#include "analyzer/checks/checks.h"

#include <algorithm>

#include "analyzer/checks/contracts_text.h"
#include "analyzer/checks/pages.h"
#include "analyzer/report/fingerprint.h"
#include "analyzer/report/rule.h"

namespace stridelock::checks {

const std::vector<check_info>& all_checks() {
  static const std::vector<check_info> list{
      {"copy-in-capture", "a layout copy inside a CUDA-graph capture region", pages::copy_in_capture,
       report::severity::warning},
      {"narrowed-view", "a narrowed strided view reaches a consumer that needs another layout",
       pages::narrowed_view, report::severity::error},
      {"unchecked-pointer", "the pointer of a parameter of unknown layout goes to a dense consumer unchecked",
       pages::unchecked_pointer, report::severity::note},
  };
  return list;
}

// Iterative: a pattern of stars must not take exponential time.
bool matches_glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool is_enabled(std::string_view check, const std::vector<std::string>& globs) {
  if (globs.empty()) return true;
  // The last match decides; a list that only disables starts from everything.
  bool enabled =
      std::all_of(globs.begin(), globs.end(), [](const std::string& g) { return g.starts_with('-'); });
  for (const std::string& g : globs) {
    const bool off = g.starts_with('-');
    std::string_view pattern = std::string_view(g).substr(off ? 1 : 0);
    if (pattern.starts_with("stridelock-")) pattern.remove_prefix(11);
    if (matches_glob(pattern, check)) enabled = !off;
  }
  return enabled;
}

namespace {

// A contract with a typing error asks nothing; that must not look like a contract that holds.
void malformed_contracts(const solve::program& whole, std::vector<report::finding>& out) {
  auto judge = [&](ir::name text, const ir::location& where, const std::string& of) {
    std::string error = solve::contract_error(text.view());
    if (error.empty()) return;
    report::finding f;
    f.check = report::malformed_contract;
    f.level = report::severity::error;
    f.where = where;
    f.function = of;
    f.message = std::move(error);
    f.fingerprint = report::fingerprint({.check = f.check, .function = of, .expression = text.view()});
    if (std::find(out.begin(), out.end(), f) == out.end()) out.push_back(std::move(f));
  };
  for (const ir::unit& u : whole.units())
    for (const ir::function& f : u.functions)
      for (const ir::parameter& p : f.params)
        if (!p.contract.empty()) judge(p.contract, p.where, f.signature.str());
  for (const solve::requirement_row& row : whole.requirements())
    judge(row.text, solve::place_of(row), row.callee);
}

}  // namespace

analysis_result run_checks(const solve::program& whole, const check_options& options) {
  solve::solve_options how;
  if (!options.assume_capture.empty())
    how.assume_capture = [&](const ir::function& f) {
      return std::any_of(options.assume_capture.begin(), options.assume_capture.end(),
                         [&](const std::string& g) { return matches_glob(g, f.qualified.view()); });
    };
  const auto solved = solve::solve(whole, how);

  analysis_result out;
  if (is_enabled("narrowed-view", options.enabled_globs)) narrowed_view(*solved, out.findings);
  if (is_enabled("copy-in-capture", options.enabled_globs)) copy_in_capture(*solved, out.findings);
  if (is_enabled("unchecked-pointer", options.enabled_globs)) unchecked_pointer(*solved, out.findings);
  malformed_contracts(whole, out.findings);
  out.contracts_text = contracts_text(whole, *solved);

  out.coverage.functions = whole.functions().size();
  out.coverage.limits_hit = solved->limits_hit;
  out.coverage.unknown_instructions = solved->unknown_instructions;
  out.coverage.unmodelled_calls = solved->unknown_calls;
  for (const ir::unit& u : whole.units()) {
    out.coverage.templates_without_instance += u.templates_without_instance;
    out.coverage.hidden_by_cuda_arch += u.hidden_by_cuda_arch;
  }
  return out;
}

}  // namespace stridelock::checks
