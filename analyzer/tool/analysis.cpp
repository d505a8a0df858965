#include "analyzer/tool/analysis.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

#include "analyzer/checks/checks.h"
#include "analyzer/ir/text.h"
#include "analyzer/models/rewrite.h"
#include "analyzer/report/fingerprint.h"
#include "analyzer/report/github.h"
#include "analyzer/report/gitlab.h"
#include "analyzer/report/json.h"
#include "analyzer/report/rule.h"
#include "analyzer/report/sarif.h"
#include "analyzer/report/text.h"
#include "analyzer/report/utf8.h"
#include "analyzer/tool/failure.h"
#include "analyzer/tool/files.h"
#include "analyzer/tool/output_file.h"
#include "analyzer/tool/version.h"
#include "llvm/Support/raw_ostream.h"

namespace stridelock::tool {
namespace {

std::string errors(std::uint32_t count) {
  return std::to_string(count) + (count == 1 ? " error" : " errors");
}

class analysis {
 public:
  analysis(analysis_input& input, settings& how) : input_(input), how_(how) {
    // Children end in any order, files are asked in any order: from here on there is one.
    std::sort(input_.units.begin(), input_.units.end(), [](const parsed_unit& a, const parsed_unit& b) {
      return std::tuple(a.unit.main_file.view(), a.unit.command_digest.view(), a.child_failed) <
             std::tuple(b.unit.main_file.view(), b.unit.command_digest.view(), b.child_failed);
    });
  }

  int run() {
    look_at_units();
    if (how_.debug == debug_output::raw_ir) return print_units();
    apply_models();
    if (how_.debug == debug_output::ir) return print_units();

    solve::program program;
    for (parsed_unit& p : input_.units) {
      if (p.unit.state != ir::unit_state::failed) program.add(std::move(p.unit));
    }
    for (const models::requirement& r : how_.models.requirements()) {
      if (const std::string error = solve::contract_error(r.text); !error.empty()) {
        throw failure(r.file, static_cast<std::uint32_t>(r.line), 1, error);
      }
      program.add_requirement({r.callee, r.param, r.text, r.file + ":" + std::to_string(r.line)});
    }
    for (const solve::requirement_row& row : how_.requirements) program.add_requirement(row);
    program.finish();
    checks::analysis_result result = checks::run_checks(program, {how_.checks, how_.assume_capture});
    if (input_.before_output) input_.before_output();

    findings_.insert(findings_.end(), result.findings.begin(), result.findings.end());
    report::coverage seen = result.coverage;
    seen.units_asked = seen_.units_asked;
    seen.units_analysed = seen_.units_analysed;
    seen.units_degraded = seen_.units_degraded;
    seen.units_failed = seen_.units_failed;
    seen.units_listed = seen_.units_listed;
    seen.unmodelled_calls = unmodelled_calls_;
    report::report_data data =
        report::assemble(std::move(findings_), suppressions(), seen, std::move(problems_));
    const bool adopted = !how_.write_baseline.empty() && data.complete && how_.debug == debug_output::none;
    if (adopted) write_baseline(data.findings);
    if (how_.baseline) report::compare_with(data, *how_.baseline, input_.whole_program);
    const int code = adopted ? 0 : report::exit_code(data, how_.fail_on);
    if (how_.debug == debug_output::contracts) {
      write_output(how_.output, result.contracts_text);
      complain(data);
      return data.complete ? 0 : 2;
    }
    write(data, code);
    return code;
  }

 private:
  // ---- what was analysed, and what was not

  const unparsed_entry* listed(ir::name main_file) const {
    for (const unparsed_entry& entry : how_.file.unparsed) {
      if (file_name_in_ir(entry.path, "/", input_.project_root) == main_file) return &entry;
    }
    return nullptr;
  }

  void look_at_units() {
    std::map<const unparsed_entry*, bool> needed;
    for (const parsed_unit& p : input_.units) {
      const ir::unit& unit = p.unit;
      comments_.insert(comments_.end(), unit.suppressions.begin(), unit.suppressions.end());
      ++seen_.units_asked;
      const unparsed_entry* entry = listed(unit.main_file);
      if (entry != nullptr) needed[entry] |= unit.state != ir::unit_state::clean;
      if (unit.state != ir::unit_state::failed) ++seen_.units_analysed;
      if (unit.state == ir::unit_state::clean) continue;

      report::unit_problem problem;
      problem.file = unit.main_file;
      problem.failed = unit.state == ir::unit_state::failed;
      problem.errors = unit.diagnostics;
      problem.error_count = unit.error_count;
      if (!p.child_failed.empty()) {
        problem.summary = "not analysed: " + p.child_failed;
      } else if (problem.failed) {
        problem.summary = "not analysed: " + errors(unit.error_count);
      } else {
        problem.summary = "analysed in part: " + errors(unit.error_count);
      }
      ++(problem.failed ? seen_.units_failed : seen_.units_degraded);
      if (entry != nullptr) {
        problem.listed_reason = entry->reason;
        ++seen_.units_listed;
      }
      problems_.push_back(std::move(problem));

      if (p.files.empty()) something_unknown_ = true;
      incomplete_.insert(unit.main_file);
      incomplete_.insert(p.files.begin(), p.files.end());
    }
    for (const unparsed_entry& entry : how_.file.unparsed) {
      const auto asked = needed.find(&entry);
      if (asked != needed.end() && !asked->second) {
        needless(entry, "'" + entry.file + "' is listed under `unparsed:`, but it parses; remove the entry");
      } else if (asked == needed.end() && input_.whole_program) {
        needless(entry, "'" + entry.file +
                            "' is listed under `unparsed:`, but it is not compiled; remove the entry");
      }
    }
  }

  void needless(const unparsed_entry& entry, std::string message) {
    report::finding f;
    f.check = report::needless_unparsed;
    f.level = report::severity::warning;
    f.where = {file_name_in_ir(how_.file.path, "/", input_.project_root), entry.line, 0};
    f.message = std::move(message);
    f.fingerprint = report::fingerprint({.check = f.check, .function = entry.file});
    findings_.push_back(std::move(f));
  }

  report::suppression_context suppressions() {
    report::suppression_context context;
    context.comments = std::move(comments_);
    for (const checks::check_info& c : checks::all_checks()) {
      context.known_checks.push_back(c.name);
      if (checks::is_enabled(c.name, how_.checks)) context.checks_run.push_back(c.name);
    }
    if (input_.whole_program && !something_unknown_) {
      context.fully_analysed = [this](ir::name file) { return incomplete_.count(file) == 0; };
    }
    return context;
  }

  // ---- models

  void apply_models() {
    models::rewrite_statistics statistics;
    std::unordered_set<ir::name> defined;
    for (parsed_unit& p : input_.units) {
      if (p.unit.state == ir::unit_state::failed) continue;
      statistics += models::rewrite(p.unit, how_.models);
      for (const ir::function& f : p.unit.functions) {
        if (!f.blocks.empty()) defined.insert(f.symbol);
      }
    }
    std::map<std::string, std::uint64_t> counts;
    for (const models::unmodelled_call& call : statistics.unmodelled) {
      if (defined.count(call.symbol) != 0) continue;
      counts[call.callee.str()] += call.count;
      unmodelled_calls_ += call.count;
    }
    if (!how_.report_unmodelled) return;
    if (input_.before_output) input_.before_output();
    std::vector<std::pair<std::string, std::uint64_t>> rows(counts.begin(), counts.end());
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    llvm::errs() << "tensor calls without a model, of " << statistics.calls << " calls:\n";
    for (const auto& [callee, count] : rows)
      llvm::errs() << "  " << count << "  " << report::printable(callee) << '\n';
  }

  int print_units() {
    if (input_.before_output) input_.before_output();
    std::string out;
    for (const parsed_unit& p : input_.units) {
      if (p.unit.state == ir::unit_state::failed) continue;
      out += ir::print(p.unit);
    }
    write_output(how_.output, out);
    const report::report_data data = report::assemble({}, {}, seen_, std::move(problems_));
    complain(data);
    return data.complete ? 0 : 2;
  }

  // ---- output

  // A run over a part of the program cannot tell what is gone, so it only adds. Nothing but a baseline is replaced.
  void write_baseline(const std::vector<report::finding>& findings) {
    std::string bytes = report::print_baseline(findings);
    const std::string shown = relative_to(how_.write_baseline, current_folder());
    const std::optional<std::string> before = try_read_file(how_.write_baseline);
    if (before && !before->empty()) {
      report::baseline all, now;
      if (const auto error = report::parse_baseline(*before, all)) {
        throw failure(shown, error->line, 1, error->message);
      }
      report::parse_baseline(bytes, now);
      all.fingerprints.merge(now.fingerprints);
      if (!input_.whole_program) bytes = report::print_baseline(all);
    }
    write_output(how_.write_baseline, bytes);
    const auto known = std::count(bytes.begin(), bytes.end(), '\n') - 1;
    llvm::errs() << "stridelock: " << shown << " knows " << known << (known == 1 ? " finding" : " findings")
                 << '\n';
  }

  void write(const report::report_data& data, int code) {
    report::source_text sources(input_.project_root);
    const report::line_source lines = [&](ir::name file, std::uint32_t line) {
      return sources.line(file, line);
    };
    const auto sarif = [&] {
      report::sarif_options options;
      options.version = version();
      for (const checks::check_info& c : checks::all_checks()) {
        options.rules.push_back({c.name, c.summary, c.page, c.usual});
      }
      options.help_uri_base = check_page_base();
      options.information_uri = homepage();
      options.exit_code = code;
      options.lines = lines;
      return report::to_sarif(data, options);
    };
    std::string bytes;
    switch (how_.format) {
      case output_format::text:
        bytes = report::to_text(data, lines);
        break;
      case output_format::json:
        bytes = report::to_json(data);
        break;
      case output_format::sarif:
        bytes = sarif();
        break;
      case output_format::github:
        bytes = report::to_github(data);
        break;
      case output_format::gitlab:
        bytes = report::to_gitlab(data);
        break;
    }
    if (!how_.sarif.empty()) write_output(how_.sarif, sarif());
    write_output(how_.output, bytes);
    complain(data);
    // Always there for whoever watches; on the terminal it is once.
    const bool has_coverage_line = how_.format == output_format::text || how_.format == output_format::github;
    if (!has_coverage_line || how_.output != "-") {
      llvm::errs() << "stridelock: " << report::coverage_line(data) << '\n';
    }
  }

  void complain(const report::report_data& data) const {
    llvm::errs() << report::problem_lines(data);
    if (data.seen.units_analysed == 0) llvm::errs() << "stridelock: error: nothing was analysed\n";
  }

  analysis_input& input_;
  settings& how_;
  std::vector<report::finding> findings_;
  std::vector<ir::suppression> comments_;
  std::vector<report::unit_problem> problems_;
  report::coverage seen_;
  std::uint64_t unmodelled_calls_ = 0;
  std::unordered_set<ir::name> incomplete_;
  bool something_unknown_ = false;
};

}  // namespace

int analyse(analysis_input input, settings how) {
  return analysis(input, how).run();
}

}  // namespace stridelock::tool
