#include "analyzer/tool/roots.h"

#include <algorithm>
#include <filesystem>

#include "analyzer/tool/failure.h"
#include "analyzer/tool/files.h"

namespace stridelock::tool {

extract::extract_options root_options(const std::vector<std::string>& sources,
                                      const std::string& project_root_option,
                                      const std::vector<std::string>& roots) {
  const auto folder = [](const std::string& path, const char* what) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error))
      throw failure(std::string(what) + ": no folder '" + path + "'");
    return real_path(path);
  };
  extract::extract_options out;
  out.project_root = project_root_option.empty()
                         ? project_root(sources)
                         : folder(absolute_path(project_root_option, current_folder()), "--project-root");
  for (const std::string& root : roots) out.roots.push_back(folder(root, "roots"));
  if (out.roots.empty() && out.project_root == "/") {
    // Sources that share nothing: the whole file system, system headers among it, is not their project.
    for (const std::string& source : sources) out.roots.push_back(project_root({source}));
    std::sort(out.roots.begin(), out.roots.end());
    out.roots.erase(std::unique(out.roots.begin(), out.roots.end()), out.roots.end());
  }
  return out;
}

}  // namespace stridelock::tool
