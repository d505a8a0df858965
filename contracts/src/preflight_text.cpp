#include <algorithm>

#include "stridelock/preflight.h"

namespace stridelock {
inline namespace v1 {
namespace {

std::string grouped_number(std::int64_t value) {
  const std::string digits = std::to_string(value);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string sizes(const preflight_range& r) {
  return r.first == r.last ? std::to_string(r.first)
                           : std::to_string(r.first) + ".." + std::to_string(r.last);
}

std::string indented(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::string out = "    ";
  for (char c : text) {
    out += c;
    if (c == '\n') out += "    ";
  }
  return out;
}

}  // namespace

std::string text(const preflight_report& r) {
  if (!r.error.empty()) return "preflight: " + r.error + "\n";
  std::string out;
  for (const preflight_row& row : r.rows) {
    out += row.call + " (" + row.dispatch + ")";
    std::string separator = ": ";
    for (const preflight_setting& s : row.settings) {
      out += separator + s.variable + " = " + s.values;
      separator = "; ";
    }
    out += "\n";
    std::size_t size_width = 0, verdict_width = 0;
    for (const preflight_range& range : row.ranges) {
      size_width = std::max(size_width, sizes(range).size());
      verdict_width = std::max(verdict_width, to_string(range.verdict).size());
    }
    bool first = true;
    for (const preflight_range& range : row.ranges) {
      std::string line = "  " + (first ? row.over : std::string(row.over.size(), ' ')) + " " +
                         padded(sizes(range), size_width) + "  " +
                         padded(std::string(to_string(range.verdict)), verdict_width);
      if (!range.branch.empty()) line += "  " + range.branch;
      if (!range.fact.empty()) line += (range.branch.empty() ? "  " : ": ") + range.fact;
      if (!range.evidence.empty()) line += " (" + range.evidence + ")";
      out += line + "\n";
      if (!range.by_parameter.empty()) {
        out += "    depends:";
        separator = " ";
        for (const std::string& p : range.by_parameter) {
          out += separator + p;
          separator = "; ";
        }
        out += "\n";
      }
      first = false;
    }
    if (row.has_fail) {
      out += "  last that passes ";
      out += row.has_pass ? std::to_string(row.last_pass) : "none";
      out += ", first that fails " + std::to_string(row.first_fail) + "\n";
    }
    for (const preflight_threshold& t : row.thresholds) {
      out += "  " + t.text + ": ";
      if (t.has_below) out += std::to_string(t.below) + " is " + std::to_string(t.slack_below) + " under it";
      if (t.has_below && t.has_above) out += ", ";
      if (t.has_above) out += std::to_string(t.above) + " is " + std::to_string(t.slack_above) + " over it";
      out += "\n";
    }
    if (!row.parameters.empty()) {
      out +=
          row.depends_on_parameter ? "  not the same for every value of " : "  the same for every value of ";
      out += row.parameters + "\n";
    }
    if (!row.message.empty()) out += indented(row.message) + "\n";
    out += "\n";
  }
  out += "preflight: " + grouped_number(r.cells) + " cells";
  constexpr cell_verdict order[] = {cell_verdict::ok,        cell_verdict::silent,
                                    cell_verdict::refused,   cell_verdict::no_kernel,
                                    cell_verdict::uncovered, cell_verdict::undefined};
  std::string separator = ": ";
  for (cell_verdict v : order) {
    const std::int64_t count = r.by_verdict[static_cast<int>(v)];
    if (count == 0 && v != cell_verdict::ok) continue;
    out += separator + grouped_number(count) + " " + std::string(to_string(v));
    separator = ", ";
  }
  if (r.depending > 0) out += "; " + grouped_number(r.depending) + " depend on a parameter";
  out += "; " + grouped_number(r.evaluations) + " evaluations\n";
  return out;
}

}  // namespace v1
}  // namespace stridelock
