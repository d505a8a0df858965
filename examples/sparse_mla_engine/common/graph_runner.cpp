#include "graph_runner.h"

#include "attention.h"
#include "host_cuda.h"
#include "metadata.h"

namespace engine {
namespace {

// The stream, and the graph captured on it.
struct graph_session {
  graph_session() { cudaStreamCreate(&stream); }
  ~graph_session() {
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
  }
  graph_session(const graph_session&) = delete;
  graph_session& operator=(const graph_session&) = delete;

  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
};

}  // namespace

step_output capture_and_replay(const step_input& captured, const step_input& replayed) {
  metadata_builder builder;
  const decoder model(captured.rows());
  graph_session session;

  const attention_metadata metadata = builder.build(captured);
  cudaStreamBeginCapture(session.stream, cudaStreamCaptureModeThreadLocal);
  decode_forward(session.stream, model, metadata);
  cudaStreamEndCapture(session.stream, &session.graph);
  cudaGraphInstantiate(&session.executable, session.graph, 0);

  builder.build(replayed);
  cudaGraphLaunch(session.executable, session.stream);

  const float* const attention = model.attention.data<float>();
  const std::int32_t* const scores = model.scores.data<std::int32_t>();
  return {{attention, attention + replayed.rows()}, {scores, scores + replayed.rows()}};
}

}  // namespace engine
