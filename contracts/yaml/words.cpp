#include "contracts/yaml/words.h"

#include <charconv>
#include <limits>

namespace stridelock::yaml {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class words {
 public:
  explicit words(std::string_view text) : rest_(text) { skip(); }

  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }
  bool take(std::string_view mark) {
    if (rest_.substr(0, mark.size()) != mark) return false;
    rest_.remove_prefix(mark.size());
    skip();
    return true;
  }
  std::string_view name() {
    std::size_t n = 0;
    while (n < rest_.size() && (is_letter(rest_[n]) || (n > 0 && (is_digit(rest_[n]) || rest_[n] == '.'))))
      ++n;
    const std::string_view word = rest_.substr(0, n);
    rest_.remove_prefix(n);
    skip();
    return word;
  }
  // A number, with a sign if there is one.
  bool number(index_t& out) {
    const auto [stop, failed] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (failed != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
    skip();
    return true;
  }

 private:
  void skip() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }
  std::string_view rest_;
};

bool fits_32(index_t value) {
  return value >= std::numeric_limits<std::int32_t>::min() &&
         value <= std::numeric_limits<std::int32_t>::max();
}

bool is_number_ahead(std::string_view text) {
  return !text.empty() &&
         (is_digit(text.front()) || (text.size() > 1 && text[0] == '-' && is_digit(text[1])));
}

// One name, with a factor and an addend.
bool parse_term(words& from, expression& out, std::string& error) {
  index_t factor = 1;
  if (is_number_ahead(from.rest())) {
    if (!from.number(factor)) {
      error = "a number does not fit into 64 bits";
      return false;
    }
    if (!from.take("*")) {
      out = expression(factor);
      return true;
    }
  }
  const bool is_parameter = from.take("$");
  const std::string_view name = from.name();
  if (name.empty()) {
    error = "expected a number, a symbol or $parameter at '" + std::string(from.rest()) + "'";
    return false;
  }
  if (name == "any" && !is_parameter) {
    if (factor != 1) {
      error = "any takes no factor";
      return false;
    }
    out = any;
    return true;
  }
  if (!fits_32(factor)) {
    error = "a factor does not fit into 32 bits";
    return false;
  }
  out = is_parameter ? parameter(name) : sym(name);
  out.multiple = static_cast<std::int32_t>(factor);
  return true;
}

bool parse_sum(words& from, expression& out, std::string& error) {
  if (!parse_term(from, out, error)) return false;
  const bool plus = from.take("+");
  if (!plus && !from.take("-")) return true;
  index_t value = 0;
  if (!is_number_ahead(from.rest()) || !from.number(value) || value == std::numeric_limits<index_t>::min()) {
    error = "expected a number at '" + std::string(from.rest()) + "'";
    return false;
  }
  if (out.kind == expression_kind::constant || out.kind == expression_kind::any) {
    error = "a sum needs a symbol or a $parameter first";
    return false;
  }
  out.added = plus ? value : -value;
  return true;
}

bool parse_one(words& from, expression& out, std::string& error) {
  constexpr std::string_view rounding = "round_up";
  if (from.rest().substr(0, rounding.size()) != rounding) return parse_sum(from, out, error);
  words ahead = from;
  if (ahead.name() != rounding || !ahead.take("(")) return parse_sum(from, out, error);
  from = ahead;
  index_t unit = 0;
  if (!parse_sum(from, out, error)) return false;
  if (!from.take(",") || !from.number(unit) || !from.take(")") || unit < 1 || !fits_32(unit)) {
    error = "expected round_up(EXPRESSION, UNIT), with a positive number as unit";
    return false;
  }
  if (out.kind == expression_kind::constant || out.kind == expression_kind::any) {
    error = "round_up needs a symbol or a $parameter";
    return false;
  }
  out.rounded_to = static_cast<std::int32_t>(unit);
  return true;
}

struct comparison_word {
  std::string_view text;
  comparison how;
};
// The longer first.
constexpr comparison_word comparisons[] = {{"<=", comparison::le}, {">=", comparison::ge},
                                           {"==", comparison::eq}, {"!=", comparison::ne},
                                           {"<", comparison::lt},  {">", comparison::gt}};

struct notion_word {
  std::string_view word;
  notion what;
  int numbers;
};
constexpr notion_word notions[] = {
    {"dense", notion::dense, 0},
    {"canonical", notion::canonical, 0},
    {"inner_contiguous", notion::inner_contiguous, 0},
    {"row_pitched", notion::row_pitched, 0},
    {"permutation_dense", notion::permutation_dense, 0},
    {"suffix_dense", notion::suffix_dense, 1},
    {"collapsible", notion::collapsible, 2},
    {"non_overlapping", notion::non_overlapping, 0},
    {"aligned", notion::aligned, 1},
    {"aligned_rows", notion::aligned_rows, 1},
    {"index_bits", notion::index_bits, 1},
    {"stable", notion::stable, 0},
    {"writable", notion::writable, 0},
    {"descriptor_legal", notion::descriptor_legal, 0},
};

constexpr tag tags[] = {tag::raw_bytes,  tag::packed_fp4_pair, tag::packed_int4_pair,
                        tag::scale_e8m0, tag::index,           tag::length};

constexpr device_kind devices[] = {device_kind::cpu,       device_kind::cuda,         device_kind::cuda_host,
                                   device_kind::opencl,    device_kind::vulkan,       device_kind::metal,
                                   device_kind::vpi,       device_kind::rocm,         device_kind::rocm_host,
                                   device_kind::extension, device_kind::cuda_managed, device_kind::oneapi,
                                   device_kind::webgpu,    device_kind::hexagon,      device_kind::maia};

bool small_number(std::string_view text, int& out) {
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
  return failed == std::errc() && stop == text.data() + text.size() && !text.empty();
}

}  // namespace

bool is_name(std::string_view text) {
  words w(text);
  return !text.empty() && w.name() == text;
}

std::optional<expression> parse_expression(std::string_view text, std::string& error) {
  words from(text);
  expression e;
  if (!parse_one(from, e, error)) return std::nullopt;
  if (!from.at_end()) {
    error = "expected the end of the expression at '" + std::string(from.rest()) + "'";
    return std::nullopt;
  }
  return e;
}

std::string text_of(const expression& e) {
  if (e.kind == expression_kind::any) return "any";
  if (!e.is_representable()) return {};
  if (e.kind == expression_kind::constant) return std::to_string(e.added);
  if (!is_name(e.name) || (e.name == "any" && e.kind == expression_kind::symbol)) return {};
  if (e.added == std::numeric_limits<index_t>::min()) return {};
  std::string out;
  if (e.multiple != 1) out += std::to_string(e.multiple) + "*";
  if (e.kind == expression_kind::parameter) out += "$";
  out += e.name;
  if (e.added > 0) out += " + " + std::to_string(e.added);
  if (e.added < 0) out += " - " + std::to_string(-e.added);
  if (e.rounded_to != 1) out = "round_up(" + out + ", " + std::to_string(e.rounded_to) + ")";
  return out;
}

std::optional<condition> parse_comparison(std::string_view text, std::string& error) {
  words from(text);
  condition c;
  const bool in_parentheses = from.take("(");
  if (!parse_one(from, c.left, error)) return std::nullopt;
  if (in_parentheses && !from.take(")")) {
    error = "expected ) at '" + std::string(from.rest()) + "'";
    return std::nullopt;
  }
  if (from.take("%")) {
    if (c.left.is_sum() && !in_parentheses) {
      error = "expected parentheses around a sum in front of %";
      return std::nullopt;
    }
    index_t by = 0;
    if (!from.number(by) || by < 1 || !from.take("==") || !from.take("0") || !from.at_end()) {
      error = "expected EXPRESSION % NUMBER == 0, with a positive number";
      return std::nullopt;
    }
    c.kind = condition_kind::divisible;
    c.right = by;
    return c;
  }
  bool has_operator = false;
  for (const comparison_word& w : comparisons) {
    if (!from.take(w.text)) continue;
    c.how = w.how;
    has_operator = true;
    break;
  }
  if (!has_operator) {
    error = "expected <, <=, >, >=, ==, != or % at '" + std::string(from.rest()) + "'";
    return std::nullopt;
  }
  if (!parse_one(from, c.right, error)) return std::nullopt;
  if (!from.at_end()) {
    error = "expected the end of the condition at '" + std::string(from.rest()) + "'";
    return std::nullopt;
  }
  return c;
}

std::string comparison_text(const condition& c) {
  const std::string left = text_of(c.left), right = text_of(c.right);
  if (left.empty() || right.empty()) return {};
  if (c.kind == condition_kind::divisible)
    return c.right.kind == expression_kind::constant && c.right.added >= 1
               ? (c.left.is_sum() ? "(" + left + ")" : left) + " % " + right + " == 0"
               : std::string();
  for (const comparison_word& w : comparisons)
    if (w.how == c.how) return left + " " + std::string(w.text) + " " + right;
  return {};
}

std::optional<dtype> parse_type(std::string_view text) {
  dtype t;
  std::string_view scalar = text;
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    scalar = text.substr(0, colon);
    for (tag known : tags)
      if (to_string(known) == text.substr(colon + 1)) t.means = known;
    if (t.means == tag::none) return std::nullopt;
  }
  const tag means = t.means;
  int lanes = 1;
  const std::size_t x = scalar.rfind('x');
  if (x != std::string_view::npos && x > 0 && small_number(scalar.substr(x + 1), lanes)) {
    if (lanes < 0 || lanes > 255) return std::nullopt;
    scalar = scalar.substr(0, x);
  }
  constexpr std::string_view raw = "dlpack(";
  if (scalar.substr(0, raw.size()) == raw && scalar.back() == ')') {
    const std::string_view inner = scalar.substr(raw.size(), scalar.size() - raw.size() - 1);
    const std::size_t comma = inner.find(',');
    int code = 0, bits = 0;
    if (comma == std::string_view::npos || !small_number(inner.substr(0, comma), code) ||
        !small_number(inner.substr(inner.find_first_not_of(' ', comma + 1) == std::string_view::npos
                                       ? inner.size()
                                       : inner.find_first_not_of(' ', comma + 1)),
                      bits) ||
        code < 0 || code > 255 || bits < 0 || bits > 255)
      return std::nullopt;
    t.code = static_cast<type_code>(code);
    t.bits = static_cast<std::uint8_t>(bits);
  } else {
    t = type_named(scalar);
    if (t.bits == 0) return std::nullopt;
  }
  t.means = means;
  t.lanes = static_cast<std::uint8_t>(lanes);
  return t;
}

std::string text_of(dtype type) {
  std::string out(name_of(type));
  if (out.empty())
    out = "dlpack(" + std::to_string(static_cast<int>(type.code)) + ", " + std::to_string(type.bits) + ")";
  if (type.lanes != 1) out += "x" + std::to_string(type.lanes);
  if (type.means != tag::none) out += ":" + std::string(to_string(type.means));
  return out;
}

std::optional<requirement> parse_requirement(std::string_view text, std::string& error) {
  words from(text);
  const std::string_view word = from.name();
  for (const notion_word& known : notions) {
    if (word != known.word && !(word == "contiguous" && known.what == notion::dense)) continue;
    index_t numbers[2] = {};
    for (int i = 0; i < known.numbers; ++i) {
      if (!from.number(numbers[i]) || numbers[i] < 0 || !fits_32(numbers[i])) {
        error = "'" + std::string(word) + "' needs " + (known.numbers == 1 ? "a number" : "two numbers");
        return std::nullopt;
      }
    }
    if (!from.at_end()) break;
    const bool is_alignment = known.what == notion::aligned || known.what == notion::aligned_rows;
    const bool is_power_of_two = numbers[0] > 0 && (numbers[0] & (numbers[0] - 1)) == 0;
    if (is_alignment && !is_power_of_two) {
      error = "an alignment is a power of two";
      return std::nullopt;
    }
    if (known.what == notion::collapsible && numbers[1] >= max_rank) {
      error = "at most 8 dimensions";
      return std::nullopt;
    }
    if (known.what == notion::index_bits && (numbers[0] < 1 || numbers[0] > 64)) {
      error = "index_bits is a number from 1 to 64";
      return std::nullopt;
    }
    if (known.what == notion::suffix_dense && numbers[0] > max_rank) {
      error = "at most 8 dimensions";
      return std::nullopt;
    }
    return requirement{
        known.what, static_cast<std::int32_t>(numbers[0]), static_cast<std::int32_t>(numbers[1]), {}};
  }
  std::string list;
  for (const notion_word& known : notions) list += (list.empty() ? "" : ", ") + std::string(known.word);
  error = "'" + std::string(text) + "' is no fact. Known: " + list;
  return std::nullopt;
}

std::string text_of(const requirement& r) {
  for (const notion_word& known : notions) {
    if (known.what != r.what) continue;
    std::string out(known.word);
    if (known.numbers > 0) out += " " + std::to_string(r.detail);
    if (known.numbers > 1) out += " " + std::to_string(r.second);
    return out;
  }
  return {};
}

std::optional<capability> parse_capability(std::string_view text) {
  const std::size_t dot = text.find('.');
  capability c;
  if (dot == std::string_view::npos || !small_number(text.substr(0, dot), c.major) ||
      !small_number(text.substr(dot + 1), c.minor) || c.major < 1 || c.major > 999 || c.minor < 0 ||
      c.minor > 9)
    return std::nullopt;
  return c;
}

std::string text_of(capability c) {
  return std::to_string(c.major) + "." + std::to_string(c.minor);
}

std::optional<device_kind> parse_device(std::string_view text) {
  for (device_kind known : devices)
    if (to_string(known) == text) return known;
  return std::nullopt;
}

std::optional<evidence> parse_evidence(std::string_view text) {
  for (evidence known : {evidence::declared, evidence::checked, evidence::inferred, evidence::unchecked})
    if (to_string(known) == text) return known;
  return std::nullopt;
}

}  // namespace stridelock::yaml
