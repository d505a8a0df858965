#include "analyzer/tool/files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "analyzer/tool/failure.h"

namespace stridelock::tool {

namespace fs = std::filesystem;

std::string current_folder() {
  std::error_code error;
  const fs::path folder = fs::current_path(error);
  if (error) throw failure("cannot tell the current folder: " + error.message());
  return folder.string();
}

std::string absolute_path(const std::string& path, const std::string& folder) {
  fs::path full = (fs::path(folder) / path).lexically_normal();
  std::string out = full.string();
  while (out.size() > 1 && out.back() == '/') out.pop_back();
  return out;
}

std::string real_path(const std::string& absolute) {
  std::error_code error;
  const fs::path real = fs::canonical(absolute, error);
  return error ? absolute : real.string();
}

std::optional<std::string> try_read_file(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string bytes;
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error) bytes.reserve(static_cast<std::size_t>(size));
  char buffer[1 << 16];
  while (in.read(buffer, sizeof buffer) || in.gcount() > 0) {
    bytes.append(buffer, static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) return std::nullopt;
  return bytes;
}

std::string read_file(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw failure("cannot read '" + path + "': no such file");
  if (fs::is_directory(path, error)) throw failure("cannot read '" + path + "': it is a folder");
  // A pipe or <(…) is read as a stream.
  std::ifstream in(path, std::ios::binary);
  if (!in) throw failure("cannot read '" + path + "': " + std::strerror(errno));
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.bad()) throw failure("cannot read '" + path + "': the read failed");
  return bytes;
}

std::string relative_to(const std::string& path, const std::string& root) {
  if (root == "/") return path.size() > 1 && path[0] == '/' ? path.substr(1) : path;
  if (path.size() > root.size() + 1 && path.compare(0, root.size(), root) == 0 && path[root.size()] == '/') {
    return path.substr(root.size() + 1);
  }
  return path;
}

std::string common_folder(const std::vector<std::string>& files) {
  if (files.empty()) return {};
  fs::path common = fs::path(files.front()).parent_path();
  for (const std::string& file : files) {
    const fs::path folder = fs::path(file).parent_path();
    fs::path shared;
    for (auto a = common.begin(), b = folder.begin(); a != common.end() && b != folder.end() && *a == *b;
         ++a, ++b) {
      shared /= *a;
    }
    common = shared;
  }
  return common.string();
}

std::string project_root(const std::vector<std::string>& files) {
  const std::string common = common_folder(files);
  if (common.empty()) return {};
  for (fs::path at = common;; at = at.parent_path()) {
    std::error_code error;
    if (fs::exists(at / ".git", error)) return at.string();  // a folder, or a file in a worktree or submodule
    if (at == at.root_path() || at.empty()) return common;
  }
}

}  // namespace stridelock::tool
