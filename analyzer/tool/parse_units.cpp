#include "analyzer/tool/parse_units.h"

#include <filesystem>
#include <mutex>
#include <unordered_map>

#include "analyzer/extract/translate_command.h"
#include "analyzer/ir/text.h"
#include "analyzer/tool/children.h"
#include "analyzer/tool/failure.h"
#include "analyzer/tool/files.h"
#include "analyzer/tool/missing_headers.h"
#include "analyzer/tool/output_file.h"
#include "analyzer/tool/request.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"

namespace stridelock::tool {
namespace {

namespace fs = std::filesystem;

// Gone at the end of its scope; after a signal, empty.
class temporary_folder {
 public:
  temporary_folder() {
    llvm::SmallString<128> path;
    if (const std::error_code error = llvm::sys::fs::createUniqueDirectory("stridelock", path)) {
      throw failure("cannot make a folder for temporary files: " + error.message() +
                    "; set TMPDIR to one that works");
    }
    path_ = path.str().str();
  }
  ~temporary_folder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  std::string file(const std::string& name) const {
    std::string path = path_ + "/" + name;
    llvm::sys::RemoveFileOnSignal(path);
    return path;
  }

 private:
  std::string path_;
};

std::string first_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  constexpr std::string_view prefix = "stridelock: error: ";
  if (line.rfind(prefix, 0) == 0) line.erase(0, prefix.size());
  return line;
}

std::vector<std::string> absolute_dependencies(const ir::unit& unit, const std::string& folder) {
  std::vector<std::string> out;
  for (const ir::name file : unit.dependencies) out.push_back(absolute_path(file.str(), folder));
  return out;
}

class run {
 public:
  run(const std::vector<extract::compile_command>& commands, const parse_settings& settings,
      unit_cache& cache)
      : commands_(commands), settings_(settings), cache_(cache), units_(commands.size()) {
    for (const extract::compile_command& command : commands_) {
      // The digest knows response files and the toolkit that was found; the request knows the roots.
      digests_.push_back(extract::command_digest(command, settings_.options));
      keys_.push_back(print_request({command, settings_.options}) + digests_.back());
    }
  }

  std::vector<parsed_unit> all() {
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      if (cache_.on()) {
        const std::optional<std::string> text = cache_.find(keys_[i]);
        if (text && accept(i, *text)) {
          ++cached_;
          step();
          continue;
        }
      }
      missing.push_back(i);
    }
    if (!missing.empty()) parse(missing);
    return std::move(units_);
  }

 private:
  void keep(std::size_t i, const std::string& text) {
    if (!cache_.on()) return;
    const ir::unit& unit = units_[i].unit;
    std::vector<std::string> files = absolute_dependencies(unit, commands_[i].directory);
    if (unit.state != ir::unit_state::clean) {
      const extract::translated_command clang =
          extract::translate(commands_[i], {settings_.options.resource_dir, settings_.options.cuda_path});
      const std::optional<std::vector<std::string>> missing =
          missing_headers(unit, commands_[i].directory, clang.arguments, settings_.options.project_root);
      if (!missing) return;
      files.insert(files.end(), missing->begin(), missing->end());
    }
    cache_.keep(keys_[i], files, text);
  }

  void parse(const std::vector<std::size_t>& missing) {
    const temporary_folder folder;
    std::vector<child_job> jobs;
    std::vector<std::string> outputs;
    for (const std::size_t i : missing) {
      const std::string stem = std::to_string(i);
      const std::string request_path = folder.file(stem + ".request");
      outputs.push_back(folder.file(stem + ".lir"));
      write_output(request_path, print_request({commands_[i], settings_.options}));
      jobs.push_back({{settings_.executable, "extract", "--request=" + request_path, "-o", outputs.back()},
                      folder.file(stem + ".err")});
    }
    run_children(jobs, settings_.at_once, [&](std::size_t job, const child_outcome& outcome) {
      const std::size_t i = missing[job];
      finish(i, outcome, outputs[job], jobs[job].errors_path);
      std::error_code error;
      fs::remove(outputs[job], error);  // a thousand units at once could fill a small /tmp
      step();
    });
  }

  void finish(std::size_t i, const child_outcome& outcome, const std::string& output,
              const std::string& errors) {
    using kind = child_outcome::kind;
    if (outcome.how == kind::done) {
      const std::optional<std::string> text = try_read_file(output);
      if (text && accept(i, *text)) {
        keep(i, *text);
        return;
      }
      return fail(i, "the extractor wrote no unit that can be read; this is a bug in stridelock");
    }
    if (outcome.how == kind::crashed) {
      return fail(i, "the extractor crashed (" + outcome.message + "); this is a bug in stridelock");
    }
    if (outcome.how == kind::killed) {
      return fail(i, "the extractor was killed twice, the second time alone: out of memory?");
    }
    const std::string said = first_line(try_read_file(errors).value_or(""));
    if (!said.empty()) return fail(i, said);
    fail(i, outcome.message.empty() ? "the extractor ended with " + std::to_string(outcome.exit_code)
                                    : "the extractor could not be started: " + outcome.message);
  }

  // False: the text is no unit.
  bool accept(std::size_t i, const std::string& text) {
    auto parsed = ir::parse(text, commands_[i].file);
    ir::unit* unit = std::get_if<ir::unit>(&parsed);
    if (unit == nullptr) return false;
    units_[i] = {};
    for (const std::string& file : absolute_dependencies(*unit, commands_[i].directory)) {
      units_[i].files.push_back(name_of(file));
    }
    units_[i].unit = std::move(*unit);
    return true;
  }

  // Headers are shared by all units: each is resolved once.
  ir::name name_of(const std::string& absolute) {
    const auto found = names_.find(absolute);
    if (found != names_.end()) return found->second;
    const ir::name name = file_name_in_ir(absolute, "/", settings_.options.project_root);
    names_.emplace(absolute, name);
    return name;
  }

  void fail(std::size_t i, std::string why) {
    ++failed_;
    units_[i] = {};
    units_[i].unit.state = ir::unit_state::failed;
    units_[i].unit.main_file =
        file_name_in_ir(commands_[i].file, commands_[i].directory, settings_.options.project_root);
    units_[i].unit.command_digest = digests_[i];
    units_[i].child_failed = std::move(why);
  }

  void step() {
    ++done_;
    if (settings_.progressed) settings_.progressed(done_, cached_, failed_);
  }

  const std::vector<extract::compile_command>& commands_;
  const parse_settings& settings_;
  unit_cache& cache_;
  std::vector<parsed_unit> units_;
  std::vector<std::string> digests_;
  std::vector<std::string> keys_;
  std::unordered_map<std::string, ir::name> names_;
  std::size_t done_ = 0;
  std::size_t cached_ = 0;
  std::size_t failed_ = 0;
};

}  // namespace

ir::name file_name_in_ir(const std::string& path, const std::string& folder,
                         const std::string& project_root) {
  return relative_to(real_path(absolute_path(path, folder)), project_root);
}

std::vector<parsed_unit> parse_units(const std::vector<extract::compile_command>& commands,
                                     const parse_settings& settings, unit_cache& cache) {
  return run(commands, settings, cache).all();
}

}  // namespace stridelock::tool
