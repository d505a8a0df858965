// The decoder of the model, one layer deep.
#pragma once

#include "host_cuda.h"
#include "metadata.h"

namespace engine {

struct decoder {
  explicit decoder(std::int64_t rows);

  int capability_major = 0;
  tensor cache;      // (slots) float
  tensor attention;  // (rows) float
  tensor scores;     // (rows) int32
};

void decode_forward(cudaStream_t stream, const decoder& model, const attention_metadata& metadata);

// draft.cpp: scores the drafted tokens of all requests, one score per row.
void score_draft(cudaStream_t stream, const tensor& draft_tokens, const tensor& scores);

}  // namespace engine
