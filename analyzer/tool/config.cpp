#include "analyzer/tool/config.h"

#include <filesystem>

#include "analyzer/models/yaml.h"
#include "analyzer/tool/failure.h"
#include "analyzer/tool/files.h"
#include "analyzer/tool/nearest.h"

namespace stridelock::tool {
namespace {

namespace fs = std::filesystem;
using models::yaml::node;

constexpr const char* file_name = ".stridelock.yaml";

class reader {
 public:
  reader(const std::string& path, const std::string& shown)
      : path_(path), shown_(shown), folder_(fs::path(path).parent_path()) {}

  config read(const node& root) {
    config out;
    out.path = path_;
    if (root.what == node::kind::null) return out;
    if (root.what != node::kind::map) refuse(root, "expected keys: " + listed(keys()));
    for (const auto& [key, value] : root.entries) {
      if (key.text == "models") {
        out.models = paths(value);
      } else if (key.text == "contracts") {
        out.contracts = paths(value);
      } else if (key.text == "roots") {
        out.roots = paths(value);
      } else if (key.text == "checks") {
        out.checks = words(value);
      } else if (key.text == "assume-capture") {
        out.assume_capture = words(value);
      } else if (key.text == "unparsed") {
        out.unparsed = unparsed(value);
      } else if (key.text == "baseline") {
        out.baseline = absolute(word(value, "a path"));
      } else if (key.text == "fail-on") {
        out.fail_on = threshold(value);
      } else {
        refuse(key, "unknown key '" + key.text + "'" + did_you_mean(keys(), key.text) +
                        " Known: " + listed(keys()));
      }
    }
    return out;
  }

 private:
  static const std::vector<std::string>& keys() {
    static const std::vector<std::string> all = {"models",   "contracts",      "checks",   "roots",
                                                 "unparsed", "assume-capture", "baseline", "fail-on"};
    return all;
  }

  [[noreturn]] void refuse(const node& at, const std::string& message) const {
    throw failure(shown_, at.line, at.column, message);
  }

  const std::string& word(const node& value, const char* expected) const {
    if (value.what != node::kind::scalar || value.text.empty()) {
      refuse(value, std::string("expected ") + expected);
    }
    return value.text;
  }

  std::string absolute(const std::string& path) const { return absolute_path(path, folder_.string()); }

  std::vector<std::string> paths(const node& value) const {
    std::vector<std::string> out;
    if (value.what == node::kind::scalar) return {absolute(word(value, "a path or a list of paths"))};
    if (value.what != node::kind::list) refuse(value, "expected a path or a list of paths");
    for (const node& item : value.items) out.push_back(absolute(word(item, "a path")));
    return out;
  }

  std::vector<std::string> words(const node& value) const {
    if (value.what == node::kind::scalar) return split_list(value.text);
    if (value.what != node::kind::list) refuse(value, "expected a text or a list of texts");
    std::vector<std::string> out;
    for (const node& item : value.items) out.push_back(word(item, "a text"));
    return out;
  }

  std::vector<unparsed_entry> unparsed(const node& list) const {
    if (list.what != node::kind::list) refuse(list, "expected a list of {file: …, reason: …}");
    std::vector<unparsed_entry> out;
    for (const node& item : list.items) {
      if (item.what != node::kind::map) refuse(item, "expected {file: …, reason: …}");
      unparsed_entry entry;
      entry.line = item.line;
      for (const auto& [key, value] : item.entries) {
        if (key.text == "file") {
          entry.file = word(value, "a path");
          entry.path = absolute(entry.file);
        } else if (key.text == "reason") {
          entry.reason = word(value, "a reason: why does this file not parse?");
        } else {
          refuse(key, "unknown key '" + key.text + "'; expected file and reason");
        }
      }
      if (entry.file.empty()) refuse(item, "expected a file");
      if (entry.reason.empty()) refuse(item, "'" + entry.file + "' needs a reason: why does it not parse?");
      out.push_back(std::move(entry));
    }
    return out;
  }

  report::fail_threshold threshold(const node& value) const {
    const std::string& text = word(value, "error, warning, note or never");
    if (text == "error") return report::fail_threshold::error;
    if (text == "warning") return report::fail_threshold::warning;
    if (text == "note") return report::fail_threshold::note;
    if (text == "never") return report::fail_threshold::never;
    refuse(value, "expected error, warning, note or never, found '" + text + "'");
  }

  const std::string& path_;
  const std::string& shown_;
  fs::path folder_;
};

}  // namespace

config parse_config(std::string_view bytes, const std::string& path, const std::string& shown) {
  const std::variant<node, text_error> root = models::yaml::read(bytes, shown);
  if (const auto* error = std::get_if<text_error>(&root)) throw failure::of_line(error->str());
  return reader(path, shown).read(std::get<node>(root));
}

config read_config(const std::string& path) {
  return parse_config(read_file(path), path, relative_to(path, current_folder()));
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
