#include <algorithm>
#include <map>

#include "graph_words.h"
#include "stridelock/graph_audit.h"

namespace stridelock {
inline namespace v1 {
namespace {

using detail::counted;
using detail::json_string;

constexpr std::size_t label_width = 11;
constexpr std::size_t code_column = 84;
constexpr std::size_t places_shown = 4;

std::size_t sum(const std::size_t (&by_verdict)[4]) {
  return by_verdict[0] + by_verdict[1] + by_verdict[2] + by_verdict[3];
}

std::string by_verdict(const std::size_t (&n)[4]) {
  const auto of = [&](audit_verdict v) { return std::to_string(n[static_cast<std::size_t>(v)]); };
  return of(audit_verdict::ok) + " ok, " + of(audit_verdict::violated) + " violated, " +
         of(audit_verdict::possible) + " possible, " + of(audit_verdict::unknown) + " unknown";
}

std::string place(const audit_finding& f) {
  return "node " + f.node + (f.parameter ? " parameter " + std::to_string(*f.parameter) : "") +
         (f.offset > 0 ? " at byte " + std::to_string(f.offset) : "");
}

std::string line(const std::string& label, const std::string& text) {
  std::string padded = label;
  padded.resize(std::max(label_width, label.size() + 1), ' ');
  return "  " + padded + text + "\n";
}

}  // namespace

audit_verdict audit_result::worst() const noexcept {
  for (std::size_t v = 4; v-- > 1;) {
    if (counts.nodes[v] > 0) return static_cast<audit_verdict>(v);
  }
  return audit_verdict::ok;
}

bool audit_result::understood_nothing() const noexcept {
  return counts.nodes[static_cast<std::size_t>(audit_verdict::unknown)] + counts.nothing_to_judge ==
         sum(counts.nodes);
}

std::string audit_result::summary() const {
  std::string out = "graph audit: " + counted(sum(counts.nodes), "node") + " (" +
                    counted(counts.kernels, "kernel") + "): " + by_verdict(counts.nodes) + "; " +
                    counted(sum(counts.pointers), "pointer") + ": " + by_verdict(counts.pointers);
  const auto because = [&](std::size_t count, const char* text) {
    if (count > 0) out += "; " + std::string(text) + " " + std::to_string(count);
  };
  because(counts.owner_unknown, "no known memory was given for");
  because(counts.not_answered, "addresses the driver gave no answer for");
  because(counts.host_words_in_structs, "host addresses inside structs, not judged");
  because(counts.layout_unknown, "kernels of unknown parameter layout");
  because(counts.second_level, "kernels with pointers behind pointers");
  because(counts.opaque, "opaque tensor maps");
  because(counts.bodies_unknown, "nodes whose graphs could not be opened");
  because(counts.unread, "nodes that could not be read");
  if (understood_nothing()) out += "; nothing was judged";
  return out;
}

std::string audit_result::text() const {
  std::map<std::pair<std::string, std::string>, std::vector<const audit_finding*>> mistakes;
  for (const audit_finding& f : findings) mistakes[{f.code, f.cause}].push_back(&f);
  std::string out;
  for (const audit_finding& f : findings) {
    const std::vector<const audit_finding*>& same = mistakes[{f.code, f.cause}];
    if (same.front() != &f) continue;
    std::string headline =
        std::string(f.verdict == audit_verdict::violated ? "audit: " : "audit: possible: ") + f.headline;
    headline.resize(std::max(code_column, headline.size() + 2), ' ');
    out += headline + "[" + f.code + "]\n";
    for (const auto& [label, text] : f.lines) {
      if (label == "fix" || label == "not a fix") continue;
      out += line(label, text);
    }
    if (same.size() > 1) {
      std::string also;
      for (std::size_t i = 1; i < same.size() && i <= places_shown; ++i)
        also += (i > 1 ? ", " : "") + place(*same[i]);
      if (same.size() > places_shown + 1)
        also += " and " + std::to_string(same.size() - places_shown - 1) + " more";
      out += line("also", also);
    }
    for (const auto& [label, text] : f.lines) {
      if (label == "fix" || label == "not a fix") out += line(label, text);
    }
  }
  return out + summary() + "\n";
}

std::string audit_result::json() const {
  std::string out = "{\"version\":1,\"findings\":[";
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const audit_finding& f = findings[i];
    out += i > 0 ? ",\n  " : "\n  ";
    out += "{\"code\":" + json_string(f.code) + ",\"verdict\":" + json_string(name_of(f.verdict)) +
           ",\"node\":" + json_string(f.node);
    if (!f.kernel.empty()) out += ",\"kernel\":" + json_string(f.kernel);
    if (f.parameter)
      out += ",\"parameter\":" + std::to_string(*f.parameter) + ",\"offset\":" + std::to_string(f.offset);
    if (!f.boundary.empty()) out += ",\"boundary\":" + json_string(f.boundary);
    out += ",\"message\":" + json_string(f.headline) + ",\"lines\":[";
    for (std::size_t l = 0; l < f.lines.size(); ++l) {
      out += (l > 0 ? "," : "") + std::string("{\"label\":") + json_string(f.lines[l].first) +
             ",\"text\":" + json_string(f.lines[l].second) + "}";
    }
    out += "]}";
  }
  out += "],\n\"counts\":{";
  const auto verdicts = [&](const char* name, const std::size_t(&n)[4]) {
    out += "\"" + std::string(name) + "\":{";
    for (std::size_t v = 0; v < 4; ++v) {
      out += (v > 0 ? "," : "") + json_string(name_of(static_cast<audit_verdict>(v))) + ":" +
             std::to_string(n[v]);
    }
    out += "},";
  };
  verdicts("nodes", counts.nodes);
  verdicts("pointers", counts.pointers);
  out += "\"kernels\":" + std::to_string(counts.kernels) +
         ",\"owner_unknown\":" + std::to_string(counts.owner_unknown) +
         ",\"not_answered\":" + std::to_string(counts.not_answered) +
         ",\"host_words_in_structs\":" + std::to_string(counts.host_words_in_structs) +
         ",\"layout_unknown\":" + std::to_string(counts.layout_unknown) +
         ",\"second_level\":" + std::to_string(counts.second_level) +
         ",\"opaque\":" + std::to_string(counts.opaque) +
         ",\"bodies_unknown\":" + std::to_string(counts.bodies_unknown) +
         ",\"unread\":" + std::to_string(counts.unread) + "},\n\"summary\":" + json_string(summary()) + "}\n";
  return out;
}

}  // namespace v1
}  // namespace stridelock
