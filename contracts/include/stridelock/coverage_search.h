// coverage_search.h: the search behind coverage.h, and its result as text. Include coverage.h.
//
// Promises:  constexpr and without allocation, so that the compiler and the library run the same code.
// Does not:  go beyond its capacities silently: a variable or value without a place makes the result `limited`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "stridelock/contract.h"

namespace stridelock {
inline namespace v1 {

enum class coverage_kind : std::uint8_t {
  complete,
  gap,      // no branch claims the witness
  overlap,  // branches `first` and `second` both do
  limited,  // nothing found, but there were more combinations than the limit
};

struct case_value {
  std::string_view name{};  // symbol or parameter
  index_t value = 0;
};

struct coverage_result {
  static constexpr int most_values = 24;

  coverage_kind kind = coverage_kind::complete;
  bool exact = true;  // nothing was left out
  int first = -1;
  int second = -1;
  case_value values[most_values]{};  // the witness
  int value_count = 0;
  static constexpr int most_present = 8;
  std::string_view present[most_present]{};  // optional arguments that are present in it
  int present_count = 0;
  capability device_capability{};  // not known: no condition asks
  std::string_view first_name{};
  std::string_view second_name{};

  constexpr bool complete() const { return kind == coverage_kind::complete; }
};

namespace detail {

enum class case_kind : std::uint8_t { symbol, parameter, presence, capability_index };

// Something that conditions depend on, and the values around which they can change their answers: ascending, once each.
template <int Capacity>
struct case_variable {
  case_kind kind = case_kind::symbol;
  std::string_view name{};
  index_t values[Capacity]{};
  int count = 0;
  int at = 0;

  constexpr index_t value() const { return values[at]; }

  constexpr bool add(index_t value) {
    if (kind == case_kind::symbol && value < 0) return true;  // extents are not negative
    int to = count;
    while (to > 0 && values[to - 1] > value) --to;
    if (to > 0 && values[to - 1] == value) return true;
    if (count == Capacity) return false;
    for (int i = count++; i > to; --i) values[i] = values[i - 1];
    values[to] = value;
    return true;
  }
};

template <int Variables, int Values>
class coverage_search {
 public:
  constexpr explicit coverage_search(const dispatch_view& what) : what_(what) {
    for (int p = 0; p < what.parameter_count; ++p)
      for (int i = 0; i < what.parameters[p].value_count; ++i)
        add(case_kind::parameter, what.parameters[p].name, what.parameters[p].values[i]);
    for (int b = 0; b < what.branch_count; ++b)
      for (int i = 0; i < what.branches[b].condition_count; ++i)
        add_variables(what.branches[b].conditions[i]);
    for (int b = 0; b < what.branch_count; ++b)
      for (int i = 0; i < what.branches[b].condition_count; ++i) add_values(what.branches[b].conditions[i]);
    if (symbols_meet_) share_values();
  }

  // Depth first, smallest values first. What is decided by the variables that have a value already is not tried again
  // for every value of the others.
  constexpr coverage_result run(std::int64_t limit) {
    left_ = limit;
    result_ = coverage_result();
    result_.exact = exact_ && fits_;
    if (visit(0) && !fits_) result_.kind = coverage_kind::limited;
    return result_;
  }

 private:
  using variable = case_variable<Values>;

  constexpr int find(case_kind kind, std::string_view name) const {
    for (int i = 0; i < count_; ++i)
      if (variables_[i].kind == kind && variables_[i].name == name) return i;
    return -1;
  }
  constexpr int find_or_add(case_kind kind, std::string_view name) {
    const int known = find(kind, name);
    if (known >= 0) return known;
    if (count_ == Variables) {
      fits_ = false;
      return -1;
    }
    variables_[count_].kind = kind;
    variables_[count_].name = name;
    return count_++;
  }
  constexpr void add(case_kind kind, std::string_view name, index_t value) {
    const int at = find_or_add(kind, name);
    if (at >= 0 && !variables_[at].add(value)) fits_ = false;
  }

  constexpr void add_variable(const expression& e) {
    if (e.kind == expression_kind::symbol) {
      add(case_kind::symbol, e.name, 0);
      add(case_kind::symbol, e.name, 1);
    }
    if (e.rounded_to != 1) exact_ = false;
  }

  constexpr void add_variables(const condition& c) {
    switch (c.kind) {
      case condition_kind::compare:
        add_variable(c.left);
        add_variable(c.right);
        if (c.left.kind == expression_kind::symbol && c.right.kind == expression_kind::symbol) {
          symbols_meet_ = true;
          exact_ = false;
        }
        return;
      case condition_kind::divisible:
        add_variable(c.left);
        exact_ = false;
        return;
      case condition_kind::present:
      case condition_kind::absent:
        add(case_kind::presence, c.argument_name, 0);
        add(case_kind::presence, c.argument_name, 1);
        return;
      case condition_kind::one_of:
      case condition_kind::none_of:
        for (int i = 0; i < c.tuple_width; ++i) add_variable(c.tuple[i]);
        return;
      case condition_kind::capability_between: {
        // Both ends, and what lies just outside. Capabilities are ordered, so a number stands for one.
        capability below = c.lowest;
        if (below.minor > 0)
          --below.minor;
        else
          below = capability{below.major - 1, 9};
        add_capability(below);
        add_capability(c.lowest);
        add_capability(c.highest);
        add_capability(capability{c.highest.major, c.highest.minor + 1});
        return;
      }
    }
  }
  constexpr void add_capability(capability c) {
    if (c.known()) add(case_kind::capability_index, {}, number_of(c));
  }
  static constexpr index_t number_of(capability c) { return index_t{c.major} * 1000 + c.minor; }
  static constexpr capability capability_of(index_t number) {
    return {static_cast<std::int32_t>(number / 1000), static_cast<std::int32_t>(number % 1000)};
  }

  constexpr void add_around(const expression& e, index_t other) {
    if (e.kind != expression_kind::symbol || e.multiple == 0) return;
    const checked distance = checked(other) - checked(e.added);
    if (!distance.ok) return;
    const index_t middle = distance.value / e.multiple;
    for (index_t step = -1; step <= 1; ++step) {
      const checked near = checked(middle) + checked(step);
      if (near.ok) add(case_kind::symbol, e.name, near.value);
    }
    if (e.rounded_to <= 1) return;
    for (const checked x : {checked(middle) - checked(e.rounded_to), checked(middle) + checked(e.rounded_to)})
      if (x.ok) add(case_kind::symbol, e.name, x.value);
  }
  constexpr void add_against(const expression& e, const expression& other) {
    if (other.kind == expression_kind::constant) add_around(e, other.added);
    if (other.kind != expression_kind::parameter) return;
    const int p = find(case_kind::parameter, other.name);
    for (int i = 0; p >= 0 && i < variables_[p].count; ++i) {
      const checked value = checked(variables_[p].values[i]) * checked(other.multiple) + checked(other.added);
      if (value.ok) add_around(e, value.value);
    }
  }
  constexpr void add_values(const condition& c) {
    switch (c.kind) {
      case condition_kind::compare:
        add_against(c.left, c.right);
        add_against(c.right, c.left);
        return;
      case condition_kind::divisible:
        add_around(c.left, c.right.added);
        return;
      case condition_kind::one_of:
      case condition_kind::none_of:
        for (int row = 0; row < c.tuple_count; ++row)
          for (int i = 0; i < c.tuple_width; ++i) add_around(c.tuple[i], c.tuple_value(row, i));
        return;
      default:
        return;
    }
  }

  // Symbols that are compared with each other are tried at each other's values.
  constexpr void share_values() {
    variable all;
    for (int v = 0; v < count_; ++v)
      for (int i = 0; variables_[v].kind == case_kind::symbol && i < variables_[v].count; ++i)
        fits_ = all.add(variables_[v].values[i]) && fits_;
    for (int v = 0; v < count_; ++v)
      for (int i = 0; variables_[v].kind == case_kind::symbol && i < all.count; ++i)
        fits_ = variables_[v].add(all.values[i]) && fits_;
  }

  // False: stop, the result stands.
  constexpr bool visit(int known) {
    if (left_-- <= 0) {
      result_.kind = coverage_kind::limited;
      result_.exact = false;
      return false;
    }
    int possible = 0, first = -1, second = -1;
    bool has_otherwise = false;
    for (int b = 0; b < what_.branch_count; ++b) {
      if (what_.branches[b].kind == branch_kind::otherwise) {
        has_otherwise = true;
        continue;
      }
      const tri answer = applies(what_.branches[b], known);
      if (answer == tri::no) continue;
      ++possible;
      if (answer == tri::unknown) continue;
      if (first < 0)
        first = b;
      else if (second < 0)
        second = b;
    }
    if (second >= 0) return witness(coverage_kind::overlap, first, second);
    if (possible == 0 && !has_otherwise) return witness(coverage_kind::gap, -1, -1);
    if (possible == 0 || (possible == 1 && (has_otherwise || first >= 0)) || known == count_) return true;
    for (int i = 0; i < variables_[known].count; ++i) {
      variables_[known].at = i;
      if (!visit(known + 1)) return false;
    }
    variables_[known].at = 0;
    return true;
  }

  // A parameter that the dispatch does not declare makes every comparison with it false: it shows as a gap.
  constexpr checked value_of(const expression& e) const {
    if (e.kind == expression_kind::constant) return checked(e.added, e.is_representable());
    const int at = find(e.kind == expression_kind::symbol ? case_kind::symbol : case_kind::parameter, e.name);
    if (at < 0) return checked(0, false);
    const checked result = checked(variables_[at].value()) * checked(e.multiple) + checked(e.added);
    return e.rounded_to != 1 ? round_up(result, e.rounded_to) : result;
  }

  constexpr tri applies(const contract_view& branch, int known) const {
    tri all = tri::yes;
    for (int i = 0; i < branch.condition_count; ++i) {
      if (!is_decided(branch.conditions[i], known))
        all = tri::unknown;
      else if (!holds(branch.conditions[i]))
        return tri::no;
    }
    return all;
  }

  constexpr bool is_decided(const expression& e, int known) const {
    if (e.kind == expression_kind::symbol) return find(case_kind::symbol, e.name) < known;
    if (e.kind == expression_kind::parameter) return find(case_kind::parameter, e.name) < known;
    return true;
  }
  constexpr bool is_decided(const condition& c, int known) const {
    switch (c.kind) {
      case condition_kind::compare:
      case condition_kind::divisible:
        return is_decided(c.left, known) && is_decided(c.right, known);
      case condition_kind::present:
      case condition_kind::absent:
        return find(case_kind::presence, c.argument_name) < known;
      case condition_kind::one_of:
      case condition_kind::none_of:
        for (int i = 0; i < c.tuple_width; ++i)
          if (!is_decided(c.tuple[i], known)) return false;
        return true;
      case condition_kind::capability_between:
        return find(case_kind::capability_index, {}) < known;
    }
    return true;
  }

  constexpr bool holds(const condition& c) const {
    switch (c.kind) {
      case condition_kind::compare: {
        const checked a = value_of(c.left), b = value_of(c.right);
        return a.ok && b.ok && compares(a.value, c.how, b.value);
      }
      case condition_kind::divisible: {
        const checked a = value_of(c.left);
        return a.ok && c.right.added > 0 && a.value % c.right.added == 0;
      }
      case condition_kind::present:
      case condition_kind::absent: {
        const int at = find(case_kind::presence, c.argument_name);
        return at >= 0 && (variables_[at].value() != 0) == (c.kind == condition_kind::present);
      }
      case condition_kind::one_of:
      case condition_kind::none_of: {
        bool found = false;
        for (int row = 0; row < c.tuple_count && !found; ++row) {
          found = true;
          for (int i = 0; i < c.tuple_width; ++i) {
            const checked value = value_of(c.tuple[i]);
            if (!value.ok) return false;
            found = found && value.value == c.tuple_value(row, i);
          }
        }
        return found == (c.kind == condition_kind::one_of);
      }
      case condition_kind::capability_between: {
        const int at = find(case_kind::capability_index, {});
        if (at < 0) return false;
        const index_t now = variables_[at].value();
        return number_of(c.lowest) <= now && now <= number_of(c.highest);
      }
    }
    return false;
  }

  static constexpr bool compares(index_t a, comparison how, index_t b) {
    switch (how) {
      case comparison::lt:
        return a < b;
      case comparison::le:
        return a <= b;
      case comparison::gt:
        return a > b;
      case comparison::ge:
        return a >= b;
      case comparison::eq:
        return a == b;
      case comparison::ne:
        return a != b;
    }
    return false;
  }

  constexpr bool witness(coverage_kind kind, int first, int second) {
    coverage_result& r = result_;
    r.kind = kind;
    r.first = first;
    r.second = second;
    if (first >= 0) r.first_name = what_.branches[first].kernel;
    if (second >= 0) r.second_name = what_.branches[second].kernel;
    for (int i = 0; i < count_; ++i) {
      const variable& v = variables_[i];
      if (v.kind == case_kind::capability_index) {
        r.device_capability = capability_of(v.value());
      } else if (v.kind == case_kind::presence) {
        if (v.value() != 0 && r.present_count < coverage_result::most_present)
          r.present[r.present_count++] = v.name;
      } else if (r.value_count < coverage_result::most_values) {
        r.values[r.value_count++] = {v.name, v.value()};
      }
    }
    return false;
  }

  const dispatch_view& what_;
  variable variables_[Variables]{};
  int count_ = 0;
  bool symbols_meet_ = false;
  bool exact_ = true;
  bool fits_ = true;  // every variable and value has a place
  std::int64_t left_ = 0;
  coverage_result result_{};
};

// "no branch covers T = 65, decode_max_tokens = 64". A sink takes texts and numbers.
template <class Sink>
constexpr void write_coverage(const coverage_result& r, Sink& to) {
  switch (r.kind) {
    case coverage_kind::complete:
      return to.text(r.exact ? "every case is covered once" : "no gap and no overlap found");
    case coverage_kind::limited:
      return to.text("no gap and no overlap found before the limit");
    case coverage_kind::gap:
      to.text("no branch covers");
      break;
    case coverage_kind::overlap:
      to.text("'");
      to.text(r.first_name);
      to.text("' and '");
      to.text(r.second_name);
      to.text("' both cover");
      break;
  }
  bool first = true;
  const auto next = [&] {
    to.text(first ? " " : ", ");
    first = false;
  };
  for (int i = 0; i < r.value_count; ++i) {
    next();
    to.text(r.values[i].name);
    to.text(" = ");
    to.number(r.values[i].value);
  }
  for (int i = 0; i < r.present_count; ++i) {
    next();
    to.text("'");
    to.text(r.present[i]);
    to.text("' present");
  }
  if (r.device_capability.known()) {
    next();
    to.text("capability ");
    to.number(r.device_capability.major);
    to.text(".");
    to.number(r.device_capability.minor);
  }
  if (first) to.text(" every call");
}

// A text that the compiler builds and can show in an error.
struct static_text {
  static constexpr int capacity = 120;
  char characters[capacity + 1]{};

  constexpr void text(std::string_view more) {
    int at = length();
    for (std::size_t i = 0; i < more.size() && at < capacity; ++i) characters[at++] = more[i];
  }
  constexpr void number(index_t value) {
    char digits[20]{};
    int count = 0;
    if (value < 0) text("-");
    do {
      const index_t digit = value % 10;
      digits[count++] = static_cast<char>('0' + (digit < 0 ? -digit : digit));
      value /= 10;
    } while (value != 0);
    while (count > 0) text(std::string_view(&digits[--count], 1));
  }
  constexpr int length() const {
    int n = 0;
    while (characters[n] != 0) ++n;
    return n;
  }
};

inline constexpr std::int64_t compile_time_cases = 4000;

constexpr coverage_result compile_time_coverage(const dispatch_view& what) {
  return coverage_search<12, 64>(what).run(compile_time_cases);
}
constexpr static_text compile_time_text(const coverage_result& r) {
  static_text out;
  write_coverage(r, out);
  return out;
}

// The fault is in the argument of the template, which the compiler prints: as text since C++20, before that letter by letter.
#if defined(__cpp_nontype_template_args) && __cpp_nontype_template_args >= 201911L
template <static_text Fault>
constexpr bool dispatch_fault() {
  static_assert(Fault.characters[0] == 0,
                "a dispatch must cover every case exactly once; the first case that breaks it is named "
                "beside this error");
  return Fault.characters[0] == 0;
}
template <const auto& Dispatch>
constexpr bool covers() {
  constexpr coverage_result r = compile_time_coverage(Dispatch.view());
  if constexpr (!r.complete()) return dispatch_fault<compile_time_text(r)>();
  return true;
}
#else
template <char... Fault>
constexpr bool dispatch_fault() {
  static_assert(sizeof...(Fault) == 0,
                "a dispatch must cover every case exactly once; the first case that breaks it is named "
                "beside this error");
  return sizeof...(Fault) == 0;
}
template <const auto& Dispatch>
struct fault_of {
  static constexpr coverage_result result = compile_time_coverage(Dispatch.view());
  static constexpr static_text text = compile_time_text(result);
};
template <const auto& Dispatch, std::size_t... I>
constexpr bool spell_fault(std::index_sequence<I...>) {
  return dispatch_fault<fault_of<Dispatch>::text.characters[I]...>();
}
template <const auto& Dispatch>
constexpr bool covers() {
  using fault = fault_of<Dispatch>;
  if constexpr (!fault::result.complete())
    return spell_fault<Dispatch>(std::make_index_sequence<static_cast<std::size_t>(fault::text.length())>());
  return true;
}
#endif

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
