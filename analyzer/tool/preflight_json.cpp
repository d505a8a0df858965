#include "analyzer/tool/preflight_json.h"

#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

namespace stridelock::tool {

std::string to_json(const preflight_report& r) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  llvm::json::OStream json(stream, 2);
  // Texts come from files: bytes that are no UTF-8 are replaced.
  const auto word = [&](const char* key, std::string_view text) {
    json.attribute(key, llvm::json::fixUTF8(llvm::StringRef(text.data(), text.size())));
  };
  json.object([&] {
    json.attribute("version", 1);
    json.attributeObject("library", [&] {
      word("name", r.library);
      word("version", r.version);
    });
    json.attribute("cells", r.cells);
    json.attribute("evaluations", r.evaluations);
    json.attribute("depending", r.depending);
    json.attributeObject("verdicts", [&] {
      for (int v = 0; v < 6; ++v)
        json.attribute(llvm::StringRef(to_string(static_cast<cell_verdict>(v))), r.by_verdict[v]);
    });
    json.attributeArray("rows", [&] {
      for (const preflight_row& row : r.rows)
        json.object([&] {
          word("call", row.call);
          word("dispatch", row.dispatch);
          word("over", row.over);
          json.attributeObject("settings", [&] {
            for (const preflight_setting& s : row.settings) word(s.variable.c_str(), s.values);
          });
          json.attributeArray("ranges", [&] {
            for (const preflight_range& range : row.ranges)
              json.object([&] {
                json.attribute("first", range.first);
                json.attribute("last", range.last);
                json.attribute("sizes", range.sizes);
                word("verdict", to_string(range.verdict));
                word("branch", range.branch);
                word("fact", range.fact);
                word("evidence", range.evidence);
                json.attributeArray("by_parameter", [&] {
                  for (const std::string& p : range.by_parameter) json.value(llvm::json::fixUTF8(p));
                });
              });
          });
          if (row.has_pass) json.attribute("last_pass", row.last_pass);
          if (row.has_fail) json.attribute("first_fail", row.first_fail);
          json.attributeArray("thresholds", [&] {
            for (const preflight_threshold& t : row.thresholds)
              json.object([&] {
                word("condition", t.text);
                if (t.has_below) json.attribute("below", t.below);
                if (t.has_below) json.attribute("slack_below", t.slack_below);
                if (t.has_above) json.attribute("above", t.above);
                if (t.has_above) json.attribute("slack_above", t.slack_above);
              });
          });
          word("parameters", row.parameters);
          json.attribute("depends_on_parameter", row.depends_on_parameter);
          word("message", row.message);
        });
    });
  });
  return out + "\n";
}

}  // namespace stridelock::tool
