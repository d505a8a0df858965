#include "analyzer/report/fingerprint.h"

#include <unordered_map>

#include "analyzer/report/utf8.h"

namespace stridelock::report {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Two characters that would become another token if they met: `a b`, `- -`, `> >`.
bool would_join(char a, char b) {
  if (is_word(a) && is_word(b)) return true;
  constexpr std::string_view operators = "+-*/%&|<>=!:.^";
  return operators.find(a) != std::string_view::npos && operators.find(b) != std::string_view::npos;
}

void append_part(std::string& out, std::string_view part) {
  for (const char c : part) {
    if (c == '|' || c == '\\') out += '\\';
    out += c;
  }
}

}  // namespace

std::string normalised_expression(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  bool space = false;
  for (const char c : source) {
    if (is_space(c)) {
      space = true;
      continue;
    }
    if (space && !out.empty() && would_join(out.back(), c)) out += ' ';
    out += c;
    space = false;
  }
  return out;
}

std::string fingerprint(const fingerprint_parts& parts) {
  std::string out;
  append_part(out, parts.check);
  out += '|';
  append_part(out, parts.function);
  out += '|';
  append_part(out, parts.callee);
  out += '|';
  append_part(out, parts.parameter);
  out += '|';
  append_part(out, normalised_expression(parts.expression));
  return valid_utf8(out);
}

void number_equal_fingerprints(std::vector<finding>& sorted) {
  std::unordered_map<std::string, unsigned> seen;
  for (finding& f : sorted) {
    if (f.fingerprint.empty()) {
      f.fingerprint = fingerprint({.check = f.check, .function = f.function, .expression = f.message});
    }
    const unsigned ordinal = ++seen[f.fingerprint];
    if (ordinal > 1) f.fingerprint += "|#" + std::to_string(ordinal);
  }
}

}  // namespace stridelock::report
