#include "analyzer/report/text.h"

#include <algorithm>
#include <array>

#include "analyzer/report/place.h"
#include "analyzer/report/utf8.h"

namespace stridelock::report {
namespace {

constexpr std::size_t tab_stop = 8;
constexpr std::size_t widest_excerpt = 160;

const char* word_for(severity level) {
  constexpr std::array<const char*, 3> words = {"note", "warning", "error"};
  return words[static_cast<std::size_t>(level)];
}

// A source line as it is shown: tabs expanded, code points counted; `caret` is the column (0-based) of the
// byte asked.
struct shown_line {
  std::string text;
  std::size_t caret = 0;
};

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  const std::string text = valid_utf8(line);
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    if (text[i] == '\t') {
      do cells.emplace_back(" ");
      while (cells.size() % tab_stop != 0);
    } else {
      // One control character is several cells (\x1b); the caret follows because it counts cells too.
      const std::string safe = printable(std::string_view(text).substr(i, end - i));
      if (end - i == 1 && safe.size() > 1) {
        for (const char c : safe) cells.emplace_back(1, c);
      } else {
        cells.push_back(safe);
      }
    }
    i = end;
  }
  return cells;
}

shown_line show(const std::string& line, std::uint32_t column) {
  std::vector<std::string> cells = cells_of(line);
  shown_line out;
  out.caret = column == 0 ? 0 : cells_of(std::string_view(line).substr(0, column - 1)).size();

  // A line of generated code can be a megabyte long: show the part around the caret.
  std::size_t begin = 0;
  std::size_t end = cells.size();
  if (end > widest_excerpt) {
    begin = out.caret > widest_excerpt / 2 ? out.caret - widest_excerpt / 2 : 0;
    begin = std::min(begin, end - widest_excerpt);
    end = begin + widest_excerpt;
  }
  if (begin > 0) out.text += "... ";
  for (std::size_t i = begin; i < end; ++i) out.text += cells[i];
  if (end < cells.size()) out.text += " ...";
  out.caret = out.caret - begin + (begin > 0 ? 4 : 0);
  while (!out.text.empty() && out.text.back() == ' ') out.text.pop_back();
  return out;
}

void append_excerpt(std::string& out, const ir::location& where, const line_source& lines,
                    const char* indent) {
  if (!lines || where.line == 0 || where.file.empty()) return;
  const std::optional<std::string> line = lines(where.file, where.line);
  if (!line || where.column > line->size() + 1) return;  // the file is not the one that was analysed
  const shown_line shown = show(*line, where.column);
  const std::string number = std::to_string(where.line);
  const std::size_t width = std::max<std::size_t>(number.size(), 5);
  out += indent + std::string(width - number.size(), ' ') + number + " | " + shown.text + "\n";
  if (where.column == 0) return;
  out += indent + std::string(width, ' ') + " | " + std::string(shown.caret, ' ') + "^\n";
}

}  // namespace

std::string to_text(const report_data& data, const line_source& lines) {
  std::string out;
  for (const finding& f : data.findings) {
    out += place_text(f.where) + ": " + word_for(f.level) + ": " + printable(f.message) + " [stridelock-" +
           printable(f.check) + "]\n";
    append_excerpt(out, f.where, lines, "");
    for (const trace_step& step : f.trace) {
      out += "  " + place_text(step.where) + ": note: " + printable(step.message) + "\n";
      append_excerpt(out, step.where, lines, "  ");
    }
  }
  out += "stridelock: " + coverage_line(data) + "\n";
  return out;
}

}  // namespace stridelock::report
