// Solves a program: summaries bottom-up over the call graph, then what became certain.
//
//   program p;  p.add(modelled_unit); …  p.finish();
//   solution s = solve(p, {});
//   for (const disagreement& d : s.disagreements) …
//
// Promises:  deterministic: the same program in the same order gives the same solution, whatever the machine.
//            Budgets count steps; one that is hit is counted in `limits_hit`, may lose a finding, never makes one.
//            What holds only through a join (a field, several callees) is marked `may`.
// Does not:  decide what is reported and how: checks do.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/solve/program.h"
#include "analyzer/solve/summary.h"
#include "analyzer/solve/term.h"

namespace stridelock::solve {

struct solve_options {
  // Functions by qualified name that an unseen caller captures (--assume-capture).
  std::function<bool(const ir::function&)> assume_capture;
};

struct solution {
  term_graph graph;
  std::vector<summary> summaries;  // by function_index
  std::vector<bool> entry_points;  // by function_index, see entry_points.h
  std::vector<disagreement> disagreements;
  std::vector<capture_hit> capture_hits;
  std::uint64_t limits_hit = 0;
  std::uint64_t unknown_calls = 0;
  std::uint64_t unknown_instructions = 0;
};

std::unique_ptr<solution> solve(const program& whole, const solve_options& options);

}  // namespace stridelock::solve
