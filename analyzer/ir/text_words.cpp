#include "analyzer/ir/text_words.h"

namespace stridelock::ir::detail {
namespace {

bool strip_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool strip_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  while (text.ends_with(' ')) text.remove_suffix(1);
  return true;
}

bool is_fundamental(std::string_view type) {
  static constexpr std::string_view words[] = {"void",
                                               "bool",
                                               "_Bool",
                                               "char",
                                               "signed char",
                                               "unsigned char",
                                               "short",
                                               "int",
                                               "long",
                                               "long long",
                                               "unsigned short",
                                               "unsigned int",
                                               "unsigned long",
                                               "float",
                                               "double",
                                               "unsigned",
                                               "unsigned long long",
                                               "wchar_t",
                                               "char8_t",
                                               "char16_t",
                                               "char32_t",
                                               "__int128",
                                               "unsigned __int128",
                                               "long double",
                                               "_Float16",
                                               "__float128",
                                               "std::nullptr_t",
                                               "nullptr_t",
                                               "auto"};
  for (std::string_view word : words)
    if (type == word) return true;
  return false;
}

}  // namespace

type_facts facts_of(std::string_view type) {
  type_facts facts;
  if (strip_suffix(type, "&&"))
    facts.how = passing::rvalue_reference;
  else if (strip_suffix(type, "&"))
    facts.how = passing::reference;
  // `T *const` is a pointer that is itself const: what it points to is what counts.
  const bool const_pointer = type.ends_with("*const") || type.ends_with("* const");
  if (const_pointer) strip_suffix(type, "const");
  facts.is_pointer = strip_suffix(type, "*");
  const bool to_something = facts.is_pointer || facts.how != passing::value;
  bool is_const = false;
  if (strip_prefix(type, "const ")) is_const = true;
  if (strip_suffix(type, " const")) is_const = true;
  facts.to_const = to_something && is_const;
  if (facts.how == passing::reference && (facts.is_pointer ? const_pointer : is_const))
    facts.how = passing::const_reference;
  const std::size_t end = type.find_first_of("<*&([");
  std::string_view record = type.substr(0, end);
  while (record.ends_with(' ')) record.remove_suffix(1);
  const bool plain = end == std::string_view::npos || type[end] == '<';
  if (plain && is_path(record) && !is_fundamental(record)) facts.record = record;
  return facts;
}

std::string_view scope_of(std::string_view qualified) {
  const std::size_t at = qualified.rfind("::");
  return at == std::string_view::npos ? std::string_view() : qualified.substr(0, at);
}

bool is_identifier(std::string_view text) {
  if (text.empty() || !is_identifier_start(text[0])) return false;
  for (char c : text)
    if (!is_identifier_char(c)) return false;
  return true;
}

bool is_path(std::string_view text) {
  for (;;) {
    const std::size_t at = text.find("::");
    if (!is_identifier(text.substr(0, at))) return false;
    if (at == std::string_view::npos) return true;
    text.remove_prefix(at + 2);
  }
}

std::size_t word_length(std::string_view text) {
  if (text.empty() || text[0] == '-') return 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (c == ':' && next == ':') {
      at += 2;
    } else if (is_word_char(c) && !(c == '-' && next == '>')) {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {  // no overlong forms, no surrogates
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : 0xBF;
    return follows(1, low, high) && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {  // up to U+10FFFF
    const unsigned low = first == 0xF0 ? 0x90 : 0x80;
    const unsigned high = first == 0xF4 ? 0x8F : 0xBF;
    return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace stridelock::ir::detail
