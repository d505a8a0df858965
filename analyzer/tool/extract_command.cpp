#include <csignal>
#include <cstdlib>

#include "analyzer/extract/extract.h"
#include "analyzer/ir/text.h"
#include "analyzer/report/report.h"
#include "analyzer/tool/command_line.h"
#include "analyzer/tool/commands.h"
#include "analyzer/tool/failure.h"
#include "analyzer/tool/files.h"
#include "analyzer/tool/output_file.h"
#include "analyzer/tool/request.h"
#include "analyzer/tool/roots.h"
#include "analyzer/tool/select_commands.h"
#include "llvm/Support/raw_ostream.h"

namespace stridelock::tool {
namespace {

// For the tests of `check`, which must survive whatever happens here: STRIDELOCK_TEST_CRASH=NAME:SIGNAL ends the
// process with the signal when it is asked for a file of that name.
void crash_if_a_test_says_so(const std::string& file) {
  const char* wish = std::getenv("STRIDELOCK_TEST_CRASH");
  if (wish == nullptr) return;
  const std::string text = wish;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || file.size() < colon) return;
  if (file.compare(file.size() - colon, colon, text, 0, colon) != 0) return;
  const int signal = std::atoi(text.c_str() + colon + 1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::string escaped_for_make(const std::string& path) {
  std::string out;
  for (const char c : path) {
    if (c == ' ' || c == '#' || c == '\\') out += '\\';
    if (c == '$') out += '$';
    out += c;
  }
  return out;
}

std::string dependency_file(const std::string& target, const ir::unit& unit, const std::string& folder) {
  std::string out = escaped_for_make(target) + ":";
  for (const ir::name file : unit.dependencies) {
    out += " \\\n  " + escaped_for_make(absolute_path(file.str(), folder));
  }
  return out + "\n";
}

request single_request(const command_request& asked, const std::string& project_root,
                       const std::vector<std::string>& roots) {
  const selected_commands selected = select_commands(asked);
  if (selected.commands.size() > 1) {
    throw failure("extract: '" + asked.files.front() + "' has " + std::to_string(selected.commands.size()) +
                  " compile commands; expected one");
  }
  request out;
  out.command = selected.commands.front();
  out.options = root_options(selected.sources, project_root, roots);
  return out;
}

}  // namespace

int extract_command(const invocation& given) {
  std::string request_path;
  std::string output;
  std::string dependencies;
  std::string project_root;
  std::vector<std::string> roots;
  command_request asked;
  command c("extract", "FILE -o OUT.lir [-p BUILD] [-- FLAGS]",
            "Parse one file and write its layout IR: the compile-like half of `check`, for a build engine. A "
            "file with\n"
            "errors is written too; `link` reports it.");
  c.value("-o", "FILE", "the unit; - is standard output", [&](const std::string& v) { output = v; });
  c.value("-p", "BUILD", "folder with compile_commands.json", [&](const std::string& v) { asked.build = v; });
  c.value("-MD", "FILE", "write the files that were read, as a rule for make and Ninja",
          [&](const std::string& v) { dependencies = v; });
  c.value("--project-root", "DIR", "paths in the IR are relative to it",
          [&](const std::string& v) { project_root = v; });
  c.value("--root", "DIR",
          "functions below it are lowered (default: the project root); may be given several times",
          [&](const std::string& v) { roots.push_back(absolute_path(v, current_folder())); });
  c.hidden_value("--request", [&](const std::string& v) { request_path = v; });
  c.positional([&](const std::string& v) { asked.files.push_back(v); });
  c.rest([&](std::vector<std::string> v) {
    asked.has_flags = true;
    asked.flags = std::move(v);
  });
  if (!c.parse(given.arguments)) {
    write_output("-", c.help());
    return 0;
  }
  if (output.empty()) throw failure("extract: where to? give -o FILE");
  require_writable(output);

  request what;
  if (!request_path.empty()) {
    what = parse_request(read_file(request_path), request_path);
  } else {
    if (asked.files.size() != 1) {
      throw failure("extract: expected one file, found " + std::to_string(asked.files.size()));
    }
    what = single_request(asked, project_root, roots);
  }
  crash_if_a_test_says_so(what.command.file);

  const ir::unit unit = extract::extract(what.command, what.options);
  write_output(output, ir::print(unit));
  if (!dependencies.empty()) {
    write_output(dependencies, dependency_file(output, unit, what.command.directory));
  }
  if (request_path.empty() && unit.state != ir::unit_state::clean) {
    report::report_data data;
    report::unit_problem problem;
    problem.file = unit.main_file;
    problem.failed = unit.state == ir::unit_state::failed;
    problem.summary = std::to_string(unit.error_count) + " errors; the unit says so to `link`";
    problem.errors = unit.diagnostics;
    problem.error_count = unit.error_count;
    data.problems.push_back(problem);
    llvm::errs() << report::problem_lines(data);
  }
  return 0;
}

}  // namespace stridelock::tool
