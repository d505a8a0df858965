#include "stridelock/cuda/graph_audit_c.h"

#include <algorithm>
#include <cstring>
#include <exception>

#include "stridelock/cuda/graph_reader.h"
#include "stridelock/graph_audit.h"

namespace {

namespace sl = stridelock;

constexpr std::uint32_t last_role = 5;
static_assert(static_cast<std::uint32_t>(sl::memory_role::static_host) == last_role, "roles of the C header");
static_assert(static_cast<int>(sl::audit_verdict::violated) == STRIDELOCK_GRAPH_VIOLATED &&
                  static_cast<int>(sl::audit_verdict::unknown) == STRIDELOCK_GRAPH_UNKNOWN,
              "verdicts of the C header");

int hand_out(const std::string& text, int code, char* to, std::size_t capacity, std::size_t* needed) {
  if (needed != nullptr) *needed = text.size();
  if (to != nullptr && capacity > 0) {
    const std::size_t n = std::min(text.size(), capacity - 1);
    std::memcpy(to, text.data(), n);
    to[n] = '\0';
  }
  return code;
}

int audit_graph(void* graph, const char* label, const stridelock_known_range* known, std::size_t known_count,
                int form, std::string& text) {
  const sl::cuda::read_result read =
      sl::cuda::read_graph(static_cast<CUgraph_st*>(graph), {label != nullptr ? label : "", {}});
  if (!read.failure.empty()) {
    text = "graph audit: nothing was read: " + read.failure + "\n";
    return STRIDELOCK_GRAPH_FAILED;
  }
  sl::known_memory memory;
  for (std::size_t i = 0; known != nullptr && i < known_count; ++i) {
    if (known[i].role > last_role) {
      text = "graph audit: known range " + std::to_string(i) + " has role " + std::to_string(known[i].role) +
             ", expected 0 to " + std::to_string(last_role) + "\n";
      return STRIDELOCK_GRAPH_FAILED;
    }
    sl::known_range range;
    range.name = known[i].name != nullptr ? known[i].name : "";
    range.begin = known[i].begin;
    range.bytes = known[i].bytes;
    range.generation = known[i].generation;
    range.role = static_cast<sl::memory_role>(known[i].role);
    range.live = known[i].live != 0;
    memory.ranges.push_back(std::move(range));
  }
  const sl::audit_result result = sl::audit(read.snapshot, memory);
  switch (form) {
    case STRIDELOCK_GRAPH_AUDIT_TEXT:
      text = result.text();
      break;
    case STRIDELOCK_GRAPH_AUDIT_JSON:
      text = result.json();
      break;
    case STRIDELOCK_GRAPH_SNAPSHOT_TEXT:
      text = to_text(read.snapshot);
      break;
    case STRIDELOCK_GRAPH_SNAPSHOT_JSON:
      text = to_json(read.snapshot);
      break;
    default:
      text = "graph audit: form " + std::to_string(form) + ", expected 0 to 3\n";
      return STRIDELOCK_GRAPH_FAILED;
  }
  return result.understood_nothing() ? STRIDELOCK_GRAPH_UNKNOWN : static_cast<int>(result.worst());
}

}  // namespace

int stridelock_graph_audit(void* graph, const char* label, const stridelock_known_range* known,
                           size_t known_count, int form, char* text, size_t capacity, size_t* needed) {
  try {
    std::string out;
    const int code = audit_graph(graph, label, known, known_count, form, out);
    return hand_out(out, code, text, capacity, needed);
  } catch (const std::exception& e) {
    try {
      return hand_out(std::string("graph audit: ") + e.what() + "\n", STRIDELOCK_GRAPH_FAILED, text, capacity,
                      needed);
    } catch (...) {
      return STRIDELOCK_GRAPH_FAILED;
    }
  } catch (...) {
    return STRIDELOCK_GRAPH_FAILED;
  }
}
