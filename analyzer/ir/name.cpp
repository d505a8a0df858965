#include "analyzer/ir/name.h"

#include <array>
#include <mutex>
#include <unordered_set>

namespace stridelock::ir {
namespace {

struct content_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
  std::size_t operator()(const std::string& text) const noexcept { return (*this)(std::string_view(text)); }
};

// Several pools, so that threads reading different units seldom wait for each other.
struct pool {
  std::mutex mutex;
  std::unordered_set<std::string, content_hash, std::equal_to<>> texts;
};

const std::string* intern(std::string_view text) {
  static auto* pools = new std::array<pool, 16>();  // never destroyed: names outlive statics
  const std::size_t hash = content_hash()(text);
  pool& p = (*pools)[(hash >> 7) % pools->size()];
  std::lock_guard<std::mutex> lock(p.mutex);
  if (const auto found = p.texts.find(text); found != p.texts.end()) return &*found;
  return &*p.texts.emplace(text).first;
}

const std::string* empty_text() {
  static const std::string* text = intern("");
  return text;
}

}  // namespace

name::name() noexcept : text_(empty_text()) {}
name::name(std::string_view text) : text_(text.empty() ? empty_text() : intern(text)) {}

}  // namespace stridelock::ir
