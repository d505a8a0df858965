// Paths and whole files, with failures that name them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stridelock::tool {

std::string current_folder();

// Against `folder`, without "." and ".."; links stay as they are.
std::string absolute_path(const std::string& path, const std::string& folder);

// Links resolved once, where the path exists; else as absolute_path.
std::string real_path(const std::string& absolute);

// Throws failure if it is no readable regular file.
std::string read_file(const std::string& path);
std::optional<std::string> try_read_file(const std::string& path);

// `path` below `root` as a relative path, else unchanged. Both absolute.
std::string relative_to(const std::string& path, const std::string& root);

// The deepest folder that holds all files; all absolute. Empty without files.
std::string common_folder(const std::vector<std::string>& files);

// Where the files' project lies: the folder of the version control they share, else their common folder.
std::string project_root(const std::vector<std::string>& files);

}  // namespace stridelock::tool
