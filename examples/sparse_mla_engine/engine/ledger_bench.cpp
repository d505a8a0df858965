// What asking the ledger costs before a replay, against what the replay's launch costs the host. Needs a CUDA device.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "engine/engine.h"

namespace {

using namespace sparse_mla_engine;

template <class Work>
double nanoseconds(int calls, int batches, machine& on, const Work& work) {
  double best = 1e18;
  for (int b = 0; b < batches; ++b) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) work();
    const auto end = std::chrono::steady_clock::now();
    std::int32_t word = 0, *const memory = static_cast<std::int32_t*>(on.allocate(4));
    on.download(&word, memory, 4);  // waits for the stream
    on.release(memory);
    best = std::min(best, std::chrono::duration<double, std::nano>(end - begin).count() / calls);
  }
  return best;
}

}  // namespace

int main() {
  const auto on = make_cuda_machine();
  if (!on) {
    std::puts("sparse_mla_engine_bench: no CUDA device");
    return 77;
  }
  engine_options options;
  options.rows = policy::pitch_cure;
  engine e(*on, options);
  std::puts("| rows | ledger and both expectations, ns | cudaGraphLaunch, ns | share |\n|---|---|---|---|");
  for (const auto& [requests, draft] : {std::pair<index_t, index_t>{1, 1}, {11, 5}}) {
    const step s = make_step(requests, draft, 150, 0);
    if (e.run(s).what != outcome::done) return 1;
    const metadata m = e.builder().build(s, options.rows, options.on);
    const captured_step* const graph = e.graph_of(m);
    int current = 0;
    const double check = nanoseconds(100000, 15, *on, [&] {
      current += graph->current(m) ? 1 : 0;
      asm volatile("" ::: "memory");  // or the compiler asks once for all
    });
    const double launch = nanoseconds(200, 15, *on, [&] { on->launch(graph->executable); });
    if (current != 1500000) return 1;
    std::printf("| %lld | %.1f | %.0f | %.2f %% |\n", static_cast<long long>(s.rows()), check, launch,
                100 * check / launch);
  }
  return 0;
}
