// engine.h: a decode loop in small: refill the persistent buffers, replay the graph of this shape, capture it first if it is
// new.
//
// Promises:  with `watch`, nothing wrong gets out: a capture guard judges every boundary, and the ledger of a graph is asked
//            before each replay. Without it the engine does what engines do: it trusts its metadata.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/metadata.h"
#include "stridelock/expectation.h"
#include "stridelock/ledger.h"

namespace sparse_mla_engine {

struct engine_options {
  policy rows = policy::bug;
  stridelock::capability on{12, 0};  // pretended: both branches run anywhere
  bool watch = true;
  // One graph per width of the rows; else the width of the first step is baked in for all.
  bool width_in_key = true;
  index_t max_rows = 128;
  index_t capacity = 1024;
  index_t heads = 8;
};

enum class outcome {
  done,
  died,                // without watch: the library threw, in the middle of a capture
  refused_at_capture,  // by the guard
  refused_at_replay,   // by the ledger
};

struct step_result {
  outcome what = outcome::done;
  std::string message;
  bool captured = false;  // a graph was made for this step
  index_t width = 0;
  std::vector<stridelock::kernels::bfloat16> out;  // (rows, heads, 512)
  std::vector<std::int32_t> prefill_counts;
};

// An executable graph, and what it has baked in.
struct captured_step {
  void* executable = nullptr;
  stridelock::ledger book;
  stridelock::expectation indices, lengths;

  // Asked before every replay; what drifted says the ledger.
  bool current(const metadata& m) const noexcept {
    return book.owners_current() && indices.holds(m.decode) && lengths.holds(m.lengths);
  }
};

class engine {
 public:
  engine(machine& on, const engine_options& options);
  ~engine();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  step_result run(const step& s);

  // What run() should give, calculated on the host in double from the step itself.
  std::vector<stridelock::kernels::bfloat16> reference(const step& s) const;

  int graph_count() const { return static_cast<int>(graphs_.size()); }
  metadata_builder& builder() { return builder_; }

  // The graph that serves a step with this metadata; null if none was captured.
  const captured_step* graph_of(const metadata& m) const;

 private:
  captured_step capture(const step& s, const metadata& m);
  void launch_all(const step& s, const metadata& m);
  void count_prefill_rows(const metadata& m);
  std::string drift(const captured_step& graph, const metadata& m) const;
  std::pair<index_t, index_t> key_of(const metadata& m) const;
  stridelock::kernels::sparse_mla_arguments<stridelock::row_pitched> arguments(const metadata& m) const;

  machine& machine_;
  engine_options options_;
  stridelock::registry registry_;
  metadata_builder builder_;
  std::vector<stridelock::kernels::bfloat16> host_q_, host_cache_;
  buffer<stridelock::kernels::bfloat16, 3> q_, out_;
  buffer<stridelock::kernels::bfloat16, 2> cache_;
  buffer<float, 1> partial_, partial_sums_;
  buffer<std::int32_t, 1> prefill_counts_;
  std::map<std::pair<index_t, index_t>, captured_step>
      graphs_;  // by rows and, if it is part of the key, their width
};

// How many rows of a result differ from the reference by more than a hundredth, or are not numbers, and the first of them.
struct row_errors {
  index_t wrong = 0;
  index_t first = -1;
};
row_errors compare(const std::vector<stridelock::kernels::bfloat16>& got,
                   const std::vector<stridelock::kernels::bfloat16>& needed, index_t rows);

}  // namespace sparse_mla_engine
