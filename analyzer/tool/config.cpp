#include "analyzer/tool/config.h"

#include <filesystem>

#include "analyzer/tool/failure.h"
#include "analyzer/tool/files.h"
#include "analyzer/tool/nearest.h"
#include "analyzer/tool/yaml.h"

namespace stridelock::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* file_name = ".stridelock.yaml";

class reader {
 public:
  reader(const std::string& path) : path_(path), folder_(fs::path(path).parent_path()) {}

  config read(const yaml_node& root) {
    config out;
    out.path = path_;
    if (root.what == yaml_node::kind::null) return out;
    if (root.what != yaml_node::kind::map) refuse(root, "expected keys: " + listed(keys()));
    for (const auto& [key, value] : root.map) {
      if (key.scalar == "models") {
        out.models = paths(value);
      } else if (key.scalar == "contracts") {
        out.contracts = paths(value);
      } else if (key.scalar == "roots") {
        out.roots = paths(value);
      } else if (key.scalar == "checks") {
        out.checks = words(value);
      } else if (key.scalar == "assume-capture") {
        out.assume_capture = words(value);
      } else if (key.scalar == "unparsed") {
        out.unparsed = unparsed(value);
      } else if (key.scalar == "fail-on") {
        out.fail_on = threshold(value);
      } else {
        refuse(key, "unknown key '" + key.scalar + "'" + did_you_mean(keys(), key.scalar) +
                        " Known: " + listed(keys()));
      }
    }
    return out;
  }

 private:
  static const std::vector<std::string>& keys() {
    static const std::vector<std::string> all = {"models",   "contracts",      "checks", "roots",
                                                 "unparsed", "assume-capture", "fail-on"};
    return all;
  }

  [[noreturn]] void refuse(const yaml_node& at, const std::string& message) const {
    throw failure(path_, at.line, at.column, message);
  }

  const std::string& word(const yaml_node& node, const char* expected) const {
    if (node.what != yaml_node::kind::scalar || node.scalar.empty()) {
      refuse(node, std::string("expected ") + expected);
    }
    return node.scalar;
  }

  std::string absolute(const std::string& path) const { return absolute_path(path, folder_.string()); }

  std::vector<std::string> paths(const yaml_node& node) const {
    std::vector<std::string> out;
    if (node.what == yaml_node::kind::scalar) return {absolute(word(node, "a path or a list of paths"))};
    if (node.what != yaml_node::kind::list) refuse(node, "expected a path or a list of paths");
    for (const yaml_node& item : node.list) out.push_back(absolute(word(item, "a path")));
    return out;
  }

  std::vector<std::string> words(const yaml_node& node) const {
    if (node.what == yaml_node::kind::scalar) return split_list(node.scalar);
    if (node.what != yaml_node::kind::list) refuse(node, "expected a text or a list of texts");
    std::vector<std::string> out;
    for (const yaml_node& item : node.list) out.push_back(word(item, "a text"));
    return out;
  }

  std::vector<unparsed_entry> unparsed(const yaml_node& node) const {
    if (node.what != yaml_node::kind::list) refuse(node, "expected a list of {file: …, reason: …}");
    std::vector<unparsed_entry> out;
    for (const yaml_node& item : node.list) {
      if (item.what != yaml_node::kind::map) refuse(item, "expected {file: …, reason: …}");
      unparsed_entry entry;
      entry.line = item.line;
      for (const auto& [key, value] : item.map) {
        if (key.scalar == "file") {
          entry.file = word(value, "a path");
          entry.path = absolute(entry.file);
        } else if (key.scalar == "reason") {
          entry.reason = word(value, "a reason: why does this file not parse?");
        } else {
          refuse(key, "unknown key '" + key.scalar + "'; expected file and reason");
        }
      }
      if (entry.file.empty()) refuse(item, "expected a file");
      if (entry.reason.empty()) refuse(item, "'" + entry.file + "' needs a reason: why does it not parse?");
      out.push_back(std::move(entry));
    }
    return out;
  }

  report::fail_threshold threshold(const yaml_node& node) const {
    const std::string& text = word(node, "error, warning, note or never");
    if (text == "error") return report::fail_threshold::error;
    if (text == "warning") return report::fail_threshold::warning;
    if (text == "note") return report::fail_threshold::note;
    if (text == "never") return report::fail_threshold::never;
    refuse(node, "expected error, warning, note or never, found '" + text + "'");
  }

  const std::string& path_;
  fs::path folder_;
};

}  // namespace

config parse_config(std::string_view bytes, const std::string& path) {
  return reader(path).read(parse_yaml(bytes, path));
}

config read_config(const std::string& path) {
  return parse_config(read_file(path), path);
}

std::string find_config(const std::string& folder) {
  for (fs::path at = folder;; at = at.parent_path()) {
    std::error_code error;
    if (fs::exists(at / file_name, error)) return (at / file_name).string();
    if (at == at.root_path() || at.empty()) return {};
  }
}

report::fail_threshold parse_threshold(const std::string& word, const std::string& option) {
  if (word == "error") return report::fail_threshold::error;
  if (word == "warning") return report::fail_threshold::warning;
  if (word == "note") return report::fail_threshold::note;
  if (word == "never") return report::fail_threshold::never;
  throw failure(option + ": expected error, warning, note or never, found '" + word + "'");
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    while (!item.empty() && (item.front() == ' ' || item.front() == '\n')) item.remove_prefix(1);
    while (!item.empty() && (item.back() == ' ' || item.back() == '\n')) item.remove_suffix(1);
    if (!item.empty()) out.emplace_back(item);
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace stridelock::tool
