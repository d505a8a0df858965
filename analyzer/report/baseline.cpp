#include "analyzer/report/baseline.h"

#include <algorithm>

#include "analyzer/report/rule.h"

namespace stridelock::report {
namespace {

constexpr std::string_view first_line =
    "# stridelock baseline, version 1. Written by `stridelock check --write-baseline=FILE`; do not edit.";
constexpr std::string_view title = "# stridelock baseline, version ";

// A fingerprint is one line: what would end it, and the escape itself, are written as \n, \r and two backslashes.
std::string escaped(std::string_view fingerprint) {
  std::string out;
  for (const char c : fingerprint) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else
      out += c;
  }
  return out;
}

std::optional<std::string> unescaped(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\') {
      out += line[i];
      continue;
    }
    if (++i == line.size()) return std::nullopt;
    switch (line[i]) {
      case '\\':
        out += '\\';
        break;
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      default:
        return std::nullopt;
    }
  }
  return out;
}

}  // namespace

std::string print_baseline(const std::vector<finding>& findings) {
  baseline out;
  for (const finding& f : findings) {
    if (!is_about_the_run(f.check)) out.fingerprints.insert(f.fingerprint);
  }
  return print_baseline(out);
}

std::string print_baseline(const baseline& what) {
  std::string out(first_line);
  out += '\n';
  for (const std::string& fingerprint : what.fingerprints) out += escaped(fingerprint) + '\n';
  return out;
}

std::optional<baseline_error> parse_baseline(std::string_view bytes, baseline& out) {
  baseline read;
  std::uint32_t number = 0;
  while (!bytes.empty() || number == 0) {
    const std::size_t end = bytes.find('\n');
    std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);  // a checkout with CRLF
    if (++number == 1) {
      const std::string version(line.substr(0, title.size()) == title ? line.substr(title.size(), 2) : "");
      if (version.empty()) {
        return baseline_error{1, "expected '" + std::string(title) +
                                     "1', as on the first line of a file that --write-baseline wrote"};
      }
      if (version != "1." && version != "1") {
        return baseline_error{
            1, "this baseline has another version than 1; write it again with --write-baseline"};
      }
      continue;
    }
    if (line.empty() || line[0] == '#') continue;
    std::optional<std::string> fingerprint = unescaped(line);
    if (!fingerprint || line.find('|') == std::string_view::npos) {
      return baseline_error{
          number, "expected a fingerprint, CHECK|FUNCTION|…; write the file again with --write-baseline"};
    }
    read.fingerprints.insert(std::move(*fingerprint));
  }
  out = std::move(read);
  return std::nullopt;
}

baseline_outcome apply_baseline(std::vector<finding> findings, const baseline& known) {
  baseline_outcome outcome;
  std::set<std::string_view> met;
  for (finding& f : findings) {
    const auto at = known.fingerprints.find(f.fingerprint);
    if (at == known.fingerprints.end()) {
      outcome.fresh.push_back(std::move(f));
    } else {
      met.insert(*at);
      outcome.known.push_back(std::move(f));
    }
  }
  outcome.gone = known.fingerprints.size() - met.size();
  return outcome;
}

}  // namespace stridelock::report
