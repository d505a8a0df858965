#include "plan_expression.h"

#include <algorithm>
#include <charconv>

namespace stridelock {
inline namespace v1 {
namespace detail {
namespace {

constexpr std::size_t stack_size = 32;
constexpr std::size_t most_steps = 256;
constexpr int most_nesting = 16;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

class plan_expression_parser {
  using operation = plan_expression::operation;

 public:
  plan_expression_parser(std::string_view rest, std::string_view whole, const plan_names& names)
      : rest_(rest), whole_(whole), names_(names) {
    skip();
  }

  plan_expression run(std::string_view& rest) {
    const char* begin = rest_.data();
    comparison();
    result_.text_ = std::string(begin, static_cast<std::size_t>(rest_.data() - begin));
    while (!result_.text_.empty() && result_.text_.back() == ' ') result_.text_.pop_back();
    rest = rest_;
    return std::move(result_);
  }

  [[noreturn]] void fail(const std::string& message) const { throw plan_error{message, std::string(whole_)}; }

 private:
  void skip() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }
  bool take(std::string_view mark) {
    if (rest_.substr(0, mark.size()) != mark) return false;
    rest_.remove_prefix(mark.size());
    skip();
    return true;
  }
  void need(std::string_view mark) {
    if (!take(mark))
      fail("expected '" + std::string(mark) + "' at '" + std::string(rest_.substr(0, 40)) + "'");
  }
  void emit(operation what, index_t number = 0, int pops = 2) {
    depth_ += 1 - (what == operation::number || what == operation::slot ? 0 : pops);
    if (depth_ > stack_size || result_.code_.size() == most_steps) fail("expected a shorter expression");
    result_.code_.push_back({what, number, 0});
  }

  void comparison() {
    sum();
    constexpr std::pair<std::string_view, operation> words[] = {
        {"<=", operation::less_equal}, {">=", operation::greater_equal}, {"==", operation::equal},
        {"!=", operation::not_equal},  {"<", operation::less},           {">", operation::greater}};
    for (const auto& [word, what] : words) {
      if (!take(word)) continue;
      sum();
      emit(what);
      return;
    }
  }
  void sum() {
    product();
    while (true) {
      if (take("+")) {
        product();
        emit(operation::add);
      } else if (take("-")) {
        product();
        emit(operation::subtract);
      } else {
        return;
      }
    }
  }
  void product() {
    primary();
    while (true) {
      const operation what = take("*")   ? operation::multiply
                             : take("/") ? operation::divide
                             : take("%") ? operation::remainder
                                         : operation::number;
      if (what == operation::number) return;
      primary();
      emit(what);
    }
  }
  void primary() {
    if (++nesting_ > most_nesting) fail("expected at most 16 levels of brackets");
    if (take("(")) {
      comparison();
      need(")");
    } else if (!rest_.empty() && (is_digit(rest_.front()) || rest_.front() == '-')) {
      index_t value = 0;
      const auto [stop, failed] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (failed != std::errc())
        fail("expected a number of 64 bits at '" + std::string(rest_.substr(0, 40)) + "'");
      rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
      skip();
      emit(operation::number, value);
    } else {
      named();
    }
    --nesting_;
  }
  std::string_view word() {
    std::size_t n = 0;
    while (n < rest_.size() && (is_letter(rest_[n]) || (n > 0 && is_digit(rest_[n])))) ++n;
    const std::string_view w = rest_.substr(0, n);
    rest_.remove_prefix(n);
    skip();
    return w;
  }
  void named() {
    const std::string_view name = word();
    if (name.empty())
      fail("expected a number, a variable or a function at '" + std::string(rest_.substr(0, 40)) + "'");
    if (take("(")) return function(name);
    if (!names_.has_capability && name == names_.slots.front())
      fail("expected `capabilities` in the plan: 'capability' has no value without");
    for (std::size_t i = 0; i < names_.slots.size(); ++i)
      if (names_.slots[i] == name) return emit(operation::slot, static_cast<index_t>(i));
    std::string known;
    for (const std::string& s : names_.slots) known += (known.empty() ? "" : ", ") + s;
    fail("unknown variable '" + std::string(name) + "'. Known here: " + known);
  }
  void function(std::string_view name) {
    constexpr std::pair<std::string_view, operation> two[] = {{"min", operation::min},
                                                              {"max", operation::max},
                                                              {"ceil_div", operation::ceil_div},
                                                              {"round_up", operation::round_up}};
    comparison();
    if (name == "pow2") {
      need(")");
      return emit(operation::pow2, 0, 1);
    }
    for (const auto& [known, what] : two) {
      if (name != known) continue;
      need(",");
      comparison();
      need(")");
      return emit(what);
    }
    if (name != "next_in")
      fail("unknown function '" + std::string(name) +
           "'. Known: min, max, ceil_div, round_up, pow2, next_in");
    need(",");
    const std::string_view table = word();
    const bool has_unit = take(",");
    if (has_unit) comparison();
    need(")");
    names_.sorted.resize(names_.tables->size());
    for (std::size_t i = 0; i < names_.tables->size(); ++i) {
      if ((*names_.tables)[i].name != table) continue;
      emit(has_unit ? operation::next_in_unit : operation::next_in, 0, has_unit ? 2 : 1);
      if (names_.sorted[i] == nullptr) {
        std::vector<index_t> sorted = (*names_.tables)[i].values;
        std::sort(sorted.begin(), sorted.end());
        names_.sorted[i] = std::make_shared<const std::vector<index_t>>(std::move(sorted));
      }
      result_.tables_.push_back(names_.sorted[i]);
      result_.code_.back().table = result_.tables_.size() - 1;
      return;
    }
    fail("unknown table '" + std::string(table) + "'");
  }

  std::string_view rest_;
  std::string_view whole_;
  const plan_names& names_;
  plan_expression result_;
  std::size_t depth_ = 0;
  int nesting_ = 0;
};

plan_expression plan_expression::compile_prefix(std::string_view& rest, std::string_view whole,
                                                const plan_names& names) {
  return plan_expression_parser(rest, whole, names).run(rest);
}

plan_expression plan_expression::compile(std::string_view text, const plan_names& names) {
  std::string_view rest = text;
  plan_expression e = compile_prefix(rest, text, names);
  if (!rest.empty())
    throw plan_error{"expected the end of the expression at '" + std::string(rest.substr(0, 40)) + "'",
                     std::string(text)};
  return e;
}

plan_expression plan_expression::compile_condition(std::string_view text, const plan_names& names) {
  plan_expression e = compile(text, names);
  const operation last = e.code_.back().what;
  const bool is_comparison = last >= operation::less && last <= operation::not_equal;
  if (!is_comparison)
    throw plan_error{"expected a comparison, such as rows <= 64, found '" + e.text_ + "'", std::string(text)};
  return e;
}

const char* plan_expression::run(const index_t* slots, index_t& out) const {
  index_t stack[stack_size];
  std::size_t top = 0;
  const auto push = [&](checked v) {
    stack[top++] = v.value;
    return v.ok;
  };
  for (const step& s : code_) {
    if (s.what == operation::number) {
      stack[top++] = s.number;
      continue;
    }
    if (s.what == operation::slot) {
      stack[top++] = slots[s.number];
      continue;
    }
    const index_t b = stack[--top];
    if (s.what == operation::pow2) {
      index_t v = 1;
      while (v < b && v <= checked::highest / 2) v *= 2;
      if (v < b) return "does not fit into 64 bits";
      stack[top++] = v;
      continue;
    }
    if (s.what == operation::next_in) {
      const std::vector<index_t>& table = *tables_[s.table];
      const auto at = std::lower_bound(table.begin(), table.end(), b);
      if (at == table.end()) return "nothing in the table is large enough";
      stack[top++] = *at;
      continue;
    }
    const index_t a = stack[--top];
    bool fits = true;
    switch (s.what) {
      case operation::add:
        fits = push(checked(a) + checked(b));
        break;
      case operation::subtract:
        fits = push(checked(a) - checked(b));
        break;
      case operation::multiply:
        fits = push(checked(a) * checked(b));
        break;
      case operation::divide:
      case operation::ceil_div:
      case operation::remainder:
        if (a < 0 || b <= 0) return "divides by zero, or a negative number";
        stack[top++] = s.what == operation::remainder ? a % b
                       : s.what == operation::divide  ? a / b
                                                      : a / b + (a % b != 0 ? 1 : 0);
        break;
      case operation::round_up:
        if (a < 0 || b <= 0) return "rounds a negative number, or to a unit below 1";
        fits = push(stridelock::round_up(checked(a), b));
        break;
      case operation::min:
        stack[top++] = std::min(a, b);
        break;
      case operation::max:
        stack[top++] = std::max(a, b);
        break;
      case operation::next_in_unit: {
        if (b <= 0) return "rounds to a unit below 1";
        const std::vector<index_t>& table = *tables_[s.table];
        const auto at = std::partition_point(table.begin(), table.end(), [&](index_t member) {
          const checked rounded = stridelock::round_up(checked(member), b);
          return rounded.ok && rounded.value < a;
        });
        if (at == table.end()) return "nothing in the table is large enough";
        fits = push(stridelock::round_up(checked(*at), b));
        break;
      }
      case operation::less:
        stack[top++] = a < b;
        break;
      case operation::less_equal:
        stack[top++] = a <= b;
        break;
      case operation::greater:
        stack[top++] = a > b;
        break;
      case operation::greater_equal:
        stack[top++] = a >= b;
        break;
      case operation::equal:
        stack[top++] = a == b;
        break;
      case operation::not_equal:
        stack[top++] = a != b;
        break;
      case operation::number:
      case operation::slot:
      case operation::pow2:
      case operation::next_in:
        break;
    }
    if (!fits) return "does not fit into 64 bits";
  }
  out = stack[0];
  return nullptr;
}

std::string plan_expression::reason(const index_t* slots) const {
  index_t unused = 0;
  const char* why = run(slots, unused);
  return why == nullptr ? std::string() : "'" + text_ + "' " + why;
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
