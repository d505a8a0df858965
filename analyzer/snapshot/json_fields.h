// Typed fields of a JSON object: a missing, unknown or ill-typed one is an error that names the path, what was expected
// and what was found. Private to this folder.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/Support/JSON.h"

namespace stridelock::snapshot {

// Thrown inside the reader, never out of it.
struct field_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string found(const llvm::json::Value* value);  // "a string", "nothing"
[[noreturn]] void expected(const std::string& path, const std::string& what, const llvm::json::Value* value);

class fields {
 public:
  // Throws if `value` is no object.
  fields(const llvm::json::Value& value, std::string path);

  const std::string& path() const { return path_; }
  std::string path_of(const char* key) const { return path_.empty() ? key : path_ + "." + key; }

  const llvm::json::Value* find(const char* key);  // null if it is not there
  const llvm::json::Value& need(const char* key);

  std::string text(const char* key);
  std::string text_or(const char* key, std::string otherwise);
  bool boolean(const char* key);
  bool boolean_or(const char* key, bool otherwise);
  std::uint64_t number(const char* key, std::uint64_t largest = ~std::uint64_t{0});
  std::uint64_t number_or(const char* key, std::uint64_t otherwise,
                          std::uint64_t largest = ~std::uint64_t{0});
  std::uint64_t address(const char* key);  // "0x7f…"
  std::vector<std::uint8_t> bytes(const char* key);
  void triple(const char* key, std::uint32_t (&out)[3]);
  const llvm::json::Array& array(const char* key);
  const llvm::json::Array* array_if_there(const char* key);

  // Throws if a key was never asked for.
  void all_known() const;

 private:
  const llvm::json::Object* object_ = nullptr;
  std::string path_;
  std::vector<std::string> asked_;
};

std::uint64_t number_of(const llvm::json::Value& value, const std::string& path, std::uint64_t largest);

}  // namespace stridelock::snapshot
