#include <charconv>
#include <filesystem>

#include "analyzer/tool/analysis.h"
#include "analyzer/tool/cache.h"
#include "analyzer/tool/children.h"
#include "analyzer/tool/command_line.h"
#include "analyzer/tool/commands.h"
#include "analyzer/tool/environment.h"
#include "analyzer/tool/explain_translation.h"
#include "analyzer/tool/failure.h"
#include "analyzer/tool/files.h"
#include "analyzer/tool/output_file.h"
#include "analyzer/tool/progress.h"
#include "analyzer/tool/roots.h"
#include "analyzer/tool/select_commands.h"

namespace stridelock::tool {
namespace {

// A file that includes libtorch takes 0.6 to 0.8 GiB to parse, CUTLASS up to 2.
constexpr std::uint64_t memory_of_a_child = std::uint64_t{2} << 30;
constexpr std::uintmax_t largest_cache = std::uintmax_t{4} << 30;

unsigned parse_jobs(const std::string& text) {
  unsigned value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value == 0 || value > 4096) {
    throw failure("-j: expected a number from 1 to 4096, found '" + text + "'");
  }
  return value;
}

std::string counted(std::size_t count, const char* what) {
  return count == 0 ? std::string() : ", " + std::to_string(count) + what;
}

}  // namespace

int check_command(const invocation& given) {
  common_options options;
  command_request asked;
  unsigned jobs = 0;
  std::string cache_folder = default_cache_folder();
  bool explain = false;
  command c("check", "[-p BUILD] [FILES...] [-- FLAGS]",
            "Find tensors whose layout is not what a kernel assumes.\n\n"
            "FILES are files or folders of the compile database; without any, all of it is analysed. Behind "
            "`--` stand\n"
            "compile flags for FILES instead of a database.");
  c.value("-p", "BUILD", "folder with compile_commands.json (default: searched upward)",
          [&](const std::string& v) { asked.build = v; });
  add_common_options(c, options);
  c.value("-j", "N", "files to parse at once (default: one for each core and 2 GiB of free memory)",
          [&](const std::string& v) { jobs = parse_jobs(v); });
  c.value("--cache", "DIR", "keep parsed files there (default: $XDG_CACHE_HOME/stridelock)",
          [&](const std::string& v) { cache_folder = v; });
  c.flag("--no-cache", "keep and reuse nothing", [&] { cache_folder.clear(); });
  c.flag("--explain-command",
         "print how the compile commands are translated for Clang, and why; analyse nothing",
         [&] { explain = true; });
  c.positional([&](const std::string& v) { asked.files.push_back(v); });
  c.rest([&](std::vector<std::string> v) {
    asked.has_flags = true;
    asked.flags = std::move(v);
  });
  c.epilogue(
      "Exit code: 0 nothing at or above --fail-on, 1 findings, 2 the job could not be done.\n"
      "docs/command-line.md says more.");
  if (!c.parse(given.arguments)) {
    write_output("-", c.help());
    return 0;
  }

  const selected_commands selected = select_commands(asked);
  std::vector<std::string> asked_sources;
  for (const extract::compile_command& one : selected.commands) {
    asked_sources.push_back(real_path(absolute_path(one.file, one.directory)));
  }
  settings how = make_settings(options, common_folder(asked_sources));

  parse_settings parsing;
  parsing.options = root_options(selected.sources, options.project_root, how.file.roots);
  if (explain) {
    write_output(how.output, explain_translation(selected.commands, parsing.options));
    return 0;
  }
  for (const std::string& output : {how.output, how.sarif, how.write_baseline}) {
    std::error_code none;
    for (const extract::compile_command& c : selected.commands) {
      const std::filesystem::path source = std::filesystem::path(c.directory) / c.file;
      if (!output.empty() && std::filesystem::equivalent(output, source, none)) {
        throw failure("'" + output + "' is one of the files to analyse; name another output");
      }
    }
  }
  parsing.at_once = jobs != 0 ? jobs : affordable_children(memory_of_a_child);
  parsing.executable = given.executable;

  progress line;
  const std::size_t all = selected.commands.size();
  parsing.progressed = [&](std::size_t done, std::size_t cached, std::size_t failed) {
    line.show("stridelock: parsed " + std::to_string(done) + " of " + std::to_string(all) + " files" +
              counted(cached, " from the cache") + counted(failed, " failed"));
  };
  if (!cache_folder.empty()) cache_folder = absolute_path(cache_folder, current_folder());
  unit_cache cache(cache_folder, build_identity(given.executable) + compiler_environment());

  analysis_input input;
  input.units = parse_units(selected.commands, parsing, cache);
  cache.prune(largest_cache);
  input.project_root = parsing.options.project_root;
  input.whole_program = selected.whole;
  line.show("stridelock: analysing " + std::to_string(all) + " files");
  input.before_output = [&] { line.clear(); };
  return analyse(std::move(input), std::move(how));
}

}  // namespace stridelock::tool
