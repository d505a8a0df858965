// Reading a map whose keys are known.
//
// Promises:  an unknown key is an error at its place that names the nearest known one; so is a missing or wrong value.
#pragma once

#include <charconv>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/yaml/document.h"
#include "contracts/yaml/nearest.h"

namespace stridelock::yaml {

// Thrown inside the readers; their entry points return it.
[[noreturn]] inline void fail(std::string_view file, const node& at, const std::string& message) {
  throw text_error{std::string(file), at.line, at.column, message};
}

inline std::string found(const node& n) {
  switch (n.what) {
    case node::kind::null:
      return "nothing";
    case node::kind::scalar:
      return "'" + (n.text.size() > 60 ? n.text.substr(0, 57) + "..." : n.text) + "'";
    case node::kind::list:
      return "a list";
    case node::kind::map:
      return "a map";
  }
  return {};
}

// A value with its file, so that errors need no more.
class value {
 public:
  value(std::string_view file, const node& n) : file_(file), node_(&n) {}

  const node& raw() const { return *node_; }
  std::string_view file() const { return file_; }
  bool is_scalar() const { return node_->what == node::kind::scalar; }
  bool is_list() const { return node_->what == node::kind::list; }
  bool is_map() const { return node_->what == node::kind::map; }

  [[noreturn]] void refuse(const std::string& message) const { fail(file_, *node_, message); }
  [[noreturn]] void expected(const std::string& what) const {
    refuse("expected " + what + ", found " + found(*node_));
  }

  const std::string& text(const std::string& what) const {
    if (!is_scalar() || node_->text.empty()) expected(what);
    return node_->text;
  }
  std::int64_t integer(const std::string& what, std::int64_t lowest, std::int64_t highest) const {
    const std::string& digits = text(what);
    std::int64_t out = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, out);
    if (error != std::errc() || stop != end || out < lowest || out > highest) expected(what);
    return out;
  }
  bool boolean() const {
    const std::string& word = text("true or false");
    if (word != "true" && word != "false") expected("true or false");
    return word == "true";
  }
  std::vector<value> list(const std::string& what) const {
    if (!is_list()) expected(what);
    std::vector<value> out;
    for (const node& item : node_->items) out.emplace_back(file_, item);
    return out;
  }

 private:
  std::string_view file_;
  const node* node_;
};

class fields {
 public:
  fields(const value& of, const std::string& what, std::initializer_list<const char*> known) : of_(of) {
    if (!of.is_map()) of.expected(what);
    const std::vector<std::string> words(known.begin(), known.end());
    for (const auto& [key, unused] : of.raw().entries) {
      bool is_known = false;
      for (const std::string& word : words) is_known = is_known || word == key.text;
      if (!is_known)
        fail(of.file(), key,
             "unknown key '" + key.text + "'" + did_you_mean(words, key.text) + " Known: " + listed(words));
    }
  }

  bool has(std::string_view key) const { return find(key) != nullptr; }
  value at(std::string_view key) const {
    const node* n = find(key);
    if (n == nullptr) of_.refuse("expected the key `" + std::string(key) + "`");
    return {of_.file(), *n};
  }
  const value& self() const { return of_; }

 private:
  const node* find(std::string_view key) const {
    for (const auto& [known, n] : of_.raw().entries)
      if (known.text == key) return &n;
    return nullptr;
  }
  value of_;
};

}  // namespace stridelock::yaml
