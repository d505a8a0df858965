// Which branch of a dispatch a call takes. Private to the library; the one rule for the evaluator and for preflight.
#pragma once

#include <cstddef>
#include <vector>

#include "stridelock/contract.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

struct branch_choice {
  enum kind : std::uint8_t {
    applies,
    undecided,  // no branch certainly applies; `taken` is the first that might
    otherwise,
    ambiguous,  // `taken` and `second` both apply
    uncovered,
  };
  kind what = uncovered;
  int taken = -1;
  int second = -1;
  int undecided_condition = -1;  // of the branch taken
};

// `applies(branch, undecided_condition)` answers yes, no or unknown for one branch.
template <class Applies>
branch_choice choose_branch(const std::vector<contract_view>& branches, Applies applies) {
  int applying = -1, undecided = -1, otherwise = -1;
  branch_choice choice;
  for (std::size_t b = 0; b < branches.size(); ++b) {
    if (branches[b].kind == branch_kind::otherwise) {
      otherwise = static_cast<int>(b);
      continue;
    }
    int condition = -1;
    switch (applies(b, condition)) {
      case tri::yes:
        if (applying >= 0) return {branch_choice::ambiguous, applying, static_cast<int>(b), -1};
        applying = static_cast<int>(b);
        break;
      case tri::unknown:
        if (undecided < 0) {
          undecided = static_cast<int>(b);
          choice.undecided_condition = condition;
        }
        break;
      case tri::no:
        break;
    }
  }
  if (applying >= 0) return {branch_choice::applies, applying, -1, -1};
  if (undecided >= 0) return {branch_choice::undecided, undecided, -1, choice.undecided_condition};
  if (otherwise >= 0) return {branch_choice::otherwise, otherwise, -1, -1};
  return choice;
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
