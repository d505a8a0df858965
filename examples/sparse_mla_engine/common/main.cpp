// Runs two steps of the engine as each architecture would and compares every row with a host reference.
#include <cstdio>
#include <exception>
#include <vector>

#include "graph_runner.h"
#include "host_cuda.h"

namespace {

using engine::step_input;
using engine::step_output;

// `phase` moves positions and tokens on, as a later step of the same shape does.
step_input make_step(std::int64_t requests, std::int64_t draft, std::int64_t phase) {
  step_input step{requests, draft, {}, {}};
  for (std::int64_t row = 0; row < step.rows(); ++row) {
    step.positions.push_back((170 + row + phase) * engine::compression);
    step.tokens.push_back(static_cast<std::int32_t>(100 * phase + row));
  }
  return step;
}

// Prints how many values differ from the reference and the first that does; returns whether none did.
template <class Value, class Reference>
bool compare(const char* what, const std::vector<Value>& values, const Reference& reference) {
  const int rows = static_cast<int>(values.size());
  int wrong = 0;
  int first = 0;
  for (int row = rows; row-- > 0;) {
    if (values[row] == reference(row)) continue;
    ++wrong;
    first = row;
  }
  if (wrong == 0) {
    std::printf("  %s: right in all %d rows\n", what, rows);
  } else {
    std::printf("  %s: WRONG in %d of %d rows, first in row %d: %g instead of %g\n", what, wrong, rows, first,
                static_cast<double>(values[first]), static_cast<double>(reference(first)));
  }
  return wrong == 0;
}

bool run(int capability, int requests, int draft) {
  const int rows = requests * (1 + draft);
  host_cuda::pretend_capability(capability);
  const step_input captured = make_step(requests, draft, 0);
  const step_input replayed = make_step(requests, draft, 1);
  std::printf("compute capability %d.0, %d x (1 certain + %d drafted) tokens = %d rows\n", capability,
              requests, draft, rows);
  try {
    const step_output output = engine::capture_and_replay(captured, replayed);
    const bool attention_right = compare("attention", output.attention, [&](int row) {
      float sum = 0;
      for (std::int64_t i = 0; i < replayed.entries(row); ++i)
        sum += engine::cache_value(replayed.slot(row, i));
      return sum;
    });
    const bool scores_right =
        compare("draft scores", output.scores, [&](int row) { return engine::score(replayed.tokens[row]); });
    return attention_right && scores_right;
  } catch (const std::exception& error) {
    std::printf("  DIED during capture: %s\n", error.what());
    return false;
  }
}

}  // namespace

int main() {
  bool all_right = true;
  for (const int capability : {12, 10}) {
    all_right &= run(capability, 1, 1);   // 2 rows: decode kernel
    all_right &= run(capability, 11, 5);  // 66 rows: paged kernel
  }
  return all_right ? 0 : 1;
}
