// libFuzzer: any bytes give a snapshot or an error; what is accepted writes and reads back the same, and can be judged,
// printed and compared with itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "analyzer/snapshot/snapshot_json.h"
#include "stridelock/graph_difference.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stridelock;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto first = snapshot::read_snapshot(text, "fuzz");
  if (const auto* graph = std::get_if<graph_snapshot>(&first)) {
    const std::string written = to_json(*graph);
    auto second = snapshot::read_snapshot(written, "written");
    if (!std::holds_alternative<graph_snapshot>(second)) std::abort();
    if (to_json(std::get<graph_snapshot>(second)) != written) std::abort();
    known_memory known;
    known.ranges.push_back({"all", 0x10000, ~std::uint64_t{0}, 1});
    if (audit(*graph, known).text().empty() || audit(*graph, {}).json().empty() || to_text(*graph).empty())
      std::abort();
    if (!compare_graphs(*graph, *graph).differences.empty()) std::abort();
  }
  auto ranges = snapshot::read_known_memory(text, "fuzz");
  if (const auto* known = std::get_if<known_memory>(&ranges)) (void)audit(graph_snapshot(), *known).text();
  return 0;
}
