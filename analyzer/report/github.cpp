#include "analyzer/report/github.h"

#include <algorithm>

#include "analyzer/report/place.h"
#include "analyzer/report/utf8.h"

namespace stridelock::report {
namespace {

constexpr std::size_t annotations_of_a_kind = 10;

const char* command_for(severity level) {
  switch (level) {
    case severity::note:
      return "notice";
    case severity::warning:
      return "warning";
    case severity::error:
      return "error";
  }
  return "error";
}

// The service splits at ends of lines, and properties at `,` and `:`; percent signs are the escape.
std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : valid_utf8(text)) {
    if (c == '%')
      out += "%25";
    else if (c == '\r')
      out += "%0D";
    else if (c == '\n')
      out += "%0A";
    else if (property && c == ':')
      out += "%3A";
    else if (property && c == ',')
      out += "%2C";
    else
      out += c;
  }
  return out;
}

std::string annotation(const finding& f) {
  std::string out = std::string("::") + command_for(f.level) + " file=" + escaped(f.where.file.view(), true);
  if (f.where.line != 0) out += ",line=" + std::to_string(f.where.line);
  if (f.where.column != 0) out += ",col=" + std::to_string(f.where.column);
  out += ",title=" + escaped("stridelock-" + f.check, true) + "::";
  std::string text = printable(f.message);
  for (const trace_step& step : f.trace)
    text += "\n" + place_text(step.where) + ": " + printable(step.message);
  return out + escaped(text, false) + "\n";
}

}  // namespace

std::string to_github(const report_data& data) {
  std::vector<const finding*> gravest_first;
  for (const finding& f : data.findings) gravest_first.push_back(&f);
  std::stable_sort(gravest_first.begin(), gravest_first.end(),
                   [](const finding* a, const finding* b) { return a->level > b->level; });
  std::string out;
  std::size_t of_a_kind[3] = {};
  for (const finding* f : gravest_first) {
    out += annotation(*f);
    ++of_a_kind[static_cast<int>(f->level)];
  }
  for (const std::size_t count : of_a_kind) {
    if (count <= annotations_of_a_kind) continue;
    out += "::notice title=stridelock::" + std::to_string(data.findings.size()) +
           " findings; GitHub shows ten annotations of a kind for each step, the log has all of them\n";
    break;
  }
  return out + "stridelock: " + coverage_line(data) + "\n";
}

}  // namespace stridelock::report
