#include <algorithm>
#include <variant>

#include "analyzer/snapshot/snapshot_json.h"
#include "analyzer/tool/command_line.h"
#include "analyzer/tool/commands.h"
#include "analyzer/tool/failure.h"
#include "analyzer/tool/files.h"
#include "analyzer/tool/nearest.h"
#include "analyzer/tool/output_file.h"
#include "stridelock/graph_audit.h"
#include "stridelock/graph_difference.h"

namespace stridelock::tool {
namespace {

graph_snapshot snapshot_in(const std::string& file) {
  auto result = snapshot::read_snapshot(read_file(file), file);
  if (const auto* error = std::get_if<snapshot::read_error>(&result)) throw failure::of_line(error->str());
  return std::move(std::get<graph_snapshot>(result));
}

known_memory known_in(const std::string& file) {
  if (file.empty()) return {};
  auto result = snapshot::read_known_memory(read_file(file), file);
  if (const auto* error = std::get_if<snapshot::read_error>(&result)) throw failure::of_line(error->str());
  return std::move(std::get<known_memory>(result));
}

// One past the last verdict: never.
int verdict_named(const std::string& name) {
  const std::vector<std::string> names = {"violated", "possible", "unknown", "never"};
  for (const audit_verdict v : {audit_verdict::violated, audit_verdict::possible, audit_verdict::unknown}) {
    if (name_of(v) == name) return static_cast<int>(v);
  }
  if (name == "never") return static_cast<int>(audit_verdict::violated) + 1;
  throw failure("graph: --fail-on: expected violated, possible, unknown or never, found '" + name + "'" +
                did_you_mean(names, name));
}

}  // namespace

int graph_command(const invocation& given) {
  std::string file;
  std::string known_file;
  std::string known_other_file;
  std::string then_file;
  std::string other_file;
  std::string output = "-";
  std::string format = "text";
  int fail_on = static_cast<int>(audit_verdict::violated);
  bool nodes = false;
  command c("graph", "FILE.json [--known=FILE]",
            "Judge a saved snapshot of a captured CUDA graph: is what it points to still there, and owned?");
  c.value("--known", "FILE", "JSON: registered ranges, recorded words; without it owners are unknown",
          [&](const std::string& v) { known_file = v; });
  c.value("--then", "FILE",
          "snapshot of the same graph right after capture: freed and re-used memory is certain",
          [&](const std::string& v) { then_file = v; });
  c.value("--other", "FILE", "snapshot of a second capture: report what was baked in",
          [&](const std::string& v) { other_file = v; });
  c.value("--known-other", "FILE", "as --known, for the second capture; default: the same file",
          [&](const std::string& v) { known_other_file = v; });
  c.flag("--nodes", "print every node first", [&] { nodes = true; });
  c.value("--format", "FORMAT", "text or json; json has no differences", [&](const std::string& v) {
    if (v != "text" && v != "json")
      throw failure("graph: --format: expected text or json, found '" + v + "'");
    format = v;
  });
  c.value("-o", "FILE", "write there instead of to standard output",
          [&](const std::string& v) { output = v; });
  c.value("--fail-on", "VERDICT",
          "violated (default), possible, unknown or never: exit 1 from that verdict on",
          [&](const std::string& v) { fail_on = verdict_named(v); });
  c.positional([&](const std::string& v) {
    if (!file.empty())
      throw failure("graph: expected one snapshot, found '" + file + "' and '" + v +
                    "'; a second one is --other");
    file = v;
  });
  c.epilogue(
      "Exit: 0 nothing at or above --fail-on, 1 findings or differences, 2 unreadable, or nothing was "
      "judged.\n");
  if (!c.parse(given.arguments)) {
    write_output("-", c.help());
    return 0;
  }
  if (file.empty()) throw failure("graph: no snapshot; give the file that the runtime wrote");
  if (format == "json" && (!other_file.empty() || nodes))
    throw failure("graph: --format=json goes with neither --other nor --nodes");

  const graph_snapshot graph = snapshot_in(file);
  const known_memory known = known_in(known_file);
  graph_snapshot then;
  audit_options options;
  if (!then_file.empty()) {
    then = snapshot_in(then_file);
    options.at_capture = &then;
  }
  const audit_result result = audit(graph, known, options);
  std::string out = nodes ? to_text(graph) : std::string();
  out += format == "json" ? result.json() : result.text();
  audit_verdict differs = audit_verdict::ok;
  if (!other_file.empty()) {
    const known_memory known_other = known_other_file.empty() ? known : known_in(known_other_file);
    const graph_difference difference = compare_graphs(graph, snapshot_in(other_file), known, known_other);
    for (const node_difference& d : difference.differences)
      differs = std::max(differs, d.possible ? audit_verdict::possible : audit_verdict::violated);
    out += difference.text();
  }
  write_output(output, out);
  if (result.understood_nothing()) {
    throw failure("graph: '" + file + "': nothing was judged: " +
                  (count_nodes(graph.root) == 0 ? "the graph has no nodes"
                   : known_file.empty()         ? "give --known=FILE with the ranges that are registered"
                                                : "see the summary for the reasons"));
  }
  const bool fails = static_cast<int>(result.worst()) >= fail_on ||
                     (differs != audit_verdict::ok && static_cast<int>(differs) >= fail_on);
  return fails ? 1 : 0;
}

}  // namespace stridelock::tool
