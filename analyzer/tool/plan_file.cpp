#include "analyzer/tool/plan_file.h"

#include <charconv>

#include "analyzer/tool/failure.h"
#include "contracts/yaml/fields.h"
#include "contracts/yaml/words.h"

namespace stridelock::tool {
namespace {

using yaml::fields;
using yaml::node;
using yaml::value;

constexpr std::size_t most_table_values = 1'000'000;  // of all tables and parameters together
constexpr index_t lowest = checked::lowest, highest = checked::highest;

class reader {
 public:
  reader(plan_file& to, const std::string& file) : to_(to), plan_(to.plan), file_(file) {}

  void read(const node& root) {
    const fields top({file_, root}, "a plan: schema, contracts, variables, buffers and calls",
                     {"schema", "library", "contracts", "capabilities", "tables", "variables", "only",
                      "buffers", "views", "parameters", "calls"});
    if (!top.has("schema")) top.self().refuse("expected schema: 1");
    if (top.at("schema").raw().text != "1") top.at("schema").refuse("expected schema: 1");
    if (top.has("library")) {
      const fields library(top.at("library"), "{name: …, version: …}", {"name", "version"});
      plan_.library = noted(library.at("name"), "the name of a library");
      if (library.has("version")) plan_.version = noted(library.at("version"), "a version");
    }
    for (const value& file : one_or_more(top.at("contracts")))
      to_.contracts.push_back(noted(file, "the name of a contract file"));
    if (top.has("capabilities"))
      for (const value& c : one_or_more(top.at("capabilities"))) {
        const auto parsed = yaml::parse_capability(c.text("a compute capability, such as 12.0"));
        if (!parsed) c.expected("a compute capability, such as 12.0");
        plan_.capabilities.push_back(*parsed);
      }
    if (top.has("tables"))
      each(top.at("tables"), "a map of names to lists of numbers",
           [&](const std::string& name, const value& v) {
             plan_.tables.push_back({name, {}});
             for (const value& item : v.list("a list of numbers"))
               add_numbers(item, plan_.tables.back().values);
           });
    each(top.at("variables"), "a map of names to values", [&](const std::string& name, const value& v) {
      plan_variable out;
      out.name = name;
      for (const value& item : one_or_more(v))
        out.values.push_back(noted(item, "a number, a range or an expression"));
      plan_.variables.push_back(std::move(out));
    });
    if (top.has("only"))
      for (const value& v : one_or_more(top.at("only"))) plan_.only.push_back(noted(v, "a comparison"));
    each(top.at("buffers"), "a map of names to {type: …, extents: […]}",
         [&](const std::string& name, const value& v) { buffer(name, v); });
    if (top.has("views"))
      each(top.at("views"), "a map of names to cuts", [&](const std::string& name, const value& v) {
        const plan_choice c = choice(v, false);
        plan_.views.push_back({name, c.cut, c.at});
      });
    if (top.has("parameters"))
      each(top.at("parameters"), "a map of names to lists of numbers",
           [&](const std::string& name, const value& v) {
             plan_.parameters.push_back({name, {}});
             for (const value& item : one_or_more(v)) add_numbers(item, plan_.parameters.back().values);
           });
    for (const value& v : top.at("calls").list("a list of {name: …, dispatch: …, over: …, arguments: …}"))
      call(v);
  }

 private:
  std::string noted(const value& v, const std::string& what) {
    const std::string& text = v.text(what);
    to_.places.push_back({text, v.raw().line, v.raw().column});
    return text;
  }

  static std::vector<value> one_or_more(const value& v) {
    return v.is_list() ? v.list("") : std::vector<value>{v};
  }

  template <class Visit>
  void each(const value& v, const std::string& what, Visit visit) {
    if (!v.is_map()) v.expected(what);
    for (const auto& [key, item] : v.raw().entries) {
      if (!yaml::is_name(key.text) || key.text.find('.') != std::string::npos)
        yaml::fail(file_, key, "expected a name of letters, digits and '_', found '" + key.text + "'");
      to_.places.push_back({key.text, key.line, key.column});
      visit(key.text, value(file_, item));
    }
  }

  // 64 or 1..64
  void add_numbers(const value& v, std::vector<index_t>& to) {
    const std::string& text = v.text("a number or FIRST..LAST");
    const std::size_t dots = text.find("..");
    if (dots == std::string::npos) {
      if (++numbers_ > most_table_values) v.refuse("expected at most 1000000 numbers");
      to.push_back(v.integer("a number or FIRST..LAST", lowest, highest));
      return;
    }
    index_t first = 0, last = 0;
    const char *begin = text.data(), *end = begin + text.size();
    const auto a = std::from_chars(begin, begin + dots, first);
    const auto b = std::from_chars(begin + dots + 2, end, last);
    if (a.ec != std::errc() || a.ptr != begin + dots || b.ec != std::errc() || b.ptr != end || last < first)
      v.expected("a number or FIRST..LAST");
    const std::uint64_t more = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
    if (more >= most_table_values - numbers_) v.refuse("expected at most 1000000 numbers");
    numbers_ += static_cast<std::size_t>(more) + 1;
    for (index_t n = first; n <= last; ++n) {
      to.push_back(n);
      if (n == highest) break;
    }
  }

  void buffer(const std::string& name, const value& v) {
    const fields f(v, "{type: …, extents: […]}",
                   {"type", "extents", "strides", "device", "aligned", "stable"});
    plan_buffer b;
    b.name = name;
    const auto type = yaml::parse_type(f.at("type").text("a type, such as int32"));
    if (!type) f.at("type").expected("a type, such as int32, bfloat16 or uint8:scale_e8m0");
    b.type = *type;
    for (const value& e : f.at("extents").list("a list of extents"))
      b.extents.push_back(noted(e, "an expression"));
    if (f.has("strides"))
      for (const value& e : f.at("strides").list("a list of strides"))
        b.strides.push_back(noted(e, "an expression"));
    if (f.has("device")) {
      const std::string& text = f.at("device").text("a device, such as cpu or cuda:0");
      const std::size_t colon = text.find(':');
      const auto kind = yaml::parse_device(std::string_view(text).substr(0, colon));
      std::int32_t ordinal = 0;
      if (colon != std::string::npos) {
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, ordinal);
        if (error != std::errc() || stop != end) f.at("device").expected("a device, such as cpu or cuda:0");
      }
      if (!kind) f.at("device").expected("a device, such as cpu or cuda:0");
      b.where = {*kind, ordinal};
    }
    if (f.has("aligned")) b.alignment = f.at("aligned").integer("a number of bytes", 1, index_t{1} << 40);
    if (f.has("stable")) b.is_stable = f.at("stable").boolean();
    plan_.buffers.push_back(std::move(b));
  }

  plan_choice choice(const value& v, bool may_have_when) {
    plan_choice c;
    if (!v.is_map()) {
      c.cut = noted(v, "a buffer or a view, such as buffer.rows(0, T)");
      return c;
    }
    const fields f =
        may_have_when ? fields(v, "{cut: …}", {"cut", "at", "when"}) : fields(v, "{cut: …}", {"cut", "at"});
    c.cut = noted(f.at("cut"), "a buffer or a view, such as buffer.rows(0, T)");
    if (f.has("at")) c.at = f.at("at").text("file:line");
    if (f.has("when")) c.when = noted(f.at("when"), "a comparison");
    return c;
  }

  void call(const value& v) {
    const fields f(v, "{name: …, dispatch: …, over: …, arguments: …}",
                   {"name", "dispatch", "over", "by", "arguments"});
    plan_call c;
    c.dispatch = noted(f.at("dispatch"), "the name of a dispatch");
    c.name = f.has("name") ? noted(f.at("name"), "a name") : c.dispatch;
    c.over = noted(f.at("over"), "a variable");
    if (f.has("by"))
      for (const value& b : one_or_more(f.at("by"))) c.by.push_back(noted(b, "a variable"));
    each(f.at("arguments"), "a map of arguments to cuts", [&](const std::string& name, const value& item) {
      plan_argument a;
      a.name = name;
      for (const value& one : one_or_more(item)) a.choices.push_back(choice(one, true));
      c.arguments.push_back(std::move(a));
    });
    plan_.calls.push_back(std::move(c));
  }

  plan_file& to_;
  preflight_plan& plan_;
  std::size_t numbers_ = 0;  // of all tables and parameters
  const std::string& file_;
};

}  // namespace

void plan_file::refuse(const plan_fault& fault) const {
  for (const place& p : places)
    if (p.text == fault.where) throw failure(file, p.line, p.column, fault.error);
  throw failure(file, 0, 0, fault.error);
}

plan_file parse_plan(std::string_view bytes, const std::string& file) {
  plan_file out;
  out.file = file;
  const std::variant<node, text_error> root = yaml::read(bytes, file);
  if (const auto* error = std::get_if<text_error>(&root)) throw failure::of_line(error->str());
  try {
    reader(out, file).read(std::get<node>(root));
  } catch (const text_error& e) {
    throw failure::of_line(e.str());
  }
  return out;
}

}  // namespace stridelock::tool
