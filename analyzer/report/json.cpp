#include "analyzer/report/json.h"

#include "analyzer/report/utf8.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace stridelock::report {
namespace {

const char* word_for(severity level) {
  switch (level) {
    case severity::note:
      return "note";
    case severity::warning:
      return "warning";
    case severity::error:
      return "error";
  }
  return "error";
}

void place(llvm::json::OStream& json, const ir::location& where) {
  json.attribute("file", valid_utf8(where.file.view()));
  json.attribute("line", where.line);
  json.attribute("column", where.column);
}

void write(llvm::json::OStream& json, const finding& f) {
  json.object([&] {
    json.attribute("check", valid_utf8(f.check));
    json.attribute("severity", word_for(f.level));
    place(json, f.where);
    json.attribute("function", valid_utf8(f.function));
    json.attribute("message", valid_utf8(f.message));
    json.attribute("fingerprint", valid_utf8(f.fingerprint));
    json.attributeArray("trace", [&] {
      for (const trace_step& step : f.trace) {
        json.object([&] {
          place(json, step.where);
          json.attribute("message", valid_utf8(step.message));
        });
      }
    });
  });
}

void write_coverage(llvm::json::OStream& json, const report_data& data) {
  const coverage& seen = data.seen;
  const auto count = [&](const char* key, std::uint64_t value) {
    json.attribute(key, static_cast<std::int64_t>(value));
  };
  json.attribute("complete", data.complete);
  count("units_asked", seen.units_asked);
  count("units_analysed", seen.units_analysed);
  count("units_degraded", seen.units_degraded);
  count("units_failed", seen.units_failed);
  count("units_listed", seen.units_listed);
  count("functions", seen.functions);
  count("templates_without_instance", seen.templates_without_instance);
  count("hidden_by_cuda_arch", seen.hidden_by_cuda_arch);
  count("unknown_instructions", seen.unknown_instructions);
  count("unmodelled_calls", seen.unmodelled_calls);
  count("limits_hit", seen.limits_hit);
  count("suppressed", data.suppressed.size());
  count("in_baseline", data.known.size());
  count("baseline_gone", data.gone);
  json.attributeArray("problems", [&] {
    for (const unit_problem& p : data.problems) {
      json.object([&] {
        json.attribute("file", valid_utf8(p.file.view()));
        json.attribute("state", p.failed ? "failed" : "degraded");
        json.attribute("message", valid_utf8(p.summary));
        if (!p.listed_reason.empty()) json.attribute("listed", valid_utf8(p.listed_reason));
        json.attributeArray("errors", [&] {
          for (const ir::diagnostic& d : p.errors) {
            json.object([&] {
              place(json, d.where);
              json.attribute("message", valid_utf8(d.message.view()));
            });
          }
        });
      });
    }
  });
}

}  // namespace

std::string to_json(const report_data& data) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::json::OStream json(stream, 2);
  json.object([&] {
    json.attribute("version", 1);
    json.attributeArray("findings", [&] {
      for (const finding& f : data.findings) write(json, f);
    });
    json.attributeObject("coverage", [&] { write_coverage(json, data); });
  });
  json.flush();
  stream << '\n';
  return bytes;
}

}  // namespace stridelock::report
