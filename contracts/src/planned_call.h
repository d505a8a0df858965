// One call of a preflight plan, compiled: cuts its arguments for given values of the variables and judges them, without allocating.
// Private to the library.
//
// Promises:  judge() answers as evaluate() does for the same tensors and parameter values, whatever was set before
//            (tests/preflight_test.cpp compares them). What did not change since the last cell is not done again: an argument is cut
//            when a variable it uses has another value, and its own facts are judged when it was cut.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "branch_choice.h"
#include "branch_judge.h"
#include "plan_expression.h"
#include "stridelock/preflight.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

using light_tensor = basic_tensor_desc<no_provenance>;

struct planned_tensor {
  bool is_present = false;
  std::int32_t rank_given = 0;
  light_tensor tensor{};
};

// The first violation of the highest rank; as a list of none or one.
class worst_violation {
 public:
  void push_back(const violation& v) {
    if (has_ && verdict_of(v) <= verdict_of(worst_)) return;
    worst_ = v;
    has_ = true;
  }
  void push_back(const worst_violation& later) {
    if (later.has_) push_back(later.worst_);
  }
  const violation* begin() const { return &worst_; }
  const violation* end() const { return &worst_ + (has_ ? 1 : 0); }
  bool empty() const { return !has_; }
  void clear() { has_ = false; }

 private:
  violation worst_{};
  bool has_ = false;
};

struct planned_step {
  enum kind : std::uint8_t { rows, columns, slice, select, transpose, active, stale_holds };
  kind what = rows;
  plan_expression numbers[4];
  stale_content stale = stale_content::unknown;  // of stale_holds
  source_line at{};
};

struct planned_view {
  int buffer = -1;
  std::vector<planned_step> steps;
};

struct planned_buffer {
  std::string name;
  dtype type{};
  std::vector<plan_expression> extents;
  std::vector<plan_expression> strides;
  device where{};
  const void* address = nullptr;  // never read: it only tells buffers apart and says how they are aligned
  bool is_stable = false;
};

struct planned_choice {
  plan_expression when;
  planned_view view;
};

struct cell_outcome {
  cell_verdict verdict = cell_verdict::ok;
  std::int8_t branch = -1;
  bool has_violation = false;
  violation first{};
};

// What every call of a plan shares.
struct planned_world {
  plan_names names;
  std::vector<planned_buffer> buffers;
  std::vector<std::pair<std::string, planned_view>> views;

  explicit planned_world(const preflight_plan& plan);
  // A buffer, a view, or steps on one of them.
  planned_view cut(const std::string& text, const std::string& at) const;
};

class planned_call {
 public:
  planned_call(const preflight_plan& plan, const planned_world& world, const plan_call& call,
               const dispatch_view& dispatch);
  planned_call(const planned_call&) = delete;  // the judges refer to its members
  planned_call& operator=(const planned_call&) = delete;

  // Cuts the arguments; false: the plan has no value there, see reason().
  bool set(const index_t* slots);
  std::string reason(const index_t* slots) const;

  std::size_t combinations() const { return combinations_.size(); }
  const std::vector<index_t>& combination(std::size_t i) const { return combinations_[i]; }
  const std::vector<library_parameter>& parameters() const { return parameters_; }
  // Of what set() cut, under one combination of parameter values.
  cell_outcome judge(std::size_t combination);

  // The same through the exact evaluator, with the story of each view: for messages, and for the test that both agree.
  report explain(const index_t* slots, std::size_t combination) const;

  struct threshold_value {
    bool known = false;
    index_t left = 0;
    index_t bound = 0;  // the condition changes between bound and bound + 1
  };
  struct threshold {
    int branch = 0;
    expression left{};
    expression right{};
    bool inclusive = true;  // left <= right is the lower side; else left < right
    std::string text;       // "T <= decode_max_tokens"
  };
  const std::vector<threshold>& thresholds() const { return thresholds_; }
  threshold_value at(const threshold& t, std::size_t combination);

 private:
  using judge_type = basic_branch_judge<planned_tensor, worst_violation>;

  // What one branch says about one argument, kept until the argument or what else the answer depends on changes.
  struct kept_answer {
    std::uint32_t symbols = 0;     // that its shape uses
    bool uses_parameters = false;  // its shape
    bool is_current = false;
    bool is_well_formed = false;
    worst_violation form;
    worst_violation shape;
    worst_violation facts;
    worst_violation sharing;
  };
  struct planned_branch {
    judge_type judge;
    bool is_bound = false;     // to the arguments of this cell
    bool same_places = false;  // no argument came, went or changed its rank since it was bound
    std::vector<kept_answer> kept{};
  };

  judge_type& bound_judge(std::size_t branch);
  void check(planned_branch& branch);
  static void judge_anew(judge_type& judge, int argument, int first, kept_answer& kept);
  void find_dependents();
  void forget(std::size_t argument);
  bool cut_argument(std::size_t i, const index_t* slots);
  template <class Tensor>
  bool cut(const planned_view& view, const index_t* slots, Tensor& out) const;
  void find_thresholds();
  bool is_ruled_out(const contract_view& branch) const;

  const planned_world& world_;
  dispatch_view dispatch_;
  std::vector<contract_view> branches_;
  std::vector<library_parameter> parameters_;
  std::vector<std::vector<index_t>> combinations_;
  std::vector<std::vector<planned_choice>> arguments_;
  std::vector<planned_tensor> tensors_;
  std::vector<argument_value> originals_;
  std::vector<std::vector<kept_answer*>> answers_about_;  // by argument: that depend on it
  std::vector<slot_mask> used_;                           // by argument: the slots it depends on
  std::vector<index_t> last_slots_;                       // of the last set()
  bool is_set_ = false;                                   // false: the last set() failed, or there was none
  std::vector<index_t> values_;                           // the combination that is judged
  std::vector<planned_branch> planned_;                   // like branches_
  std::vector<threshold> thresholds_;
  capability capability_{};
  evaluation_context context_{};
};

capability capability_of_slot(index_t value);
index_t slot_of(capability c);

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
