// A finding: what a check says about one place in the analysed program, with the path that leads there.
//
// Promises:  plain data without Clang types, complete enough to be printed in every format from a cache.
// Does not:  decide whether it is shown: suppression, baseline and --fail-on are the reporter's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/ir/ir.h"

namespace stridelock::report {

// error:   producer and consumer are both known and disagree, or the line is wrong whatever the layout.
// warning: an execution is known that breaks it and another may not, or the code contradicts itself.
// note:    nothing is known about the producer, or the code is right today and costs something.
enum class severity : std::uint8_t { note, warning, error };

struct trace_step {
  ir::location where;
  std::string message;
  bool operator==(const trace_step&) const = default;
};

struct finding {
  std::string check;  // without prefix: narrowed-view
  severity level = severity::warning;
  ir::location where;             // the argument of the call where the requirement becomes certain
  std::string function;           // signature of the enclosing named function
  std::string message;            // one line, states the fact
  std::string fingerprint;        // plain text, no line numbers, no absolute paths
  std::vector<trace_step> trace;  // the producer first
  bool operator==(const finding&) const = default;
};

// How much of what was asked was looked at. An empty run must never look green.
struct coverage {
  std::uint64_t units_asked = 0;
  std::uint64_t units_analysed = 0;  // clean or degraded
  std::uint64_t units_degraded = 0;  // errors, yet analysed
  std::uint64_t units_failed = 0;
  std::uint64_t units_listed = 0;  // failed or degraded, and listed under `unparsed:` with a reason
  std::uint64_t functions = 0;
  std::uint64_t templates_without_instance = 0;
  std::uint64_t unknown_instructions = 0;
  std::uint64_t unmodelled_calls = 0;
  std::uint64_t limits_hit = 0;  // step budgets; each may lose a finding, never invents one
  std::uint64_t hidden_by_cuda_arch = 0;
  bool operator==(const coverage&) const = default;
};

}  // namespace stridelock::report
