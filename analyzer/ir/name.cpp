#include "analyzer/ir/name.h"

#include <mutex>
#include <unordered_set>

namespace stridelock::ir {
namespace {

const std::string* intern(std::string_view text) {
  static std::mutex mutex;
  static auto* pool = new std::unordered_set<std::string>();  // never destroyed: names outlive statics
  std::lock_guard<std::mutex> lock(mutex);
  return &*pool->emplace(text).first;
}

const std::string* empty_text() {
  static const std::string* text = intern("");
  return text;
}

}  // namespace

name::name() noexcept : text_(empty_text()) {}
name::name(std::string_view text) : text_(text.empty() ? empty_text() : intern(text)) {}

}  // namespace stridelock::ir
