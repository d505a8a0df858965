#include "analyzer/tool/missing_headers.h"

#include <filesystem>

#include "analyzer/tool/files.h"

namespace stridelock::tool {
namespace {

// "'a/b.h' file not found", with whatever advice behind.
std::string missing_name(const std::string& message) {
  const std::size_t at = message.find("' file not found");
  if (at == std::string::npos || message.front() != '\'') return {};
  return message.substr(1, at - 1);
}

std::vector<std::string> include_folders(const std::vector<std::string>& arguments,
                                         const std::string& folder) {
  std::vector<std::string> out = {"/usr/local/include", "/usr/include"};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for (const char* option : {"-isystem", "-iquote", "-idirafter", "-I"}) {
      const std::string name = option;
      if (arguments[i].rfind(name, 0) != 0) continue;
      if (arguments[i].size() > name.size()) {
        out.push_back(absolute_path(arguments[i].substr(name.size()), folder));
      } else if (i + 1 < arguments.size()) {
        out.push_back(absolute_path(arguments[++i], folder));
      }
      break;
    }
  }
  return out;
}

}  // namespace

std::optional<std::vector<std::string>> missing_headers(const ir::unit& unit, const std::string& folder,
                                                        const std::vector<std::string>& clang_arguments,
                                                        const std::string& project_root) {
  if (unit.error_count > unit.diagnostics.size()) return std::nullopt;
  std::vector<std::string> out;
  std::vector<std::string> folders;
  for (const ir::diagnostic& d : unit.diagnostics) {
    const std::string name = missing_name(d.message.str());
    if (name.empty()) continue;
    if (folders.empty()) folders = include_folders(clang_arguments, folder);
    const std::filesystem::path includer = absolute_path(d.where.file.str(), project_root);
    out.push_back(absolute_path(name, includer.parent_path().string()));
    for (const std::string& f : folders) out.push_back(absolute_path(name, f));
  }
  return out;
}

}  // namespace stridelock::tool
