#include "analyzer/report/place.h"

#include "analyzer/report/utf8.h"

namespace stridelock::report {

std::string place_text(const ir::location& where) {
  if (where.file.empty()) return "stridelock";
  std::string out = printable(where.file.view());
  if (where.line == 0) return out;
  out += ":" + std::to_string(where.line);
  if (where.column != 0) out += ":" + std::to_string(where.column);
  return out;
}

}  // namespace stridelock::report
