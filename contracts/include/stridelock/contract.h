// contract.h: what one kernel asks of its arguments, written once, as constant data.
//
// Promises:  a contract is a literal object. Symbols are resolved by the compiler: a symbol that no extent or stride can
//            bind, a name that does not exist, or a table that is full is a compile error that names the mistake.
// Does not:  evaluate anything (evaluate.h and check.h do, so that callers who only declare do not pay), own texts (use literals) or
//            tuple tables (use namespace-scope arrays).
//
// A worked example: two kernels behind one entry point.
//
//   inline constexpr auto decode = make_contract("decode",
//       arg("q").type(types::bfloat16).shape(sym("T"), sym("H"), 512).layout(notion::dense),
//       arg("indices").type(types::int32).shape(sym("T"), sym("W")).layout(notion::dense, unchecked()))
//     .when(sym("T") <= parameter("decode_max_tokens"));
//   inline constexpr auto paged = make_contract("paged",
//       arg("q").type(types::bfloat16).shape(sym("T"), sym("H"), 512).layout(notion::dense),
//       arg("indices").type(types::int32).shape(sym("T"), sym("W")).layout(notion::dense, checked_at("mla.cu:225")))
//     .when(sym("T") > parameter("decode_max_tokens"));
//   inline constexpr auto sparse_mla = make_dispatch("sparse_mla", decode, paged)
//     .with(library_parameter("decode_max_tokens", {64}, "flashinfer", "0.6.18", "_sparse_mla_sm120.py:74"));
//
// Declare contracts at namespace scope, `inline constexpr`: they are passed as `const auto&` template arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "stridelock/argument.h"
#include "stridelock/condition.h"
#include "stridelock/evidence.h"
#include "stridelock/expression.h"

namespace stridelock {
inline namespace v1 {

// ---- contracts -------------------------------------------------------------------------------------------------------

// Where a symbol gets its value. For an extent the place is known now; a stride binds only at extents above 1.
struct symbol {
  std::string_view name{};
  bool by_extent = false;  // at least one bare extent
};

enum class branch_kind : std::uint8_t {
  kernel,
  refusal,    // "no kernel" under these conditions
  otherwise,  // "no kernel" wherever no other branch applies
};

// A contract of any size, borrowed: what the evaluator works on.
struct contract_view {
  std::string_view kernel{};
  branch_kind kind = branch_kind::kernel;
  const argument* arguments = nullptr;
  int argument_count = 0;
  const symbol* symbols = nullptr;
  int symbol_count = 0;
  const condition* conditions = nullptr;  // choose this branch
  int condition_count = 0;
  const condition* guards = nullptr;  // must hold once it is chosen
  int guard_count = 0;
};

template <std::size_t N>
struct contract {
  static constexpr int most_symbols = 16;
  static constexpr int most_conditions = 6;

  std::string_view kernel{};
  branch_kind kind = branch_kind::kernel;
  argument arguments[N > 0 ? N : 1]{};
  symbol symbols[most_symbols]{};
  std::uint8_t symbol_count = 0;
  condition conditions[most_conditions]{};
  std::uint8_t condition_count = 0;
  condition guards[most_conditions]{};
  std::uint8_t guard_count = 0;

  // The branch applies if all its conditions hold. Together the branches of a dispatch cover each case once.
  constexpr contract when(const condition& c) const {
    contract r = *this;
    if (r.condition_count == most_conditions)
      detail::error_too_many_conditions();
    else
      r.conditions[r.condition_count++] = r.resolved(c);
    return r;
  }
  // Once the branch applies, this must hold; otherwise it is a violation.
  constexpr contract needs(const condition& c, basis why = {}) const {
    contract r = *this;
    condition resolved_guard = r.resolved(c);
    resolved_guard.why = why;
    if (r.guard_count == most_conditions)
      detail::error_too_many_conditions();
    else
      r.guards[r.guard_count++] = resolved_guard;
    return r;
  }
  // "No kernel" is a branch: these cases are refused by design.
  constexpr contract refuses() const {
    contract r = *this;
    r.kind = branch_kind::refusal;
    return r;
  }

  constexpr contract_view view() const& {
    return {kernel,          kind,   arguments,  static_cast<int>(N), symbols, symbol_count, conditions,
            condition_count, guards, guard_count};
  }
  contract_view view() const&& = delete;

  constexpr int find_symbol(std::string_view name) const {
    for (int i = 0; i < symbol_count; ++i)
      if (symbols[i].name == name) return i;
    return -1;
  }
  constexpr int find_argument(std::string_view name) const {
    for (int i = 0; i < static_cast<int>(N); ++i)
      if (arguments[i].name == name) return i;
    return -1;
  }

  // ---- used by make_contract ----
  constexpr void collect(const expression& e, bool is_extent) {
    if (!e.is_bare_symbol()) return;
    int at = find_symbol(e.name);
    if (at < 0) {
      if (symbol_count == most_symbols) {
        detail::error_too_many_symbols();
        return;
      }
      at = symbol_count++;
      symbols[at].name = e.name;
    }
    symbols[at].by_extent = symbols[at].by_extent || is_extent;
  }
  constexpr expression resolved(expression e) const {
    if (e.kind != expression_kind::symbol) return e;  // parameters are looked up by name
    const int at = find_symbol(e.name);
    if (at < 0) detail::error_symbol_is_bound_by_no_extent_or_stride();
    e.index = static_cast<std::int8_t>(at);
    return e;
  }
  constexpr condition resolved(condition c) const {
    c.left = resolved(c.left);
    c.right = resolved(c.right);
    for (int i = 0; i < c.tuple_width; ++i) c.tuple[i] = resolved(c.tuple[i]);
    if (c.kind == condition_kind::present || c.kind == condition_kind::absent) {
      const int at = find_argument(c.argument_name);
      if (at < 0) detail::error_contract_has_no_argument_of_that_name();
      c.argument_index = static_cast<std::int8_t>(at);
    }
    return c;
  }
  constexpr void resolve_symbols() {
    for (argument& a : arguments)
      for (int s = 0; s < a.shape_count; ++s)
        for (int d = 0; d < a.shapes[s].rank; ++d) {
          collect(a.shapes[s].extents[d], true);
          collect(a.shapes[s].strides[d], false);
        }
    for (argument& a : arguments)
      for (int s = 0; s < a.shape_count; ++s)
        for (int d = 0; d < a.shapes[s].rank; ++d) {
          a.shapes[s].extents[d] = resolved(a.shapes[s].extents[d]);
          a.shapes[s].strides[d] = resolved(a.shapes[s].strides[d]);
        }
  }
  constexpr void check_names() const {
    for (std::size_t i = 0; i < N; ++i) {
      const argument& a = arguments[i];
      if (find_argument(a.name) != static_cast<int>(i)) detail::error_two_arguments_of_one_name();
      if (a.reader == reads::bounded && !a.lengths_outside && find_argument(a.bounded_by) < 0)
        detail::error_bounded_names_no_argument_of_the_contract__use_bounded_outside();
    }
  }
  constexpr void resolve_sharing() {
    for (argument& a : arguments)
      for (int i = 0; i < a.sharing_count; ++i) {
        const int other = find_argument(a.sharing_rules[i].with);
        if (other < 0 || arguments[other].name == a.name)
          detail::error_contract_has_no_argument_of_that_name();
        a.sharing_rules[i].index = static_cast<std::int8_t>(other);
      }
  }
};

template <class... A>
constexpr contract<sizeof...(A)> make_contract(std::string_view kernel, const A&... arguments) {
  contract<sizeof...(A)> c;
  c.kernel = kernel;
  int i = 0;
  (void)i;
  ((c.arguments[i++] = arguments), ...);
  c.check_names();
  c.resolve_symbols();
  c.resolve_sharing();
  return c;
}

// ---- dispatches ------------------------------------------------------------------------------------------------------

// A number of the library that decides between branches. Tuned parameters are sets: a verdict counts for all values.
struct library_parameter {
  static constexpr int most_values = 8;
  std::string_view name{};
  index_t values[most_values]{};
  std::uint8_t value_count = 0;
  std::string_view library{};
  std::string_view version{};
  std::string_view where{};

  constexpr library_parameter() = default;
  constexpr library_parameter(std::string_view n, std::initializer_list<index_t> accepted,
                              std::string_view from = {}, std::string_view at_version = {},
                              std::string_view line = {})
      : name(n), library(from), version(at_version), where(line) {
    for (index_t value : accepted) {
      if (value_count == most_values)
        detail::error_too_many_parameters_or_values();
      else
        values[value_count++] = value;
    }
  }
};

// A dispatch of any size, borrowed.
struct dispatch_view {
  std::string_view name{};
  const contract_view* branches = nullptr;
  int branch_count = 0;
  const library_parameter* parameters = nullptr;
  int parameter_count = 0;
};

template <std::size_t N>
struct dispatch {
  static constexpr int most_parameters = 8;

  std::string_view name{};
  contract_view branches[N > 0 ? N : 1]{};
  library_parameter parameters[most_parameters]{};
  std::uint8_t parameter_count = 0;

  constexpr dispatch with(const library_parameter& p) const {
    dispatch d = *this;
    if (d.parameter_count == most_parameters || p.value_count == 0)
      detail::error_too_many_parameters_or_values();
    else
      d.parameters[d.parameter_count++] = p;
    return d;
  }
  // Whatever no branch covers is refused by the library, on purpose.
  constexpr dispatch<N + 1> otherwise_refused(std::string_view why = "no kernel") const {
    dispatch<N + 1> d;
    d.name = name;
    for (std::size_t i = 0; i < N; ++i) d.branches[i] = branches[i];
    d.branches[N].kernel = why;
    d.branches[N].kind = branch_kind::otherwise;
    for (int i = 0; i < parameter_count; ++i) d.parameters[i] = parameters[i];
    d.parameter_count = parameter_count;
    return d;
  }

  constexpr dispatch_view view() const& {
    return {name, branches, static_cast<int>(N), parameters, parameter_count};
  }
  dispatch_view view() const&& = delete;
};

namespace detail {

constexpr bool declares(const library_parameter* parameters, int count, const expression& e) {
  if (e.kind != expression_kind::parameter) return true;
  for (int i = 0; i < count; ++i)
    if (parameters[i].name == e.name) return true;
  return false;
}
constexpr bool declares_every_parameter(const contract_view& c, const library_parameter* parameters,
                                        int count) {
  bool all = true;
  for (int i = 0; i < c.condition_count + c.guard_count; ++i) {
    const condition& one = i < c.condition_count ? c.conditions[i] : c.guards[i - c.condition_count];
    all = all && declares(parameters, count, one.left) && declares(parameters, count, one.right);
    for (int t = 0; t < one.tuple_width; ++t) all = all && declares(parameters, count, one.tuple[t]);
  }
  for (int a = 0; a < c.argument_count; ++a)
    for (int s = 0; s < c.arguments[a].shape_count; ++s)
      for (int d = 0; d < c.arguments[a].shapes[s].rank; ++d)
        all = all && declares(parameters, count, c.arguments[a].shapes[s].extents[d]) &&
              declares(parameters, count, c.arguments[a].shapes[s].strides[d]);
  return all;
}

}  // namespace detail

// A parameter that nobody declares has no value, ever: a misspelt name.
template <std::size_t N>
constexpr bool declares_every_parameter(const contract<N>& c) {
  return detail::declares_every_parameter(c.view(), nullptr, 0);
}
template <std::size_t N>
constexpr bool declares_every_parameter(const dispatch<N>& d) {
  for (const contract_view& branch : d.branches)
    if (!detail::declares_every_parameter(branch, d.parameters, d.parameter_count)) return false;
  return true;
}

// The contracts must live at namespace scope: the dispatch refers to them.
template <std::size_t... N>
constexpr dispatch<sizeof...(N)> make_dispatch(std::string_view name, const contract<N>&... branches) {
  dispatch<sizeof...(N)> d;
  d.name = name;
  int i = 0;
  (void)i;
  ((d.branches[i++] = branches.view()), ...);
  for (std::size_t b = 1; b < sizeof...(N); ++b) {
    bool same = d.branches[b].argument_count == d.branches[0].argument_count;
    for (int a = 0; same && a < d.branches[0].argument_count; ++a)
      same = d.branches[b].arguments[a].name == d.branches[0].arguments[a].name;
    if (!same) detail::error_branches_of_a_dispatch_must_have_the_same_arguments_in_the_same_order();
  }
  return d;
}

}  // namespace v1
}  // namespace stridelock
