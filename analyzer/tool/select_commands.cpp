#include "analyzer/tool/select_commands.h"

#include <algorithm>
#include <filesystem>
#include <tuple>
#include <utility>

#include "analyzer/extract/compile_database.h"
#include "analyzer/tool/failure.h"
#include "analyzer/tool/files.h"

namespace stridelock::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* database_name = "compile_commands.json";

std::string source_of(const extract::compile_command& command) {
  return real_path(absolute_path(command.file, command.directory));
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

void require_file(const std::string& path, const std::string& as_given) {
  std::error_code error;
  if (!fs::exists(path, error)) throw failure("no such file: '" + as_given + "'");
  if (is_folder(path)) throw failure("expected a file, found the folder '" + as_given + "'");
}

// nvcc's options are translated by the name of the compiler.
std::string compiler_for(const std::string& file) {
  const std::string extension = fs::path(file).extension().string();
  if (extension == ".cu" || extension == ".cuh") return "nvcc";
  if (extension == ".c") return "cc";
  return "c++";
}

selected_commands from_flags(const command_request& request, const std::string& here) {
  if (request.files.empty()) throw failure("no files: name those to check before `--`");
  selected_commands out;
  for (const std::string& file : request.files) {
    const std::string path = absolute_path(file, here);
    require_file(path, file);
    extract::compile_command command;
    command.directory = here;
    command.file = path;
    command.arguments.push_back(compiler_for(path));
    command.arguments.insert(command.arguments.end(), request.flags.begin(), request.flags.end());
    command.arguments.insert(command.arguments.end(), {"-c", path});
    out.commands.push_back(std::move(command));
  }
  return out;
}

std::string database_path(const command_request& request, const std::string& here) {
  if (!request.build.empty()) {
    const std::string path = absolute_path(request.build, here);
    std::error_code error;
    if (!fs::exists(path, error)) throw failure("-p: there is no '" + request.build + "'");
    if (!is_folder(path)) return path;
    const std::string file = path + "/" + database_name;
    if (!fs::exists(file, error)) {
      throw failure(
          "-p: no " + std::string(database_name) + " in '" + request.build +
          "'; CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, Ninja with `ninja -t compdb`");
    }
    return file;
  }
  const std::string start = request.files.empty()
                                ? here
                                : fs::path(absolute_path(request.files.front(), here)).parent_path().string();
  std::string found = find_compile_database(start);
  if (found.empty()) found = find_compile_database(here);
  if (found.empty()) {
    throw failure("no " + std::string(database_name) + " in '" + start +
                  "' or above; give its folder with -p, or compile flags behind `--`");
  }
  return found;
}

std::vector<extract::compile_command> load_database(const std::string& path, const std::string& here) {
  extract::compile_database database = extract::read_compile_database(path);
  if (!database.error.empty()) throw failure::of_line(database.error);
  if (database.commands.empty())
    throw failure(relative_to(path, here) + ": no entries, so there is nothing to check");
  return std::move(database.commands);
}

selected_commands from_database(const command_request& request, const std::string& here) {
  const std::string path = database_path(request, here);
  const std::vector<extract::compile_command> all = load_database(path, here);
  selected_commands out;
  std::vector<std::string> sources;
  for (const extract::compile_command& command : all) sources.push_back(source_of(command));
  out.sources = sources;

  if (request.files.empty()) {
    out.commands = all;
    out.whole = true;
    return out;
  }
  std::vector<bool> wanted(all.size(), false);
  for (const std::string& file : request.files) {
    const std::string asked = real_path(absolute_path(file, here));
    std::error_code error;
    if (!fs::exists(asked, error)) throw failure("no such file: '" + file + "'");
    bool any = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_it =
          sources[i] == asked || (is_folder(asked) && relative_to(sources[i], asked) != sources[i]);
      wanted[i] = wanted[i] || is_it;
      any = any || is_it;
    }
    if (!any) {
      throw failure("'" + file + "' has no entry in '" + relative_to(path, here) +
                    "'; give its compile flags behind `--` instead");
    }
  }
  out.whole = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (wanted[i]) {
      out.commands.push_back(all[i]);
    } else {
      out.whole = false;
    }
  }
  return out;
}

}  // namespace

selected_commands select_commands(const command_request& request) {
  const std::string here = current_folder();
  selected_commands out = request.has_flags ? from_flags(request, here) : from_database(request, here);
  if (request.has_flags) {
    for (const extract::compile_command& command : out.commands) out.sources.push_back(source_of(command));
    out.whole = true;
  }
  std::vector<std::pair<std::string, extract::compile_command>> keyed;
  for (extract::compile_command& c : out.commands) {
    std::string source = source_of(c);
    keyed.emplace_back(std::move(source), std::move(c));
  }
  std::sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.directory, a.second.arguments) <
           std::tie(b.first, b.second.directory, b.second.arguments);
  });
  keyed.erase(std::unique(keyed.begin(), keyed.end()), keyed.end());
  out.commands.clear();
  for (auto& [source, command] : keyed) out.commands.push_back(std::move(command));
  return out;
}

std::string find_compile_database(const std::string& folder) {
  for (fs::path at = folder;; at = at.parent_path()) {
    std::error_code error;
    for (const fs::path& candidate : {at / database_name, at / "build" / database_name}) {
      if (fs::is_regular_file(candidate, error)) return candidate.string();
    }
    if (at == at.root_path() || at.empty()) return {};
  }
}

}  // namespace stridelock::tool
