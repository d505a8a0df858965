// What solve knows of a function once it has read its body: what it asks of its arguments, what it does to them, what
// it returns and what it does to a capture. Everything is written in terms of the function's parameters, so a caller
// reads it by substitution.
#pragma once

#include <string>
#include <vector>

#include "analyzer/report/finding.h"
#include "analyzer/solve/term.h"
#include "stridelock/narrowing.h"

namespace stridelock::solve {

using report::trace_step;

enum class evidence : std::uint8_t {
  declared,   // annotation, typed view, contract file
  checked,    // a check stops the program if it fails
  unchecked,  // nobody looks: the pointer and the sizes go on, the stride does not
};

struct requirement {
  term_id formula = no_term;  // must hold
  term_id guard = no_term;    // under these conditions
  evidence how = evidence::checked;
  term_id carried = no_term;    // the tensor with its history, where a call hands it over
  bool may = false;             // through a join of several callees
  bool of_pointer = false;      // asked where a raw pointer of the tensor is handed on
  bool about_layout = false;    // carried to callers until somebody decides
  bool about_metadata = false;  // rank, dtype, sizes, presence: carried a few calls up, for contracts
  ir::location where;           // check, declaration or use
  std::string consumer;         // signature of the function that asks
  std::string subject;          // what the consumer calls the tensor
  std::string fact;             // how the consumer spells it: x.is_contiguous()
  // The argument at which the tensor was last named: where a finding stands if no caller is known to decide.
  ir::location anchor;
  std::string anchor_function;
  std::string anchor_callee;
  std::string anchor_spelling;
  const ir::function* context = nullptr;  // names the parameters in formula and guard
  std::vector<trace_step> path;           // from the outermost call to the check
};

// ---- capture ---------------------------------------------------------------------------------------------------

struct capture_region {
  ir::location where;
  ir::name label;
  ir::capture_owner owner = ir::capture_owner::raw;
  ir::capture_mode mode = ir::capture_mode::unknown;
  std::string function;
  term_id guard = no_term;            // conditions under which it begins
  std::vector<trace_step> opened_by;  // calls that lead to the begin, from the region's own function down
  bool operator==(const capture_region&) const = default;
};

enum class capture_status : std::uint8_t {
  inherited,  // as it was when the function was called
  inside,     // in a region begun here or in a callee
  ended,      // a region of the caller was ended
  maybe,      // inside on some paths
};

struct capture_effect {
  enum class kind : std::uint8_t { copy, invoke } what = kind::copy;
  term_id subject = no_term;  // copied tensor or invoked callable
  term_id copy_term = no_term;
  term_id guard = no_term;
  bool may = false;
  capture_status status = capture_status::inherited;
  capture_region region;  // inside, maybe
  ir::location where;
  std::string function;  // signature of the function that contains it
  std::string spelling;
  std::string label;
  std::vector<trace_step> path;  // calls from the region's function down to it
};

struct location_write {
  term_id location = no_term;
  term_id value = no_term;
};

struct summary {
  bool solved = false;
  bool never_returns = false;
  term_id result = no_term;
  std::vector<requirement> requirements;
  std::vector<location_write> writes;
  std::vector<capture_effect> effects;  // inherited ones, and invokes inside a region begun here
  capture_status exit = capture_status::inherited;
  capture_region exit_region;
};

// ---- what checks read --------------------------------------------------------------------------------------------

// A requirement that fails for a value that is known.
struct disagreement {
  requirement asked;
  term_id formula = no_term;  // after substitution
  term_id tensor = no_term;   // the value, with its history
  term_id culprit = no_term;  // the view that broke it
  bool guard_proved = true;
  bool may = false;
  bool is_member = false;  // `spelling` names an object that holds the tensor
  std::string when;        // guard in words, empty if none or proved
  ir::location where;
  std::string function;                   // enclosing named function
  std::string callee;                     // empty: the check stands in the same function
  std::string spelling;                   // of the argument
  const ir::function* context = nullptr;  // names the parameters in terms
};

struct capture_hit {
  capture_effect effect;
  capture_region region;
  bool may = false;
  stridelock::tri source_dense = stridelock::tri::unknown;
  term_id culprit = no_term;
  bool escapes = false;  // the copy is returned or stored by the function that opened the region
  std::string when;
  const ir::function* context = nullptr;
};

struct field_write {
  ir::name record;
  ir::name field;
  term_id value = no_term;
  term_id guard = no_term;
  ir::location where;
  std::string function;
  const ir::function* context = nullptr;
};

}  // namespace stridelock::solve
