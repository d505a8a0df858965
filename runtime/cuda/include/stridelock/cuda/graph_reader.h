// graph_reader.h: reads a CUDA graph, whoever captured it, into plain data.
//
// Promises:  every node, children and known bodies included; nothing is changed, no device work is launched. Functions
//            that this driver lacks cost what they would have told: that part is listed as unread. Conditional bodies
//            are opened from CUDA 13.2 on (cuGraphNodeGetParams), before that only if the caller hands them over.
// Does not:  see the executable graph, nor memory contents. CUDA does not synchronise graph handles: read after the
//            capture has ended, or during it from the capturing thread alone and only if no other thread records into
//            the same graph. Facts about addresses hold for the moment of reading.
// Modes:     the reader puts its thread into relaxed capture mode while it reads, so that no query can be refused, nor
//            invalidate a capture, because another thread captures in global mode.
// Cost:      cold: about a microsecond for each distinct word that could be an address.
//
//   const cuda::read_result read = cuda::read_graph(graph, {"decode[bs=4]", {}});
//   if (!read.failure.empty()) log(read.failure);
//   const audit_result result = audit(read.snapshot, known);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stridelock/graph_snapshot.h"

struct CUgraph_st;      // cudaGraph_t, CUgraph
struct CUgraphNode_st;  // cudaGraphNode_t, CUgraphNode
struct CUstream_st;     // cudaStream_t, CUstream

namespace stridelock {
inline namespace v1 {
namespace cuda {

// What cudaGraphAddNode returned for a conditional node.
struct conditional_graphs {
  CUgraphNode_st* node = nullptr;
  std::vector<CUgraph_st*> bodies{};
};

struct read_options {
  std::string label{};
  std::vector<conditional_graphs> conditionals{};
};

struct read_result {
  graph_snapshot snapshot{};
  std::string failure{};  // not empty: nothing was read, and why
};

read_result read_graph(CUgraph_st* graph, const read_options& options = {});

// Asks the driver again about the same addresses: what was captured against what is there now.
// Empty text: done; otherwise why not, and nothing has changed.
std::string refresh_addresses(graph_snapshot& snapshot);

// Nodes recorded so far by the capture on this stream; false if it captures nothing. Two positions make a boundary_span.
// For the capturing thread, if it is the only one that records into the graph.
bool capture_position(CUstream_st* stream, std::size_t& nodes);

}  // namespace cuda
}  // namespace v1
}  // namespace stridelock
