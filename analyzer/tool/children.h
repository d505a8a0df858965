// Child processes, a few at a time. A child that crashes costs its own job, nothing else.
//
// Promises:  every job ends in exactly one outcome; the outcomes do not depend on how many run at once, but for memory:
//            a job that was killed is run once more, alone, after all others.
// Does not:  limit time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace stridelock::tool {

struct child_job {
  std::vector<std::string> arguments;  // arguments[0] is the program, absolute
  std::string errors_path;             // its standard error goes there
};

struct child_outcome {
  enum class kind : std::uint8_t { done, refused, crashed, killed };
  kind how = kind::done;
  int exit_code = 0;  // done: 0, refused: another
  std::string
      message;  // crashed, killed: the signal in words; refused: why it could not be started, if it was not
};

// `finished(job, outcome)` is called as jobs end, one call at a time, from any thread. It must not throw.
void run_children(const std::vector<child_job>& jobs, unsigned at_once,
                  const std::function<void(std::size_t, const child_outcome&)>& finished);

// How many children of `bytes_each` this machine bears: at least 1, at most one for each core. Looks at free memory,
// also at a container's limit.
unsigned affordable_children(std::uint64_t bytes_each);

}  // namespace stridelock::tool
