// Runs one function over terms: forward, flow-sensitive, to a fixpoint, then once more to record what happens.
//
// Memory maps locations to values. A value never changes, so a fact about a value stays true whatever is stored where
// it was read; reading again after a store gives another value. At a join, different values become alternatives with
// the conditions of their paths.
//
// Promises:  terminates: loops are cut after two visits (the changed locations become unknown), joins keep at most six
//            alternatives, and every cut is counted; a cut may lose a finding, never make one.
// Does not:  tell apart two reference parameters that name one object.
#pragma once

#include <functional>
#include <vector>

#include "analyzer/solve/judge.h"
#include "analyzer/solve/program.h"
#include "analyzer/solve/summary.h"
#include "analyzer/solve/term.h"

namespace stridelock::solve {

struct function_report {
  summary result;
  std::vector<disagreement> disagreements;
  std::vector<capture_hit> capture_hits;
  std::vector<field_write> field_writes;
  // Requirements on a value that no caller can decide: read from a field of an object nobody passed in.
  std::vector<requirement> open_requirements;
  std::uint64_t limits_hit = 0;
  std::uint64_t unknown_calls = 0;
};

struct interpretation_input {
  term_graph& graph;
  const program& whole;
  function_index index;
  const std::function<const summary*(function_index)>& summary_of;
  bool assume_capture = false;
};

function_report interpret(const interpretation_input& input);

// A name for a condition that means the same in every function: the fields, globals and calls it reads, without the
// objects they belong to. Empty if it has none.
std::string flag_key(const term_graph& graph, term_id atom);
// True if the two guards cannot hold together, judged by their flags.
bool exclude_each_other(const term_graph& graph, term_id guard, term_id other);

// The field a value was last read from, if any: the outermost `.field` of the tensor in a layout formula.
term_id tensor_of(const term_graph& graph, term_id formula);
term_id field_read(const term_graph& graph, term_id tensor);
bool rooted_in_parameter(const term_graph& graph, term_id term);
bool contains(const term_graph& graph, term_id whole, term_id part);

}  // namespace stridelock::solve
