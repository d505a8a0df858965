// Names, expressions and conditions, with their values in this call.
#include "message_writer.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

const contract_view* message_writer::branch() const {
  if (data_.branch >= 0) return &data_.branches[static_cast<std::size_t>(data_.branch)];
  return data_.branches.empty() ? nullptr : data_.branches.data();
}

const argument& message_writer::declaration(int i) const {
  const contract_view* b = branch();
  if (b->argument_count == 0) b = data_.branches.data();
  return b->arguments[i];
}

std::string message_writer::argument_name(int i) const {
  return std::string(declaration(i).name);
}

// x.shape[0]
std::string message_writer::path(const symbol_value& s) const {
  return argument_name(s.argument) + (s.by_stride ? ".stride[" : ".shape[") + number(s.dim) + "]";
}

expression_value message_writer::value(const expression& e) const {
  return value_of(e, data_.symbols.data(), data_.symbol_count, data_.parameters, data_.parameter_values);
}

// 64*W+1, rounded up: ceil(W, 128)
std::string message_writer::formula(const expression& e) {
  if (e.kind == expression_kind::any) return "any";
  if (!e.is_representable()) return "(an expression whose numbers do not fit)";
  if (e.kind == expression_kind::constant) return number(e.added);
  std::string out(e.name);
  if (e.multiple != 1) out = number(e.multiple) + "*" + out;
  if (e.added > 0) out += "+" + number(e.added);
  if (e.added < 0) out += number(e.added);
  if (e.rounded_to != 1) out = "ceil(" + out + ", " + number(e.rounded_to) + ")";
  return out;
}

// T = 66; a constant is just its number, an unbound symbol just its name
std::string message_writer::formula_and_value(const expression& e) const {
  const std::string name = formula(e);
  if (e.kind == expression_kind::constant || e.kind == expression_kind::any) return name;
  const expression_value v = value(e);
  if (!v.known) return name;
  return name + " = " + (v.fits ? number(v.value) : "beyond 64 bits") + parameter_source(e);
}

std::string message_writer::parameter_source(const expression& e) const {
  if (e.kind != expression_kind::parameter) return {};
  for (const library_parameter& p : data_.parameters) {
    if (p.name != e.name) continue;
    std::string out(p.library);
    if (!p.version.empty()) out += (out.empty() ? "" : " ") + std::string(p.version);
    if (!p.where.empty()) out += (out.empty() ? "" : ", ") + std::string(p.where);
    return out.empty() ? out : " (" + out + ")";
  }
  return {};
}

std::string_view message_writer::sign(comparison how) {
  switch (how) {
    case comparison::lt:
      return " < ";
    case comparison::le:
      return " <= ";
    case comparison::gt:
      return " > ";
    case comparison::ge:
      return " >= ";
    case comparison::eq:
      return " == ";
    case comparison::ne:
      return " != ";
  }
  return " ? ";
}

std::string message_writer::text_of_capability(capability c) {
  return number(c.major) + "." + number(c.minor);
}

// With values: "T = 66 > decode_max_tokens = 64"; without: "T > 64".
std::string message_writer::condition_text(const condition& c, bool with_values) const {
  const auto side = [&](const expression& e) {
    if (with_values) return formula_and_value(e);
    const expression_value v = value(e);
    return e.kind == expression_kind::parameter && v.known && v.fits ? number(v.value) : formula(e);
  };
  switch (c.kind) {
    case condition_kind::compare:
      return side(c.left) + std::string(sign(c.how)) + side(c.right);
    case condition_kind::divisible:
      if (!with_values && c.left.is_sum())
        return "(" + side(c.left) + ") % " + number(c.right.added) + " == 0";
      return side(c.left) + (with_values ? " divisible by " : " % ") + number(c.right.added) +
             (with_values ? "" : " == 0");
    case condition_kind::present:
      return quoted(c.argument_name) + " is present";
    case condition_kind::absent:
      return quoted(c.argument_name) + " is absent";
    case condition_kind::one_of:
    case condition_kind::none_of: {
      std::string names = "(", values = "(";
      for (int i = 0; i < c.tuple_width; ++i) {
        const expression_value v = value(c.tuple[i]);
        names += (i > 0 ? ", " : "") + formula(c.tuple[i]);
        values += (i > 0 ? ", " : "") + (v.known && v.fits ? number(v.value) : std::string("?"));
      }
      std::string out = names + ")";
      if (with_values) out += " = " + values + ")";
      out += c.kind == condition_kind::one_of ? " in {" : " not in {";
      constexpr int shown = 4;
      for (int row = 0; row < c.tuple_count && row < shown; ++row) {
        out += row > 0 ? ", " : "";
        out += tuple(c.tuple_width, [&](int i) { return c.tuples[row * c.tuple_width + i]; });
      }
      if (c.tuple_count > shown) out += ", and " + number(c.tuple_count - shown) + " more";
      return out + "}";
    }
    case condition_kind::capability_between: {
      std::string out = "capability";
      if (with_values && data_.device_capability.known())
        out += " = " + text_of_capability(data_.device_capability);
      if (c.lowest == c.highest) {
        return with_values ? out + " is " + text_of_capability(c.lowest)
                           : out + " " + text_of_capability(c.lowest);
      }
      return out + " in [" + text_of_capability(c.lowest) + ", " + text_of_capability(c.highest) + "]";
    }
  }
  return {};
}

std::string message_writer::conditions_text(const contract_view& b, bool with_values) const {
  std::string out;
  for (int i = 0; i < b.condition_count; ++i)
    out += (i > 0 ? " and " : "") + condition_text(b.conditions[i], with_values);
  return out;
}

// The values of the symbols and parameters in a condition: "K = 24, W = 200".
std::string message_writer::known_values(const condition& c) const {
  std::string out;
  const auto tell = [&](expression e) {
    if (e.kind != expression_kind::symbol && e.kind != expression_kind::parameter) return;
    e.multiple = e.rounded_to = 1;
    e.added = 0;
    out += (out.empty() ? "" : ", ") + formula_and_value(e);
  };
  tell(c.left);
  tell(c.right);
  for (int i = 0; i < c.tuple_width; ++i) tell(c.tuple[i]);
  return out;
}

std::string message_writer::types_text(const argument& a) const {
  std::string out;
  for (int i = 0; i < a.type_count; ++i) out += (i > 0 ? " or " : "") + text_of(a.types[i]);
  return out;
}

std::string message_writer::symbols_text() const {
  std::string out;
  for (int i = 0; i < data_.symbol_count; ++i) {
    const symbol_value& s = data_.symbols[static_cast<std::size_t>(i)];
    if (!out.empty()) out += ", ";
    out += std::string(s.name);
    out += s.bound ? " = " + number(s.value) + " (" + path(s) + ")" : " unbound";
  }
  return out.empty() ? "no symbols" : out;
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
