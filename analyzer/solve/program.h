// The whole program: modelled units, found by symbol, with the class hierarchy and the contracts that came with them.
//
// Promises:  bodies of one symbol that are equal are kept once; bodies that differ (flags) are all kept, in the order
//            the units were added. Iteration order depends on content and order of units only.
// Does not:  own the meaning of anything: solve.h does.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/ir/ir.h"

namespace stridelock::solve {

// A requirement from a model or contract file: argument `argument` (index in ir::call::args) of every call of `callee`
// (qualified name, or a prefix that ends in '*').
struct requirement_row {
  std::string callee;
  std::uint32_t argument = 0;
  std::string text;    // as in STRIDELOCK_REQUIRES
  std::string source;  // file:line of the row, for messages
};

ir::location place_of(const requirement_row& row);
// Why a contract text cannot be read; empty if it can.
std::string contract_error(std::string_view text);

using function_index = std::uint32_t;

class program {
 public:
  void add(ir::unit unit);
  void add_requirement(requirement_row row);
  // Call once after the last add.
  void finish();

  const std::vector<ir::unit>& units() const { return units_; }
  // Bodies of kernels and device functions, copies in several units counted each; they are not kept.
  std::uint64_t device_bodies() const { return device_bodies_; }
  // Functions with a body, one for each distinct body.
  const std::vector<const ir::function*>& functions() const { return functions_; }
  std::uint32_t unit_of(function_index f) const { return function_units_[f]; }

  // Bodies a call of `symbol` from `unit` may mean: the unit's own, else all.
  std::vector<function_index> bodies(ir::name symbol, std::uint32_t unit) const;
  const ir::function* declaration(ir::name symbol) const;  // with or without a body
  // Methods that override `symbol`, itself included, which have a body.
  std::vector<function_index> overriders(ir::name symbol, std::uint32_t unit) const;
  const std::vector<requirement_row>& requirements() const { return requirements_; }
  std::vector<const requirement_row*> requirements_of(std::string_view callee) const;

 private:
  std::vector<ir::unit> units_;
  std::uint64_t device_bodies_ = 0;
  std::vector<const ir::function*> functions_;
  std::vector<std::uint32_t> function_units_;
  std::unordered_map<ir::name, std::vector<function_index>> by_symbol_;
  std::unordered_map<ir::name, const ir::function*> declarations_;
  std::unordered_map<ir::name, std::vector<ir::name>> overridden_by_;
  std::vector<requirement_row> requirements_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> exact_requirements_;
  std::vector<std::size_t> prefix_requirements_;
  std::vector<std::unordered_map<ir::name, function_index>> unit_bodies_;
};

}  // namespace stridelock::solve
