#include "analyzer/extract/suppressions.h"

#include <algorithm>
#include <tuple>

namespace stridelock::extract {
namespace {

constexpr std::string_view keyword = "NOLINT";
constexpr std::string_view next_line = "NEXTLINE";
constexpr std::string_view region_begin = "BEGIN";
constexpr std::string_view region_end = "END";
constexpr std::string_view prefix = "stridelock-";
constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_check_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

// What follows `: ` up to the end of the line, the comment, or the next NOLINT.
std::string_view reason_in(std::string_view rest) {
  rest = trimmed(rest.substr(0, rest.find('\n')));
  if (!rest.starts_with(':')) return {};
  rest.remove_prefix(1);
  rest = rest.substr(0, rest.find(keyword));
  if (const std::size_t end = rest.rfind("*/"); end != std::string_view::npos) rest = rest.substr(0, end);
  return trimmed(rest);
}

}  // namespace

std::vector<ir::suppression> suppressions_in(std::string_view comment, ir::name file, std::uint32_t line) {
  std::vector<ir::suppression> out;
  for (std::size_t at = comment.find(keyword); at != std::string_view::npos; at = comment.find(keyword, at)) {
    const bool starts_word = at == 0 || !is_word(comment[at - 1]);
    const std::uint32_t own_line =
        line + static_cast<std::uint32_t>(
                   std::count(comment.begin(), comment.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    at += keyword.size();
    std::string_view rest = comment.substr(at);
    const auto take = [&](std::string_view word) {
      const bool found = rest.starts_with(word);
      if (found) rest.remove_prefix(word.size());
      return found;
    };
    const bool is_next = take(next_line);
    const ir::suppression_extent extent = take(region_begin) ? ir::suppression_extent::unclosed
                                          : take(region_end) ? ir::suppression_extent::unopened
                                                             : ir::suppression_extent::line;
    if (!starts_word || !rest.starts_with('(')) continue;
    const std::size_t close = rest.find(')');
    if (close == std::string_view::npos) continue;
    std::string_view list = rest.substr(1, close - 1);
    const std::string_view reason = reason_in(rest.substr(close + 1));
    while (!list.empty()) {
      const std::size_t comma = list.find(',');
      std::string_view check = trimmed(list.substr(0, comma));
      list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
      if (!check.starts_with(prefix)) continue;
      check.remove_prefix(prefix.size());
      if (is_check_name(check))
        out.push_back({file, own_line + (is_next ? 1 : 0), own_line, check, reason, extent});
    }
  }
  return out;
}

std::vector<ir::suppression> joined_suppressions(std::vector<ir::suppression> all) {
  const auto key = [](const ir::suppression& one) {
    return std::tuple(one.file.view(), one.line, one.check.view(), one.comment_line, one.reason.view(),
                      one.extent);
  };
  std::sort(all.begin(), all.end(),
            [&](const ir::suppression& a, const ir::suppression& b) { return key(a) < key(b); });
  all.erase(std::unique(all.begin(), all.end()), all.end());

  std::vector<std::size_t> open;
  std::vector<ir::suppression> out;
  for (const ir::suppression& one : all) {
    if (one.extent == ir::suppression_extent::unopened) {
      const auto begin = std::find_if(open.rbegin(), open.rend(), [&](std::size_t i) {
        return out[i].file == one.file && out[i].check == one.check;
      });
      if (begin != open.rend()) {
        out[*begin].extent = ir::suppression_extent::region;
        out[*begin].last_line = one.line;
        open.erase(std::next(begin).base());
        continue;
      }
    }
    if (one.extent == ir::suppression_extent::unclosed) open.push_back(out.size());
    out.push_back(one);
  }
  return out;
}

}  // namespace stridelock::extract
