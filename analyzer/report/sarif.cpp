#include "analyzer/report/sarif.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "analyzer/report/utf8.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace stridelock::report {
namespace {

using llvm::json::OStream;

constexpr const char* root_name = "%SRCROOT%";
constexpr const char* schema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

const char* level_word(severity level) {
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

// Braces are placeholders and [text](target) is a link in SARIF messages (3.11.5, 3.11.6); ours mean
// themselves.
std::string message_text(std::string_view message) {
  const std::string text = valid_utf8(message);
  const bool may_be_link = text.find("](") != std::string::npos;
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '{' || c == '}') out += c;
    if (c == '[' && may_be_link) out += '\\';
    out += c;
  }
  return out;
}

class writer {
 public:
  writer(OStream& json, const report_data& data, const sarif_options& options)
      : json_(json), data_(data), options_(options), rules_(options.rules) {
    rules_.insert(rules_.end(), own_rules().begin(), own_rules().end());
    std::sort(rules_.begin(), rules_.end(), [](const rule& a, const rule& b) { return a.name < b.name; });
    // A result without a rule would be no valid reference.
    const auto require_rule = [&](const finding& f) {
      const auto at = std::lower_bound(rules_.begin(), rules_.end(), f.check,
                                       [](const rule& r, const std::string& name) { return r.name < name; });
      if (at == rules_.end() || at->name != f.check) rules_.insert(at, rule{f.check, f.check, {}, f.level});
    };
    for (const finding& f : data.findings) require_rule(f);
    for (const suppressed_finding& s : data.suppressed) require_rule(s.what);
    for (const finding& f : data.known) require_rule(f);
    for (std::size_t i = 0; i < rules_.size(); ++i) rule_index_[rules_[i].name] = i;
  }

  void write() {
    json_.object([&] {
      json_.attribute("$schema", schema);
      json_.attribute("version", "2.1.0");
      json_.attributeArray("runs", [&] { json_.object([&] { run(); }); });
    });
  }

 private:
  void text(const char* key, std::string_view content) {
    json_.attributeObject(key, [&] { json_.attribute("text", message_text(content)); });
  }

  void run() {
    json_.attributeObject("tool", [&] { json_.attributeObject("driver", [&] { driver(); }); });
    json_.attributeArray("invocations", [&] { json_.object([&] { invocation(); }); });
    json_.attributeObject("originalUriBaseIds", [&] {
      json_.attributeObject(root_name, [&] {
        if (!options_.root_uri.empty()) json_.attribute("uri", valid_utf8(options_.root_uri));
        text("description", "The root of the analysed project");
      });
    });
    json_.attribute("columnKind", "unicodeCodePoints");
    json_.attributeArray("results", [&] {
      for (const shown_result& r : results()) result(r);
    });
    json_.attributeObject("properties",
                          [&] { json_.attribute("coverage", valid_utf8(coverage_line(data_))); });
  }

  struct shown_result {
    const finding* what = nullptr;
    const suppressed_finding* suppressed = nullptr;
    const char* baseline_state = nullptr;
  };

  // One list in source order, suppressed, known or neither: a result keeps its place when a comment is added.
  std::vector<shown_result> results() const {
    const char* fresh = data_.compared ? "new" : nullptr;
    std::vector<shown_result> all;
    for (const finding& f : data_.findings) all.push_back({&f, nullptr, fresh});
    for (const suppressed_finding& s : data_.suppressed) all.push_back({&s.what, &s, fresh});
    for (const finding& f : data_.known) all.push_back({&f, nullptr, "unchanged"});
    std::stable_sort(all.begin(), all.end(), [](const shown_result& a, const shown_result& b) {
      return place_order(a.what->where) < place_order(b.what->where);
    });
    return all;
  }

  static std::tuple<std::string_view, std::uint32_t, std::uint32_t> place_order(const ir::location& where) {
    return {where.file.view(), where.line, where.column};
  }

  void driver() {
    json_.attribute("name", "stridelock");
    if (!options_.version.empty()) json_.attribute("semanticVersion", valid_utf8(options_.version));
    if (!options_.information_uri.empty()) {
      json_.attribute("informationUri", valid_utf8(options_.information_uri));
    }
    json_.attributeArray("rules", [&] {
      for (const rule& r : rules_) {
        json_.object([&] {
          json_.attribute("id", valid_utf8("stridelock-" + r.name));
          json_.attribute("name", valid_utf8(r.name));
          text("shortDescription", r.summary);
          if (!options_.help_uri_base.empty()) {
            json_.attribute("helpUri", valid_utf8(options_.help_uri_base) + uri_of(r.name));
          }
          json_.attributeObject("help", [&] {
            // Shown as it is: no viewer formats a page with arguments, and code is full of braces.
            const std::string page = valid_utf8(r.help.empty() ? r.summary : r.help);
            json_.attribute("text", page);
            json_.attribute("markdown", page);
          });
          json_.attributeObject("defaultConfiguration",
                                [&] { json_.attribute("level", level_word(r.usual)); });
        });
      }
    });
  }

  void invocation() {
    json_.attribute("executionSuccessful", data_.complete);
    json_.attribute("exitCode", options_.exit_code);
    if (data_.problems.empty()) return;
    json_.attributeArray("toolExecutionNotifications", [&] {
      for (const unit_problem& p : data_.problems) {
        const char* level = p.listed_reason.empty() ? "error" : "note";
        std::string summary = p.summary;
        if (!p.listed_reason.empty()) summary += " (listed as unparsed: " + p.listed_reason + ")";
        notification(level, summary, {p.file, 0, 0});
        for (const ir::diagnostic& d : p.errors) notification(level, d.message.str(), d.where);
      }
    });
  }

  void notification(const char* level, std::string_view message, const ir::location& where) {
    json_.object([&] {
      json_.attribute("level", level);
      text("message", message);
      if (where.file.empty()) return;
      json_.attributeArray("locations", [&] { json_.object([&] { physical(where); }); });
    });
  }

  void result(const shown_result& shown) {
    const finding& f = *shown.what;
    const suppressed_finding* suppressed = shown.suppressed;
    json_.object([&] {
      json_.attribute("ruleId", valid_utf8("stridelock-" + f.check));
      json_.attribute("ruleIndex", static_cast<std::int64_t>(rule_index_.at(f.check)));
      json_.attribute("level", level_word(f.level));
      if (shown.baseline_state != nullptr) json_.attribute("baselineState", shown.baseline_state);
      text("message", f.message);
      json_.attributeArray("locations", [&] { json_.object([&] { located(f); }); });
      json_.attributeObject("partialFingerprints",
                            [&] { json_.attribute("stridelock/v1", valid_utf8(f.fingerprint)); });
      if (!f.trace.empty()) code_flow(f);
      // All results have the property or none has: without it, a viewer may take "not said" for "not
      // suppressed".
      json_.attributeArray("suppressions", [&] {
        if (suppressed == nullptr) return;
        json_.object([&] {
          json_.attribute("kind", "inSource");
          json_.attribute("status", "accepted");
          json_.attribute("justification", valid_utf8(suppressed->reason));
          json_.attributeObject("location", [&] { physical(suppressed->comment); });
        });
      });
    });
  }

  void located(const finding& f) {
    physical(f.where);
    if (f.function.empty()) return;
    json_.attributeArray("logicalLocations", [&] {
      json_.object([&] {
        json_.attribute("fullyQualifiedName", valid_utf8(f.function));
        json_.attribute("kind", "function");
      });
    });
  }

  void code_flow(const finding& f) {
    json_.attributeArray("codeFlows", [&] {
      json_.object([&] {
        json_.attributeArray("threadFlows", [&] {
          json_.object([&] {
            json_.attributeArray("locations", [&] {
              for (const trace_step& step : f.trace) flow_step(step.where, step.message);
              flow_step(f.where, f.message);
            });
          });
        });
      });
    });
  }

  void flow_step(const ir::location& where, std::string_view message) {
    json_.object([&] {
      json_.attributeObject("location", [&] {
        physical(where);
        text("message", message);
      });
    });
  }

  void physical(const ir::location& where) {
    if (where.file.empty()) return;
    json_.attributeObject("physicalLocation", [&] {
      json_.attributeObject("artifactLocation", [&] {
        const std::string_view file = where.file.view();
        if (file.front() == '/') {
          json_.attribute("uri", "file://" + uri_of(file));
        } else {
          json_.attribute("uri", uri_of(file));
          json_.attribute("uriBaseId", root_name);
        }
      });
      if (where.line == 0) return;
      json_.attributeObject("region", [&] {
        json_.attribute("startLine", where.line);
        if (where.column != 0) json_.attribute("startColumn", column(where));
      });
    });
  }

  std::uint32_t column(const ir::location& where) const {
    if (!options_.lines) return where.column;
    const std::optional<std::string> line = options_.lines(where.file, where.line);
    return line ? code_point_column(*line, where.column) : where.column;
  }

  OStream& json_;
  const report_data& data_;
  const sarif_options& options_;
  std::vector<rule> rules_;
  std::map<std::string, std::size_t> rule_index_;
};

}  // namespace

std::string uri_of(std::string_view path) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~' || c == '/';
    if (plain) {
      out += c;
    } else {
      out += '%';
      out += digits[byte >> 4];
      out += digits[byte & 15];
    }
  }
  return out;
}

std::string to_sarif(const report_data& data, const sarif_options& options) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  OStream json(stream, 2);
  writer(json, data, options).write();
  json.flush();
  stream << '\n';
  return bytes;
}

}  // namespace stridelock::report
