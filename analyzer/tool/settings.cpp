#include "analyzer/tool/settings.h"

#include <algorithm>

#include "analyzer/checks/checks.h"
#include "analyzer/tool/contracts_file.h"
#include "analyzer/tool/failure.h"
#include "analyzer/tool/files.h"
#include "analyzer/tool/nearest.h"
#include "analyzer/tool/output_file.h"

namespace stridelock::tool {
namespace {

output_format parse_format(const std::string& word) {
  if (word == "text") return output_format::text;
  if (word == "json") return output_format::json;
  if (word == "sarif") return output_format::sarif;
  if (word == "github") return output_format::github;
  if (word == "gitlab") return output_format::gitlab;
  throw failure("--format: expected text, json, sarif, github or gitlab, found '" + word + "'");
}

debug_output parse_debug(const std::string& word) {
  if (word == "contracts") return debug_output::contracts;
  if (word == "ir") return debug_output::ir;
  if (word == "raw-ir") return debug_output::raw_ir;
  throw failure("--debug: expected contracts, ir or raw-ir, found '" + word + "'");
}

void append(std::vector<std::string>& to, const std::vector<std::string>& what) {
  to.insert(to.end(), what.begin(), what.end());
}

// A glob that selects no check is a typing mistake, and would make the run look green.
void require_known(const std::vector<std::string>& globs) {
  std::vector<std::string> names;
  for (const checks::check_info& c : checks::all_checks()) names.push_back(c.name);
  for (const std::string& glob : globs) {
    std::string pattern = glob.substr(glob.rfind("-", 0) == 0 ? 1 : 0);
    if (pattern.rfind("stridelock-", 0) == 0) pattern.erase(0, 11);
    const bool any = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return checks::matches_glob(pattern, name);
    });
    if (!any) {
      const std::string near = did_you_mean(names, pattern);
      throw failure("--checks: '" + glob + "' matches no check" + near +
                    (near.empty() ? "; known are " + listed(names) : ""));
    }
  }
  if (!globs.empty() && std::none_of(names.begin(), names.end(), [&](const std::string& name) {
        return checks::is_enabled(name, globs);
      })) {
    throw failure("--checks: nothing is left to check");
  }
}

report::baseline read_baseline(const std::string& path, const std::string& shown) {
  report::baseline out;
  if (const auto error = report::parse_baseline(read_file(path), out)) {
    throw failure(shown, error->line, 1, error->message);
  }
  return out;
}

}  // namespace

void add_common_options(command& c, common_options& out) {
  c.value("--format", "FORMAT", "text (default), json, sarif, github or gitlab",
          [&](const std::string& v) { out.format = parse_format(v); });
  c.value("-o", "FILE", "write the report there, in one piece (default: standard output)",
          [&](const std::string& v) { out.output = v; });
  c.value("--sarif", "FILE", "write the report as SARIF too", [&](const std::string& v) { out.sarif = v; });
  c.value("--baseline", "FILE", "report only what is not in it",
          [&](const std::string& v) { out.baseline = v; });
  c.value("--write-baseline", "FILE",
          "write the findings of this run there, to be given as --baseline later;\n"
          "exit 0 whatever was found",
          [&](const std::string& v) { out.write_baseline = v; });
  c.value("--checks", "GLOBS", "checks to run: globs separated by commas, -GLOB leaves out (default: all)",
          [&](const std::string& v) { append(out.checks, split_list(v)); });
  c.value("--models", "FILE", "what the functions of a library do (YAML); may be given several times",
          [&](const std::string& v) { out.models.push_back(v); });
  c.value("--contracts", "FILE", "what functions ask of their arguments (YAML); may be given several times",
          [&](const std::string& v) { out.contracts.push_back(v); });
  c.value("--assume-capture", "GLOB",
          "functions that are called while a graph is captured, by qualified name",
          [&](const std::string& v) { append(out.assume_capture, split_list(v)); });
  c.value("--fail-on", "LEVEL", "exit 1 from this severity on: error, warning (default), note or never",
          [&](const std::string& v) { out.fail_on = parse_threshold(v, "--fail-on"); });
  c.value("--config", "FILE", "default: the nearest .stridelock.yaml, upward from the files",
          [&](const std::string& v) { out.config = v; });
  c.flag("--no-config", "read no .stridelock.yaml", [&] { out.no_config = true; });
  c.value("--project-root", "DIR",
          "paths are printed relative to it (default: the git top level, else the\n"
          "common folder of the files)",
          [&](const std::string& v) { out.project_root = v; });
  c.flag("--report-unmodelled", "list tensor calls that no model covers, on standard error",
         [&] { out.report_unmodelled = true; });
  c.value("--debug", "WHAT",
          "instead of the report: contracts (what each exported function asks of its\n"
          "arguments), ir (the layout IR after the models) or raw-ir (before them)",
          [&](const std::string& v) { out.debug = parse_debug(v); });
}

settings make_settings(const common_options& options, const std::string& near) {
  const std::string here = current_folder();
  settings out;

  if (!options.config.empty()) {
    out.file = read_config(absolute_path(options.config, here));
  } else if (!options.no_config) {
    std::string found = near.empty() ? std::string() : find_config(near);
    if (found.empty()) found = find_config(here);
    if (!found.empty()) out.file = read_config(found);
  }

  out.format = options.format;
  out.output = options.output;
  out.sarif = options.sarif;
  out.checks = options.checks.empty() ? out.file.checks : options.checks;
  out.assume_capture = out.file.assume_capture;
  append(out.assume_capture, options.assume_capture);
  out.fail_on = options.fail_on.value_or(out.file.fail_on.value_or(report::fail_threshold::warning));
  out.report_unmodelled = options.report_unmodelled;
  out.debug = options.debug;
  require_known(out.checks);
  require_writable(out.output);
  if (!out.sarif.empty()) require_writable(out.sarif);
  const std::string baseline =
      options.baseline.empty() ? out.file.baseline : absolute_path(options.baseline, here);
  if (!baseline.empty()) out.baseline = read_baseline(baseline, relative_to(baseline, here));
  if (!options.write_baseline.empty()) {
    out.write_baseline = absolute_path(options.write_baseline, here);
    require_writable(out.write_baseline);
  }

  // The command line comes later, so that it wins. A file that both name is read once.
  std::vector<std::string> paths = out.file.models;
  for (const std::string& path : options.models) paths.push_back(absolute_path(path, here));
  out.models = models::model_set::builtin();
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (std::find(paths.begin() + static_cast<std::ptrdiff_t>(i) + 1, paths.end(), paths[i]) != paths.end())
      continue;
    const std::string shown = relative_to(paths[i], here);
    if (const auto error = out.models.add(read_file(paths[i]), shown)) throw failure::of_line(error->str());
  }
  paths = out.file.contracts;
  for (const std::string& path : options.contracts) paths.push_back(absolute_path(path, here));
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  for (const std::string& path : paths) {
    const std::vector<solve::requirement_row> rows =
        parse_contracts(read_file(path), relative_to(path, here));
    out.requirements.insert(out.requirements.end(), rows.begin(), rows.end());
  }
  return out;
}

}  // namespace stridelock::tool
