// name: an interned string. Equality is one pointer compare; ordering is by content, so sorted output is
// the same in every run.
//
// Promises:  equal content gives equal names; a name is valid until the process ends; interning is thread-safe.
// Does not:  release memory. The analyzer reads a program, answers and exits.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace stridelock::ir {

class name {
 public:
  name() noexcept;
  name(std::string_view text);  // NOLINT(google-explicit-constructor): reads as a string everywhere
  name(const std::string& text) : name(std::string_view(text)) {}
  name(const char* text) : name(std::string_view(text)) {}

  const std::string& str() const noexcept { return *text_; }
  std::string_view view() const noexcept { return *text_; }
  bool empty() const noexcept { return text_->empty(); }

  friend bool operator==(name a, name b) noexcept { return a.text_ == b.text_; }
  friend bool operator!=(name a, name b) noexcept { return a.text_ != b.text_; }
  friend bool operator<(name a, name b) noexcept { return a.text_ != b.text_ && *a.text_ < *b.text_; }

 private:
  friend struct std::hash<name>;
  const std::string* text_;
};

}  // namespace stridelock::ir

template <>
struct std::hash<stridelock::ir::name> {
  std::size_t operator()(stridelock::ir::name n) const noexcept {
    return std::hash<const void*>()(static_cast<const void*>(n.text_));
  }
};
