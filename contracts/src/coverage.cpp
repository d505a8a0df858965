#include "stridelock/coverage.h"

#include <algorithm>
#include <exception>
#include <vector>

#include "text.h"

namespace stridelock {
inline namespace v1 {
namespace {

enum class variable_kind : std::uint8_t { symbol, parameter, presence, capability_index };

// Something the conditions depend on, and the values around which they can change their answers, ascending.
struct variable {
  variable_kind kind = variable_kind::symbol;
  std::string_view name;
  std::vector<index_t> values;
  std::size_t at = 0;

  index_t value() const { return values[at]; }
};

class search {
 public:
  explicit search(const dispatch_view& what) : what_(what) {
    for (int p = 0; p < what.parameter_count; ++p) {
      const library_parameter& declared_parameter = what.parameters[p];
      variable& v = find(variable_kind::parameter, declared_parameter.name);
      v.values.assign(declared_parameter.values, declared_parameter.values + declared_parameter.value_count);
    }
    for_each_condition([&](const condition& c) { add_variables(c); });
    for_each_condition([&](const condition& c) { add_values(c); });
    if (symbols_meet_) share_values();
    for (variable& v : variables_) {
      if (v.kind == variable_kind::symbol) {
        v.values.insert(v.values.end(), {0, 1});
        v.values.erase(std::remove_if(v.values.begin(), v.values.end(), [](index_t x) { return x < 0; }),
                       v.values.end());
      }
      if (v.kind == variable_kind::presence) v.values = {0, 1};
      if (v.kind == variable_kind::capability_index) {
        std::sort(capabilities_.begin(), capabilities_.end());
        capabilities_.erase(std::unique(capabilities_.begin(), capabilities_.end()), capabilities_.end());
        for (std::size_t i = 0; i < capabilities_.size(); ++i) v.values.push_back(static_cast<index_t>(i));
      }
      std::sort(v.values.begin(), v.values.end());
      v.values.erase(std::unique(v.values.begin(), v.values.end()), v.values.end());
    }
  }

  coverage_result run(std::int64_t limit) {
    coverage_result r;
    r.exact = exact_;
    while (limit-- > 0) {
      int claimed = -1, otherwise = -1;
      for (int b = 0; b < what_.branch_count; ++b) {
        const contract_view& branch = what_.branches[b];
        if (branch.kind == branch_kind::otherwise) {
          otherwise = b;
          continue;
        }
        if (!applies(branch)) continue;
        if (claimed >= 0) return witness(r, coverage_kind::overlap, claimed, b);
        claimed = b;
      }
      if (claimed < 0 && otherwise < 0) return witness(r, coverage_kind::gap, -1, -1);
      if (!next()) return r;
    }
    r.kind = coverage_kind::limited;
    r.exact = false;
    return r;
  }

 private:
  template <class Visit>
  void for_each_condition(Visit visit) const {
    for (int b = 0; b < what_.branch_count; ++b)
      for (int i = 0; i < what_.branches[b].condition_count; ++i) visit(what_.branches[b].conditions[i]);
  }

  variable& find(variable_kind kind, std::string_view name) {
    for (variable& v : variables_)
      if (v.kind == kind && v.name == name) return v;
    variables_.push_back({kind, name, {}, 0});
    return variables_.back();
  }
  const variable* known(variable_kind kind, std::string_view name) const {
    for (const variable& v : variables_)
      if (v.kind == kind && v.name == name) return &v;
    return nullptr;
  }

  void add_variables(const condition& c) {
    const auto add = [&](const expression& e) {
      if (e.kind == expression_kind::symbol) find(variable_kind::symbol, e.name);
      if (e.rounded_to != 1) exact_ = false;
    };
    switch (c.kind) {
      case condition_kind::compare:
        add(c.left);
        add(c.right);
        if (c.left.kind == expression_kind::symbol && c.right.kind == expression_kind::symbol) {
          symbols_meet_ = true;
          exact_ = false;
        }
        return;
      case condition_kind::divisible:
        add(c.left);
        exact_ = false;
        return;
      case condition_kind::present:
      case condition_kind::absent:
        find(variable_kind::presence, c.argument_name);
        return;
      case condition_kind::one_of:
      case condition_kind::none_of:
        for (int i = 0; i < c.tuple_width; ++i) add(c.tuple[i]);
        return;
      case condition_kind::capability_between: {
        find(variable_kind::capability_index, {});
        const auto below = [](capability x) {
          return x.minor > 0 ? capability{x.major, x.minor - 1} : capability{x.major - 1, 9};
        };
        const auto above = [](capability x) { return capability{x.major, x.minor + 1}; };
        for (const capability x : {below(c.lowest), c.lowest, c.highest, above(c.highest)})
          if (x.known()) capabilities_.push_back(x);
        return;
      }
    }
  }

  void add_around(const expression& e, index_t other) {
    if (e.kind != expression_kind::symbol || e.multiple == 0) return;
    variable& v = find(variable_kind::symbol, e.name);
    const checked distance = checked(other) - checked(e.added);
    if (!distance.ok) return;
    const index_t middle = distance.value / e.multiple;
    for (index_t x = middle - 1; x <= middle + 1; ++x) v.values.push_back(x);
    if (e.rounded_to > 1) v.values.insert(v.values.end(), {middle - e.rounded_to, middle + e.rounded_to});
  }

  void add_values(const condition& c) {
    const auto against = [&](const expression& e, const expression& other) {
      if (other.kind == expression_kind::constant) add_around(e, other.added);
      if (other.kind == expression_kind::parameter) {
        const variable* p = known(variable_kind::parameter, other.name);
        for (std::size_t i = 0; p != nullptr && i < p->values.size(); ++i)
          add_around(e, p->values[i] * other.multiple + other.added);
      }
    };
    switch (c.kind) {
      case condition_kind::compare:
        against(c.left, c.right);
        against(c.right, c.left);
        return;
      case condition_kind::divisible:
        add_around(c.left, c.right.added);
        return;
      case condition_kind::one_of:
      case condition_kind::none_of:
        for (int row = 0; row < c.tuple_count; ++row)
          for (int i = 0; i < c.tuple_width; ++i) add_around(c.tuple[i], c.tuples[row * c.tuple_width + i]);
        return;
      default:
        return;
    }
  }

  void share_values() {
    std::vector<index_t> all;
    for (const variable& v : variables_)
      if (v.kind == variable_kind::symbol) all.insert(all.end(), v.values.begin(), v.values.end());
    for (variable& v : variables_)
      if (v.kind == variable_kind::symbol) v.values = all;
  }

  bool next() {
    for (std::size_t i = variables_.size(); i-- > 0;) {
      if (++variables_[i].at < variables_[i].values.size()) return true;
      variables_[i].at = 0;
    }
    return false;
  }

  // A parameter that the dispatch does not declare makes every comparison with it false: it shows as a gap.
  bool value_of(const expression& e, index_t& out) const {
    if (e.kind == expression_kind::constant) {
      out = e.added;
      return true;
    }
    const variable* v =
        known(e.kind == expression_kind::symbol ? variable_kind::symbol : variable_kind::parameter, e.name);
    if (v == nullptr || v->values.empty()) return false;
    checked result = checked(v->value()) * checked(e.multiple) + checked(e.added);
    if (e.rounded_to != 1) result = round_up(result, e.rounded_to);
    out = result.value;
    return result.ok;
  }

  bool applies(const contract_view& branch) const {
    for (int i = 0; i < branch.condition_count; ++i)
      if (!holds(branch.conditions[i])) return false;
    return true;
  }

  bool holds(const condition& c) const {
    index_t a = 0, b = 0;
    switch (c.kind) {
      case condition_kind::compare:
        if (!value_of(c.left, a) || !value_of(c.right, b)) return false;
        switch (c.how) {
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
      case condition_kind::divisible:
        return value_of(c.left, a) && c.right.added > 0 && a % c.right.added == 0;
      case condition_kind::present:
      case condition_kind::absent:
        return (known(variable_kind::presence, c.argument_name)->value() != 0) ==
               (c.kind == condition_kind::present);
      case condition_kind::one_of:
      case condition_kind::none_of: {
        index_t wanted[3] = {};
        for (int i = 0; i < c.tuple_width; ++i)
          if (!value_of(c.tuple[i], wanted[i])) return false;
        bool found = false;
        for (int row = 0; row < c.tuple_count && !found; ++row)
          found = std::equal(wanted, wanted + c.tuple_width, c.tuples + row * c.tuple_width);
        return found == (c.kind == condition_kind::one_of);
      }
      case condition_kind::capability_between: {
        const capability now =
            capabilities_[static_cast<std::size_t>(known(variable_kind::capability_index, {})->value())];
        return !(now < c.lowest) && !(c.highest < now);
      }
    }
    return false;
  }

  coverage_result witness(coverage_result r, coverage_kind kind, int first, int second) const {
    r.kind = kind;
    r.first = first;
    r.second = second;
    if (first >= 0) r.first_name = what_.branches[first].kernel;
    if (second >= 0) r.second_name = what_.branches[second].kernel;
    for (const variable& v : variables_) {
      if (v.values.empty()) continue;
      if (v.kind == variable_kind::capability_index) {
        r.device_capability = capabilities_[static_cast<std::size_t>(v.value())];
      } else if (v.kind == variable_kind::presence) {
        if (v.value() != 0 && r.present_count < 8) r.present[r.present_count++] = v.name;
      } else if (r.value_count < coverage_result::most_values) {
        r.values[r.value_count++] = {v.name, v.value()};
      }
    }
    return r;
  }

  const dispatch_view& what_;
  std::vector<variable> variables_;
  std::vector<capability> capabilities_;
  bool symbols_meet_ = false;
  bool exact_ = true;
};

std::string text_of(const coverage_result& r) {
  using detail::number;
  std::string out;
  switch (r.kind) {
    case coverage_kind::complete:
      return r.exact ? "every case is covered once" : "no gap and no overlap found";
    case coverage_kind::limited:
      return "no gap and no overlap found before the limit";
    case coverage_kind::gap:
      out = "no branch covers";
      break;
    case coverage_kind::overlap:
      out = detail::quoted(r.first_name) + " and " + detail::quoted(r.second_name) + " both cover";
      break;
  }
  std::string separator = " ";
  for (int i = 0; i < r.value_count; ++i) {
    out += separator + std::string(r.values[i].name) + " = " + number(r.values[i].value);
    separator = ", ";
  }
  for (int i = 0; i < r.present_count; ++i) {
    out += separator + detail::quoted(r.present[i]) + " present";
    separator = ", ";
  }
  if (r.device_capability.known()) {
    out += separator + "capability " + number(r.device_capability.major) + "." +
           number(r.device_capability.minor);
    separator = ", ";
  }
  return separator == " " ? out + " every call" : out;
}

}  // namespace

coverage_result find_coverage_fault(const dispatch_view& what, std::int64_t limit) {
  return search(what).run(limit);
}

std::size_t write_text(const coverage_result& r, char* to, std::size_t capacity) noexcept {
  try {
    return detail::copy_out(text_of(r), to, capacity);
  } catch (const std::exception&) {
    if (to != nullptr && capacity > 0) to[0] = '\0';
    return 0;
  }
}

}  // namespace v1
}  // namespace stridelock
