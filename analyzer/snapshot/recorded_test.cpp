// Snapshots recorded on a GPU: the judge says today what it said there. tests/graph_snapshots/README.md says how they
// were made; each NAME.json has a NAME.expected and may have a NAME.known.json, a NAME.then.json (the same graph at
// capture) or a NAME.other.json (a second capture).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "analyzer/snapshot/snapshot_json.h"
#include "stridelock/graph_difference.h"

namespace stridelock::snapshot {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

graph_snapshot snapshot_in(const fs::path& file) {
  auto result = read_snapshot(content_of(file), file.filename().string());
  if (const auto* error = std::get_if<read_error>(&result)) ADD_FAILURE() << error->str();
  return std::holds_alternative<graph_snapshot>(result) ? std::get<graph_snapshot>(result) : graph_snapshot();
}

std::string judged(const fs::path& folder, const std::string& name) {
  const graph_snapshot graph = snapshot_in(folder / (name + ".json"));
  known_memory known;
  if (const fs::path file = folder / (name + ".known.json"); fs::exists(file)) {
    auto result = read_known_memory(content_of(file), file.filename().string());
    if (const auto* error = std::get_if<read_error>(&result)) ADD_FAILURE() << error->str();
    if (auto* data = std::get_if<known_memory>(&result)) known = std::move(*data);
  }
  graph_snapshot then;
  audit_options options;
  if (const fs::path file = folder / (name + ".then.json"); fs::exists(file)) {
    then = snapshot_in(file);
    options.at_capture = &then;
  }
  std::string out = audit(graph, known, options).text();
  if (const fs::path file = folder / (name + ".other.json"); fs::exists(file)) {
    out += compare_graphs(graph, snapshot_in(file), known, known).text();
  }
  return out;
}

TEST(recorded_snapshots, the_judge_says_what_it_said_on_the_gpu) {
  const fs::path folder = RECORDED_SNAPSHOTS;
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".expected") names.insert(entry.path().stem().string());
  }
  ASSERT_GE(names.size(), 1U) << "no recorded snapshots in " << folder;
  for (const std::string& name : names) {
    EXPECT_EQ(judged(folder, name), content_of(folder / (name + ".expected"))) << name;
  }
}

TEST(recorded_snapshots, are_read_and_written_without_loss) {
  for (const fs::directory_entry& entry : fs::directory_iterator(RECORDED_SNAPSHOTS)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".json" || name.find(".known.") != std::string::npos) continue;
    EXPECT_EQ(to_json(snapshot_in(entry.path())), content_of(entry.path())) << name;
  }
}

}  // namespace
}  // namespace stridelock::snapshot
