// Terms: symbolic values, hash-consed, so that equal expressions are one number and facts about values are set
// membership. A term says where a value came from; it never changes, whatever is later stored where the value was read.
//
//   parameter 1                         what argument 1 was on entry
//   field(parameter 0, engine::meta.idx)  a member of it
//   view narrow(parameter 1, 1, 0, k)   a view, with the place that made it
//   one_of(a when g, b when not g)      what a join of paths leaves
//
// Promises:  one graph per program; ids grow in creation order, which is deterministic for equal input;
//            simplification is local and sound for integers that do not overflow.
// Does not:  model memory (interpret.h does), nor bit widths: casts between integers are dropped.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/ir/ir.h"

namespace stridelock::solve {

using term_id = std::uint32_t;
// A join of more different values than this is unknown.
inline constexpr std::size_t most_alternatives = 6;
inline constexpr term_id no_term = 0;  // "nothing": omitted argument, absent value

enum class term_kind : std::uint8_t {
  nothing,
  unknown,      // number: unique; first: reason
  integer,      // number
  literal,      // first: string
  function,     // first: symbol
  parameter,    // number: the object or value of a parameter on entry
  global,       // first: symbol
  location,     // op: location_kind; see below
  address,      // child 0: location
  deref,        // child 0: pointer; the object behind it as it was on entry
  project,      // child 0: record or container, child 1: step
  step,         // op: ir::step_kind; first: record, second: field, number: index
  operation,    // op: ir::expr_op
  aggregate,    // child 0: base or nothing, then step, value pairs
  one_of,       // value, conjunction pairs
  conjunction,  // sorted atoms; no child: true
  closure,      // first: symbol; step, operand pairs
  view,         // op: ir::view_op; child 0: base, then arguments; where
  copy,         // op: ir::copy_op; child 0: base; where
  allocation,   // child 0: shape, child 1: like; where
  pointer,      // child 0: tensor
  query,        // op: ir::query_op; child 0: tensor, child 1: dimension
  test,         // op: ir::predicate; operands
  result,       // first: callee; arguments. A call nobody knows, equal for equal arguments
  via,          // child 0: value; a step of its history: first: text, where
};

enum class location_kind : std::uint8_t { local, parameter, global, pointee, part };
// local, parameter: number.  global: first.  pointee: child 0 is the pointer.  part: child 0 location, child 1 step.

struct term {
  term_kind kind = term_kind::nothing;
  std::uint8_t op = 0;
  std::uint16_t depth = 0;
  std::uint32_t first_child = 0;
  std::uint32_t child_count = 0;
  std::int64_t number = 0;
  ir::name first;
  ir::name second;
  ir::location where;
  ir::name spelling;
};

class term_graph {
 public:
  term_graph();

  const term& at(term_id id) const { return terms_[id]; }
  std::span<const term_id> children(term_id id) const {
    const term& t = terms_[id];
    return {children_.data() + t.first_child, t.child_count};
  }
  term_id child(term_id id, std::size_t index) const {
    return index < terms_[id].child_count ? children_[terms_[id].first_child + index] : no_term;
  }
  term_kind kind(term_id id) const { return terms_[id].kind; }
  std::size_t size() const { return terms_.size(); }

  // A value nothing is known about, different from every other.
  term_id fresh(ir::name reason);
  term_id integer(std::int64_t number);
  term_id literal(ir::name content);
  term_id function(ir::name symbol);
  term_id parameter(std::uint32_t index);
  term_id global(ir::name symbol);
  term_id step(const ir::step& s);

  term_id local_location(std::uint32_t index);
  term_id parameter_location(std::uint32_t index);
  term_id global_location(ir::name symbol);
  term_id pointee_location(term_id pointer);  // of an address: the location itself
  term_id part_location(term_id whole, term_id step);

  term_id address(term_id location);
  term_id deref(term_id pointer);
  term_id project(term_id whole, term_id step);  // looks into aggregates, alternatives and closures
  term_id aggregate(term_id base, std::span<const term_id> step_value_pairs);
  term_id closure(ir::name symbol, std::span<const term_id> step_operand_pairs);

  term_id operation(ir::expr_op op, std::span<const term_id> operands);
  term_id operation(ir::expr_op op, std::initializer_list<term_id> operands);
  term_id negate(term_id condition);
  term_id conjunction(std::vector<term_id> atoms);
  term_id conjunction_of(term_id a, term_id b);

  struct alternative {
    term_id value;
    term_id guard;  // conjunction
  };
  // Flattens, drops duplicates; more than `most` alternatives become unknown.
  term_id one_of(std::vector<alternative> alternatives, std::size_t most = most_alternatives);
  std::vector<alternative> alternatives(term_id id) const;  // at least one

  term_id view(ir::view_op op, term_id base, std::span<const term_id> args, const ir::location& where,
               ir::name spelling, ir::name label);
  term_id copy(ir::copy_op op, term_id base, const ir::location& where, ir::name spelling, ir::name label);
  term_id allocation(term_id shape, term_id like, const ir::location& where, ir::name label);
  term_id pointer(term_id tensor);
  term_id query(ir::query_op op, term_id tensor, term_id dimension);
  term_id test(ir::predicate what, std::span<const term_id> operands);
  term_id result(ir::name callee, std::span<const term_id> arguments);
  term_id via(term_id value, ir::name text, const ir::location& where);

  // Without the outermost history steps.
  term_id strip(term_id id) const;
  bool is_integer(term_id id) const { return kind(id) == term_kind::integer; }

  // Rebuilds `id` with parameters replaced. `resolve` gives the value of a parameter on entry, `reload` reads an
  // object behind a location of the caller at the time of the call.
  struct substitution {
    virtual ~substitution() = default;
    virtual term_id parameter_value(std::uint32_t index) = 0;
    virtual term_id parameter_address(std::uint32_t index) = 0;  // location of the caller, or nothing
    virtual term_id read(term_id location) = 0;
    std::unordered_map<term_id, term_id> done;
  };
  term_id substitute(term_id id, substitution& with);

 private:
  term_id make(term t, std::span<const term_id> children);
  void grow_index();
  term_id make(term_kind kind, std::uint8_t op, std::span<const term_id> children);
  term_id cut(ir::name reason, std::uint64_t cause);

  std::vector<term> terms_;
  std::vector<term_id> children_;
  // Open addressing, power of two, no_term where free.
  std::vector<term_id> index_;
  std::vector<std::uint64_t> hashes_;  // by term
  std::int64_t next_fresh_ = 0;
};

// For messages: parameters by their names.
std::string describe(const term_graph& graph, term_id id, const ir::function* context);

}  // namespace stridelock::solve
