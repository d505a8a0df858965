// preflight.h: a dispatch over everything a deployment plans, on a machine without a GPU.
//
// Promises:  every cell of the plan is judged as evaluate() would judge it, for every value of the library's parameters; cells
//            that cannot be computed or that no branch covers are counted, never skipped. Ranges are summarised. The
//            contracts of another library version than the plan's are refused. The same plan gives the same report.
// Does not:  read memory, ask a driver, or know anything of an engine that the plan does not say. A variable is a finite set: what
//            lies between its values is not judged.
// Cost:      cold header. Cells are judged without allocation, and what did not change since the cell before is not judged again:
//            put the variables that change few arguments last (docs/benchmarks.md). A plan above its limits is refused
//            before anything is judged.
//
//   preflight_plan plan;
//   plan.capabilities = {{10, 0}, {12, 0}};
//   plan.variables = {{"K", {"5"}}, {"n", {"1..85"}}, {"rows", {"1", "n * (1 + K)"}}, {"W", {"256"}}};
//   plan.buffers = {{"c128a_decode", types::int32, {"512", "1024"}}};
//   plan.calls = {{"verify", "sparse_mla", "rows", {"capability", "K"}, {{"extra_indices", {{"c128a_decode.rows(0, rows).columns(0, W)"}}}}}};
//   const preflight_report r = preflight(plan, contracts);
//   if (!r.ok()) puts(text(r).c_str());
//
// Expressions are whole numbers, names of variables, + - * / %, comparisons (1 or 0), and the functions min, max, ceil_div, round_up(x, unit),
// pow2(x) (the next power of two), next_in(x, table) and next_in(x, table, unit): the smallest member of the table, each
// first rounded up to the unit, that is not below x. `/` rounds down and takes no negative numbers. `capability` is 120 for 12.0.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stridelock/capability.h"
#include "stridelock/contract.h"
#include "stridelock/dtype.h"
#include "stridelock/evaluate.h"
#include "stridelock/report.h"

namespace stridelock {
inline namespace v1 {

// A finite set, in the order of the plan. Each item is an expression over earlier variables, or a range of them:
// "64", "n * (1 + K)", "1..85", "1 + K..512 by 1 + K". A value that occurs twice counts once.
struct plan_variable {
  std::string name{};
  std::vector<std::string> values{};
};

// Numbers to look up with next_in: captured sizes, padded head counts.
struct plan_table {
  std::string name{};
  std::vector<index_t> values{};
};

struct plan_buffer {
  std::string name{};
  dtype type{};
  std::vector<std::string> extents{};  // expressions
  std::vector<std::string> strides{};  // none: dense
  device where{device_kind::cuda, 0};
  index_t alignment = 256;  // of its address, promised by the allocator
  bool is_stable = true;    // a registered persistent buffer
  std::string at{};         // file:line, for messages
};

// A view under a name: "c128a_decode.rows(0, T).columns(0, W)". Steps: rows(a, b), columns(a, b), slice(dim, a, b),
// slice(dim, a, b, step), select(dim, i), transpose(a, b), active(dim, count), and behind it stale_holds(cleared),
// stale_holds(earlier_step) or stale_holds(unknown): what lies beyond the active part.
struct plan_view {
  std::string name{};
  std::string cut{};
  std::string at{};  // file:line
};

// What is passed if `when` holds (empty: always).
struct plan_choice {
  std::string cut{};  // a buffer, a view, or steps on one of them
  std::string when{};
  std::string at{};
};

// The first choice that holds is passed; if none does, the argument is absent.
struct plan_argument {
  std::string name{};
  std::vector<plan_choice> choices{};
};

struct plan_call {
  std::string name{};
  std::string dispatch{};
  std::string over{};  // the variable whose ranges are reported
  std::vector<std::string>
      by{};  // variables reported apart; none: all others. The rest is summed up, worst first
  std::vector<plan_argument> arguments{};
};

// Replaces the values that the contracts declare.
struct plan_parameter {
  std::string name{};
  std::vector<index_t> values{};
};

struct preflight_plan {
  std::string library{};  // what will run; empty: any
  std::string version{};
  std::vector<capability> capabilities{};
  std::vector<plan_table> tables{};
  std::vector<plan_variable> variables{};
  std::vector<std::string> only{};  // cells for which all of these hold are planned
  std::vector<plan_buffer> buffers{};
  std::vector<plan_view> views{};
  std::vector<plan_parameter> parameters{};
  std::vector<plan_call> calls{};
  // Ten times as many combinations of values may be looked at, and as many evaluations made.
  std::int64_t most_cells = 5'000'000;
};

struct preflight_contracts {
  std::string library{};  // of which they are; empty: unknown, refused if the plan names one
  std::string version{};
  std::vector<dispatch_view> dispatches{};
};

// In rising order of harm.
enum class cell_verdict : std::uint8_t {
  ok,
  no_kernel,  // refused on purpose
  uncovered,  // no branch of the contracts applies, or more than one
  undefined,  // the plan does not compute: out of a table, not divisible, a view out of its buffer
  refused,
  silent,
};

constexpr std::string_view to_string(cell_verdict v) {
  switch (v) {
    case cell_verdict::ok:
      return "ok";
    case cell_verdict::no_kernel:
      return "no kernel";
    case cell_verdict::uncovered:
      return "uncovered";
    case cell_verdict::undefined:
      return "undefined";
    case cell_verdict::refused:
      return "refused";
    case cell_verdict::silent:
      return "silent";
  }
  return {};
}

// Neighbouring sizes with one outcome.
struct preflight_range {
  index_t first = 0;
  index_t last = 0;
  std::int64_t sizes = 0;
  cell_verdict verdict = cell_verdict::ok;
  std::string branch{};    // empty: none
  std::string fact{};      // what breaks: the first line of the message; empty if ok
  std::string evidence{};  // "unchecked, kernel.cuh:12"
  // Verdict under each combination of parameter values, if they differ: "decode_max_tokens = 8: refused".
  std::vector<std::string> by_parameter{};
};

// A condition of the dispatch that changes its answer within the planned sizes, or near them.
struct preflight_threshold {
  std::string text{};  // "T <= decode_max_tokens = 64"
  bool has_below = false;
  bool has_above = false;
  index_t below = 0;  // the last planned size on the lower side, and how far it is away
  index_t slack_below = 0;
  index_t above = 0;
  index_t slack_above = 0;
};

struct preflight_setting {
  std::string variable{};
  std::string values{};  // "1, 2, 4"
};

// All settings that lead to the same ranges.
struct preflight_row {
  std::string call{};
  std::string dispatch{};
  std::string over{};
  std::vector<preflight_setting> settings{};
  std::vector<preflight_range> ranges{};
  std::vector<preflight_threshold> thresholds{};
  bool has_pass = false;
  bool has_fail = false;
  index_t last_pass = 0;     // the largest size that passes
  index_t first_fail = 0;    // the smallest that does not
  std::string parameters{};  // "decode_max_tokens in {8, 24, 64}"; empty: the dispatch has none
  bool depends_on_parameter = false;
  std::string message{};  // of the worst range's first size, in five fields; empty if all is ok
};

// What of a plan cannot be read or computed: empty if all can. For readers of plans, which know the line of a text.
struct plan_fault {
  std::string error{};
  std::string where{};  // the text it is about
};

struct preflight_report {
  std::string error{};  // not empty: nothing was judged, and why
  plan_fault fault{};   // the same in two parts
  std::string library{};
  std::string version{};
  std::vector<preflight_row> rows{};
  std::int64_t cells = 0;
  std::int64_t by_verdict[6]{};  // cells, by the worst verdict over parameter values
  std::int64_t depending = 0;    // cells whose verdict differs between parameter values
  std::int64_t evaluations = 0;

  // Every planned cell is ok, whatever the parameters.
  bool ok() const { return error.empty() && cells > 0 && by_verdict[0] == cells && depending == 0; }
};

preflight_report preflight(const preflight_plan& plan, const preflight_contracts& contracts);

// What the command prints.
std::string text(const preflight_report& r);

// Whether the plan can be read, without judging a cell.
plan_fault check_plan(const preflight_plan& plan, const preflight_contracts& contracts);

}  // namespace v1
}  // namespace stridelock
