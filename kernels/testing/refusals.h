// refusals.h: for tests: what a launcher says to bad input, and that it launched nothing.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "kernels/common/queue.h"
#include "stridelock/failure.h"
#include "stridelock/message.h"

namespace stridelock::kernels::testing {

// The message of the violation; "launched" if there was none. `launch` is called with a recording queue, with and without
// a failure hook that lets calls go on: neither may record a kernel.
template <class Launch>
std::string refusal(const Launch& launch) {
  host_recording recording;
  std::string message = "launched";
  try {
    launch(queue::recording(recording));
  } catch (const contract_violation& violation) {
    message = violation.what();
  }
  int counted = 0;
  const scoped_failure_hook count([](const report&, void* n) { ++*static_cast<int*>(n); }, &counted);
  launch(queue::recording(recording));
  if (message != "launched" && (recording.size() != 0 || counted != 1))
    message = "launched in spite of: " + message;
  return message;
}

// What broke, one line per violation, of a message.
inline std::string headlines(const std::string& text) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.empty() || line[0] == ' ' || line.compare(0, 9, "contract ") == 0) continue;
    result += (result.empty() ? "" : "\n") + line;
  }
  return result;
}

}  // namespace stridelock::kernels::testing
