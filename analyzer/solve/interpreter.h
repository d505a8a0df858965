// The interpreter behind interpret.h: one object runs one function. Its members are defined by concern:
//   memory.cpp     locations, what is stored in them, operands
//   flow.cpp       joins, guards, the fixpoint and the recording pass
//   execute.cpp    what each instruction does
//   calls.cpp      summaries applied, unknown callees, callables
//   pointers.cpp   raw pointers that go on without their stride
//   demands.cpp    requirements met, broken or handed to the caller
//   effects.cpp    what happens inside a capture
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/solve/control.h"
#include "analyzer/solve/interpret.h"

namespace stridelock::solve {

template <class... F>
struct overloaded : F... {
  using F::operator()...;
};
template <class... F>
overloaded(F...) -> overloaded<F...>;

// Budgets. Each counts things, none counts time; what one cuts off is counted in function_report::limits_hit.
inline constexpr std::size_t most_requirements = 128;
inline constexpr std::size_t most_effects = 128;
inline constexpr std::size_t most_path_steps = 24;
inline constexpr std::size_t most_metadata_steps = 3;
inline constexpr std::size_t most_alternative_atoms = 4;
inline constexpr std::size_t most_guard_atoms = 8;
inline constexpr int visits_before_widening = 2;
inline constexpr int visits_at_most = 6;

struct capture_state {
  capture_status status = capture_status::inherited;
  capture_region region;
  std::vector<std::pair<capture_status, capture_region>> saved;  // what an end restores
  bool suspended = false;
  bool operator==(const capture_state&) const = default;
};

struct state {
  bool reached = false;
  std::map<term_id, term_id> memory;
  assumptions known;
  capture_state capture;
  bool operator==(const state&) const = default;
};

// The layouts that a contract text names: "contiguous; int32" asks for one.
std::vector<ir::predicate> layouts_in(std::string_view contract);
// The signature without the mark of a lambda.
std::string named_function(const ir::function& f);

class interpreter final {
 public:
  explicit interpreter(const interpretation_input& in)
      : in_(in),
        graph_(in.graph),
        function_(*in.whole.functions()[in.index]),
        unit_(in.whole.unit_of(in.index)) {}

  function_report run();

 private:
  // ---- memory
  term_id initial(term_id location);
  term_id read(const state& s, term_id location);
  term_id read_without_parts(const state& s, term_id location);
  void write(state& s, term_id location, term_id value);
  void forget(state& s, term_id location);
  term_id locate(const state& s, const ir::place& p);
  term_id value(const state& s, const ir::operand& o);
  term_id tensor(const state& s, const ir::operand& o);
  void set(ir::value_id id, term_id v);
  // An unknown value that is the same at every visit.
  term_id unknown(const void* cause, std::uint64_t detail, std::string_view reason);

  // ---- control
  state join(const std::vector<std::pair<state, ir::block_id>>& in, ir::block_id at);
  term_id edge_condition(ir::block_id from, std::uint32_t successor);
  term_id block_guard(ir::block_id b);
  void run_block(state& s, ir::block_id b);
  void execute(state& s, const ir::instruction& i);
  term_id indexed(term_id base, term_id list, const ir::instruction& i, ir::name label);

  // ---- calls
  struct actual {
    term_id raw = no_term;     // as passed
    term_id object = no_term;  // the object behind a reference
    const ir::argument* argument = nullptr;
    ir::location where;  // the call's, if the argument has none
  };
  struct target {
    const ir::function* declaration = nullptr;
    const summary* known = nullptr;
    term_id closure = no_term;
    bool uncertain = false;  // run by a library, perhaps never
  };
  void call(state& s, const ir::instruction& i, const ir::call& c);
  void apply(state& s, const ir::instruction& i, const std::vector<actual>& args, const target& to, bool may,
             std::vector<term_graph::alternative>& results);
  void external(state& s, const ir::instruction& i, const ir::call& c, std::vector<actual>& args);
  void invoke(state& s, const ir::instruction& i, term_id callable);
  void pointer_uses(const state& s, const ir::call& c, const std::vector<actual>& args,
                    const std::vector<bool>& declared);
  std::vector<target> targets_of(const state& s, const ir::call& c, bool& complete);

  // ---- recording
  void demand(const state& s, requirement r, term_id formula, term_id guard, const ir::location& where,
              const std::string& callee, const std::string& spelling, bool may);
  void demand_one(const state& s, requirement r, term_id formula, term_id guard, const ir::location& where,
                  const std::string& callee, const std::string& spelling, bool may);
  void check_branch(const state& s, ir::block_id b);
  void effect(const state& s, capture_effect e);
  void declared_parameters();

  bool never_returns(const ir::instruction& i) const;
  std::string words(term_id conjunction);

  const interpretation_input& in_;
  term_graph& graph_;
  const ir::function& function_;
  std::uint32_t unit_;
  control_flow flow_;
  std::vector<term_id> values_;
  std::vector<state> in_state_;
  std::vector<state> out_state_;
  std::vector<int> visits_;
  std::vector<term_id> guard_memo_;
  std::map<std::pair<const void*, std::uint64_t>, term_id> unknowns_;
  bool recording_ = false;
  ir::block_id current_ = 0;
  function_report report_;
  std::vector<term_graph::alternative> returned_;
};

}  // namespace stridelock::solve
