#include "analyzer/snapshot/json_fields.h"

#include <algorithm>

namespace stridelock::snapshot {
namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string found(const llvm::json::Value* value) {
  if (value == nullptr) return "nothing";
  switch (value->kind()) {
    case llvm::json::Value::Null:
      return "null";
    case llvm::json::Value::Boolean:
      return "a boolean";
    case llvm::json::Value::Number:
      return "a number";
    case llvm::json::Value::String: {
      const std::string text = value->getAsString()->str();
      return text.size() <= 40 ? "'" + text + "'"
                               : "a text of " + std::to_string(text.size()) + " characters";
    }
    case llvm::json::Value::Array:
      return "an array of " + std::to_string(value->getAsArray()->size());
    case llvm::json::Value::Object:
      return "an object";
  }
  return "something else";
}

void expected(const std::string& path, const std::string& what, const llvm::json::Value* value) {
  throw field_error((path.empty() ? "" : path + ": ") + "expected " + what + ", found " + found(value));
}

fields::fields(const llvm::json::Value& value, std::string path)
    : object_(value.getAsObject()), path_(std::move(path)) {
  if (object_ == nullptr) expected(path_, "an object", &value);
}

const llvm::json::Value* fields::find(const char* key) {
  asked_.emplace_back(key);
  return object_->get(key);
}

const llvm::json::Value& fields::need(const char* key) {
  const llvm::json::Value* value = find(key);
  if (value == nullptr)
    throw field_error((path_.empty() ? "" : path_ + ": ") + "the key '" + key + "' is missing");
  return *value;
}

std::string fields::text(const char* key) {
  const llvm::json::Value& value = need(key);
  const auto text = value.getAsString();
  if (!text) expected(path_of(key), "a text", &value);
  return text->str();
}

std::string fields::text_or(const char* key, std::string otherwise) {
  return object_->get(key) == nullptr ? (asked_.emplace_back(key), std::move(otherwise)) : text(key);
}

bool fields::boolean(const char* key) {
  const llvm::json::Value& value = need(key);
  const auto yes = value.getAsBoolean();
  if (!yes) expected(path_of(key), "true or false", &value);
  return *yes;
}

bool fields::boolean_or(const char* key, bool otherwise) {
  return object_->get(key) == nullptr ? (asked_.emplace_back(key), otherwise) : boolean(key);
}

std::uint64_t number_of(const llvm::json::Value& value, const std::string& path, std::uint64_t largest) {
  const auto number = value.getAsUINT64();
  if (!number || *number > largest) {
    expected(path, "a whole number up to " + std::to_string(largest), &value);
  }
  return *number;
}

std::uint64_t fields::number(const char* key, std::uint64_t largest) {
  return number_of(need(key), path_of(key), largest);
}

std::uint64_t fields::number_or(const char* key, std::uint64_t otherwise, std::uint64_t largest) {
  return object_->get(key) == nullptr ? (asked_.emplace_back(key), otherwise) : number(key, largest);
}

std::uint64_t fields::address(const char* key) {
  const llvm::json::Value& value = need(key);
  const auto text = value.getAsString();
  const auto bad = [&] { expected(path_of(key), "an address such as \"0x7f00\"", &value); };
  if (!text || text->size() < 3 || text->size() > 18 || !text->starts_with("0x")) bad();
  std::uint64_t out = 0;
  for (const char c : text->substr(2)) {
    const int digit = digit_of(c);
    if (digit < 0) bad();
    out = out << 4U | static_cast<std::uint64_t>(digit);
  }
  return out;
}

std::vector<std::uint8_t> fields::bytes(const char* key) {
  const llvm::json::Value& value = need(key);
  const auto text = value.getAsString();
  const auto bad = [&] { expected(path_of(key), "bytes as pairs of hexadecimal digits", &value); };
  if (!text || text->size() % 2 != 0) bad();
  std::vector<std::uint8_t> out;
  out.reserve(text->size() / 2);
  for (std::size_t i = 0; i < text->size(); i += 2) {
    const int high = digit_of((*text)[i]);
    const int low = digit_of((*text)[i + 1]);
    if (high < 0 || low < 0) bad();
    out.push_back(static_cast<std::uint8_t>(high << 4 | low));
  }
  return out;
}

void fields::triple(const char* key, std::uint32_t (&out)[3]) {
  const llvm::json::Array& all = array(key);
  if (all.size() != 3) expected(path_of(key), "three numbers", object_->get(key));
  for (std::size_t i = 0; i < 3; ++i) {
    out[i] = static_cast<std::uint32_t>(
        number_of(all[i], path_of(key) + "[" + std::to_string(i) + "]", 0xffffffffU));
  }
}

const llvm::json::Array& fields::array(const char* key) {
  const llvm::json::Value& value = need(key);
  const llvm::json::Array* all = value.getAsArray();
  if (all == nullptr) expected(path_of(key), "an array", &value);
  return *all;
}

const llvm::json::Array* fields::array_if_there(const char* key) {
  if (object_->get(key) == nullptr) {
    asked_.emplace_back(key);
    return nullptr;
  }
  return &array(key);
}

void fields::all_known() const {
  std::string unknown;  // the first by name: the object's order is that of a hash
  for (const auto& entry : *object_) {
    const std::string key = entry.first.str();
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    if (unknown.empty() || key < unknown) unknown = key;
  }
  if (!unknown.empty())
    throw field_error((path_.empty() ? "" : path_ + ": ") + "unknown key '" + unknown + "'");
}

}  // namespace stridelock::snapshot
