// Control flow of one IR function: what is reachable, which blocks must end in a stop, and under which branch edges a
// block runs.
//
// A *stop* is abort, throw or a call that never returns. A block that must stop is the failing side of a check: the
// other side's condition is what the check demands. Guards are control dependences computed without such blocks, so
// that "the earlier checks passed" is never part of a guard.
#pragma once

#include <functional>
#include <vector>

#include "analyzer/ir/ir.h"

namespace stridelock::solve {

struct edge {
  ir::block_id from = 0;
  std::uint32_t successor = 0;  // index in control_flow::successors[from]
  bool operator==(const edge&) const = default;
};

struct control_flow {
  std::vector<std::vector<ir::block_id>> successors;  // stops have none; a constant condition has one
  std::vector<std::vector<ir::block_id>> predecessors;
  std::vector<ir::block_id> order;  // reverse post-order of what is reachable from the entry and the handlers
  std::vector<bool> must_stop;
  std::vector<bool> is_loop_head;
  // The branch edges a block depends on, loops' back edges left out. Empty: runs whenever the function does.
  std::vector<std::vector<edge>> depends_on;
  bool never_returns = false;
};

// `never_returns(instruction)` says whether a call in the block ends it.
control_flow analyse_control(const ir::function& function,
                             const std::function<bool(const ir::instruction&)>& never_returns);

// All successors as written, without judgement.
std::vector<ir::block_id> successors_of(const ir::block& block);

}  // namespace stridelock::solve
