// Reads a contract file. The format is described in docs/contracts.md, "As YAML".
#include "contracts/yaml/fields.h"
#include "contracts/yaml/storage.h"
#include "contracts/yaml/words.h"
#include "stridelock/contract_file.h"
#include "stridelock/requirement_text.h"

namespace stridelock {
inline namespace v1 {
namespace {

using yaml::fields;
using yaml::node;
using yaml::value;

constexpr std::size_t most_arguments = 100;
constexpr std::size_t most_conditions = 100;
constexpr std::size_t most_branches = 100;
constexpr std::size_t most_tuples = 100000;
constexpr std::int64_t last_position = 255;
constexpr index_t lowest = checked::lowest, highest = checked::highest;

class reader {
 public:
  reader(std::string_view file_name, contract_file& to) : file_(file_name), to_(to), storage_(to.storage()) {}

  void read(const node& root) {
    const fields top({file_, root}, "the keys schema and contracts", {"schema", "library", "contracts"});
    if (!top.has("schema")) top.self().refuse("expected schema: 1");
    if (top.at("schema").raw().text != "1") top.at("schema").refuse("expected schema: 1");
    if (top.has("library")) {
      const fields library(top.at("library"), "{name: …, version: …}", {"name", "version", "digest"});
      to_.library.name = library.at("name").text("the name of a library");
      if (library.has("version")) to_.library.version = library.at("version").text("a version");
      if (library.has("digest")) to_.library.digest = library.at("digest").text("a digest");
    }
    if (!top.has("contracts")) top.self().refuse("expected a list `contracts`");
    for (const value& item :
         top.at("contracts").list("a list of {function: …}, {dispatch: …} or {kernel: …}"))
      contract(item);
  }

 private:
  void contract(const value& item) {
    constexpr const char* expected = "{function: …, requires: […]}, {dispatch: …} or {kernel: …}";
    if (!item.is_map()) item.expected(expected);
    for (const auto& [key, unused] : item.raw().entries) {
      if (key.text == "dispatch") return dispatch(item);
      if (key.text == "kernel" || key.text == "refused" || key.text == "otherwise") return single(item);
      if (key.text == "function") return function(item);
    }
    const fields none(item, expected,
                      {"function", "requires", "dispatch", "parameters", "branches", "kernel", "refused",
                       "otherwise", "when", "needs", "arguments"});
    function(item);
  }

  // ---- what functions ask ------------------------------------------------------------------------------------------

  void function(const value& item) {
    const fields f(item, "{function: …, requires: […]}", {"function", "requires"});
    if (!f.has("function")) item.refuse("expected the key `function`, `dispatch` or `kernel`");
    const value name = f.at("function");
    const std::string text = name.text("the qualified name of a function");
    const std::size_t star = text.find('*');
    if (star != std::string::npos && star + 1 != text.size() && !ends_with(text, "operator*"))
      name.refuse("expected '*' only at the end of a name, found '" + text + "'");
    if (!f.has("requires")) item.refuse("'" + text + "' needs the key `requires`");
    const std::vector<value> rows = f.at("requires").list("a list of {param: …, layout: …}");
    if (rows.empty()) to_.functions_that_ask_nothing.push_back(text);
    for (const value& row : rows) {
      const fields one(row, "{param: …, layout: …}", {"param", "layout"});
      function_requirement out;
      out.function = text;
      out.line = row.raw().line;
      out.param = static_cast<std::uint32_t>(one.at("param").integer(
          "the position of an argument, 0 to 255; 0 is the object of a method", 0, last_position));
      const value layout = one.at("layout");
      out.layout = layout.text("a layout, as in STRIDELOCK_REQUIRES");
      const requirement_text_result parsed = parse_requirement_text(out.layout);
      if (!parsed.ok) {
        std::string message = "contract \"" + out.layout + "\": ";
        if (!parsed.at.empty()) message += "'" + std::string(parsed.at) + "' ";
        layout.refuse(message + std::string(parsed.error));
      }
      to_.functions.push_back(std::move(out));
    }
  }
  static bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
  }

  // ---- what kernels ask --------------------------------------------------------------------------------------------

  detail::stored_contract& add(const value& at, const value& name) {
    const std::string& text = name.text("a name");
    if (to_.find(text) != nullptr) name.refuse("expected each contract once, found a second '" + text + "'");
    detail::stored_contract& c = storage_.contracts.emplace_back();
    c.name = storage_.keep(text);
    c.view.name = c.name;
    c.line = at.raw().line;
    return c;
  }

  void single(const value& item) {
    std::string_view kind = "kernel";
    for (const char* other : {"refused", "otherwise"})
      for (const auto& [key, unused] : item.raw().entries)
        if (key.text == other) kind = other;
    detail::stored_contract& c = add(item, fields(item, "a kernel", branch_keys).at(kind));
    c.is_single = true;
    c.branches.push_back(branch(item, {}, nullptr));
    c.close();
  }

  void dispatch(const value& item) {
    const fields f(item, "{dispatch: …, branches: […]}", {"dispatch", "parameters", "arguments", "branches"});
    detail::stored_contract& c = add(item, f.at("dispatch"));
    if (f.has("parameters"))
      for (const value& p : f.at("parameters").list("a list of {name: …, values: […]}")) {
        c.parameters.push_back(parameter(p));
        for (std::size_t i = 0; i + 1 < c.parameters.size(); ++i)
          if (c.parameters[i].name == c.parameters.back().name)
            p.refuse("expected each parameter once, found a second '" + std::string(c.parameters[i].name) +
                     "'");
        if (c.parameters.size() > dispatch_limit) p.refuse("expected at most 4 parameters");
      }
    std::vector<argument> shared;
    if (f.has("arguments")) shared = arguments(f.at("arguments"), {});
    const std::vector<value> branches =
        f.at("branches").list("a list of {kernel: …, when: […], arguments: […]}");
    if (branches.empty() || branches.size() > most_branches)
      f.at("branches").refuse("expected 1 to 100 branches");
    for (const value& b : branches) {
      c.branches.push_back(branch(b, shared, &c.parameters));
      const detail::stored_branch &first = c.branches.front(), &last = c.branches.back();
      if (last.kind == branch_kind::otherwise) continue;
      bool same = first.arguments.size() == last.arguments.size();
      for (std::size_t i = 0; same && i < first.arguments.size(); ++i)
        same = first.arguments[i].name == last.arguments[i].name;
      if (!same)
        b.refuse("expected the arguments of '" + std::string(first.kernel) +
                 "' in the same order: all branches of a dispatch take the same call");
    }
    if (c.branches.front().kind == branch_kind::otherwise)
      f.at("branches").refuse("expected a kernel first, `otherwise` comes last");
    c.close();
  }

  library_parameter parameter(const value& item) {
    const fields f(item, "{name: …, values: […]}", {"name", "values", "library", "version", "where"});
    library_parameter p;
    const value name = f.at("name");
    if (!yaml::is_name(name.text("the name of a parameter")))
      name.expected("a name of letters, digits, '_' and '.'");
    p.name = storage_.keep(name.raw().text);
    const std::vector<value> values = f.at("values").list("a list of numbers");
    if (values.empty() || values.size() > static_cast<std::size_t>(library_parameter::most_values))
      f.at("values").refuse("expected 1 to " + std::to_string(library_parameter::most_values) +
                            " values, found " + std::to_string(values.size()));
    for (const value& v : values) p.values[p.value_count++] = v.integer("a number", lowest, highest);
    if (f.has("library")) p.library = storage_.keep(f.at("library").text("the name of a library"));
    if (f.has("version")) p.version = storage_.keep(f.at("version").text("a version"));
    if (f.has("where")) p.where = storage_.keep(f.at("where").text("file:line"));
    return p;
  }

  detail::stored_branch branch(const value& item, const std::vector<argument>& shared,
                               const std::vector<library_parameter>* parameters) {
    const fields f(item, "{kernel: …, when: […], arguments: […]}", branch_keys);
    detail::stored_branch b;
    int names = 0;
    for (const char* key : {"kernel", "refused", "otherwise"}) names += f.has(key) ? 1 : 0;
    if (names != 1) item.refuse("expected one of the keys `kernel`, `refused` and `otherwise`");
    const value name = f.has("kernel")    ? f.at("kernel")
                       : f.has("refused") ? f.at("refused")
                                          : f.at("otherwise");
    b.kernel = storage_.keep(name.text("a name"));
    b.kind = f.has("kernel")    ? branch_kind::kernel
             : f.has("refused") ? branch_kind::refusal
                                : branch_kind::otherwise;
    if (b.kind == branch_kind::otherwise) {
      if (f.has("when") || f.has("needs") || f.has("arguments"))
        item.refuse("expected no further key: `otherwise` is every case that no branch covers");
      return b;
    }
    parameters_ = parameters;
    b.arguments = f.has("arguments") ? arguments(f.at("arguments"), shared) : shared;
    if (f.has("when")) b.conditions = conditions(f.at("when"));
    if (f.has("needs")) b.guards = conditions(f.at("needs"));
    const std::string error = b.resolve();
    if (!error.empty()) item.refuse("'" + name.raw().text + "': " + error);
    return b;
  }

  // `shared` first; an argument of the same name replaces it where it stands.
  std::vector<argument> arguments(const value& of, std::vector<argument> shared) {
    std::vector<argument> own;
    for (const value& item : of.list("a list of {name: …, type: …, shape: […]}")) {
      const argument a = one_argument(item);
      for (const argument& other : own)
        if (other.name == a.name)
          item.refuse("expected each argument once, found a second '" + std::string(a.name) + "'");
      own.push_back(a);
    }
    std::vector<argument> out = std::move(shared);
    for (const argument& a : own) {
      bool replaced = false;
      for (argument& s : out)
        if (s.name == a.name) s = a, replaced = true;
      if (!replaced) out.push_back(a);
    }
    if (out.size() > most_arguments) of.refuse("expected at most 100 arguments");
    return out;
  }

  argument one_argument(const value& item) {
    const fields f(
        item, "{name: …, type: …, shape: […]}",
        {"name", "type", "shape", "requires", "shares", "optional", "presence", "device", "reads"});
    argument a;
    a.name = storage_.keep(f.at("name").text("the name of an argument"));
    if (f.has("type")) types(f.at("type"), a);
    if (f.has("shape")) shape(f.at("shape"), a);
    if (f.has("requires"))
      for (const value& fact : f.at("requires").list("a list of facts")) {
        if (a.requirement_count == argument::most_requirements)
          fact.refuse("expected at most " + std::to_string(argument::most_requirements) + " facts");
        a.requirements[a.requirement_count++] = requirement_of(fact, a);
      }
    if (f.has("optional")) a.is_optional = f.at("optional").boolean();
    if (f.has("presence"))
      a.presence_why = evidence_of(fields(f.at("presence"), "{evidence: …}", {"evidence", "where"}));
    if (f.has("shares"))
      for (const value& rule : f.at("shares").list("a list of {disjoint_from: …}")) share(rule, a);
    if (f.has("device")) {
      value word = f.at("device");
      if (word.is_map()) {
        const fields d(word, "{is: …}", {"is", "evidence", "where"});
        a.device_why = evidence_of(d);
        word = d.at("is");
      }
      const auto kind = yaml::parse_device(word.text("a kind of device"));
      if (!kind && word.raw().text != "none") word.expected("a kind of device, such as cpu or cuda");
      if (kind) a.on_device = *kind;
    }
    if (f.has("reads")) reads_of(f.at("reads"), a);
    return a;
  }

  basis evidence_of(const fields& f) {
    basis why;
    if (f.has("evidence")) {
      const value word = f.at("evidence");
      const auto how = yaml::parse_evidence(word.text("declared, checked, inferred or unchecked"));
      if (!how) word.expected("declared, checked, inferred or unchecked");
      why.how = *how;
    }
    if (f.has("where")) why.where = storage_.keep(f.at("where").text("file:line"));
    return why;
  }

  void types(const value& of, argument& a) {
    value list = of;
    if (of.is_map()) {
      const fields f(of, "{is: …}", {"is", "evidence", "where"});
      list = f.at("is");
      a.type_why = evidence_of(f);
    }
    std::string_view rest = list.text("types, such as int32 or int32|int64");
    while (true) {
      const std::size_t bar = rest.find('|');
      const std::string_view word = rest.substr(0, bar);
      const auto type = yaml::parse_type(word);
      if (!type)
        list.refuse("expected a type, such as int32, bfloat16 or uint8:scale_e8m0, found '" +
                    std::string(word.substr(0, 60)) + "'");
      if (a.type_count == argument::most_types)
        list.refuse("expected at most " + std::to_string(argument::most_types) + " types");
      a.types[a.type_count++] = *type;
      if (bar == std::string_view::npos) return;
      rest.remove_prefix(bar + 1);
    }
  }

  expression expression_of(const value& of) {
    std::string error;
    const std::string& text = of.text("an expression");
    const auto e = yaml::parse_expression(text, error);
    if (!e) of.refuse("expression '" + text.substr(0, 60) + "': " + error);
    check_parameter(of, *e);
    return storage_.keep(*e);
  }
  void check_parameter(const value& at, const expression& e) const {
    if (e.kind != expression_kind::parameter || parameters_ == nullptr) return;
    std::vector<std::string> known;
    for (const library_parameter& p : *parameters_) {
      if (p.name == e.name) return;
      known.emplace_back(p.name);
    }
    at.refuse("unknown parameter '" + std::string(e.name) + "'" + yaml::did_you_mean(known, e.name) +
              (known.empty() ? " The dispatch has none" : " Known: " + yaml::listed(known)));
  }

  void one_shape(const value& of, argument& a) {
    shape_pattern pattern;
    value extents = of;
    if (of.is_map()) {
      const fields f(of, "{extents: […], strides: […]}", {"extents", "strides"});
      extents = f.at("extents");
      if (f.has("strides")) {
        pattern.has_strides = true;
        int d = 0;
        const std::vector<value> strides = f.at("strides").list("a list of strides");
        if (strides.size() != extents.list("a list of extents").size())
          f.at("strides").refuse("expected as many strides as extents");
        if (strides.size() > static_cast<std::size_t>(max_rank)) of.refuse("expected at most 8 dimensions");
        for (const value& s : strides) pattern.strides[d++] = expression_of(s);
      }
    }
    const std::vector<value> list = extents.list("a list of extents");
    if (list.size() > static_cast<std::size_t>(max_rank)) extents.refuse("expected at most 8 dimensions");
    for (const value& e : list) pattern.extents[pattern.rank++] = expression_of(e);
    const auto bit = static_cast<std::uint16_t>(1u << pattern.rank);
    if (a.shape_count == argument::most_shapes || (a.ranks & bit) != 0)
      of.refuse("expected at most " + std::to_string(argument::most_shapes) +
                " shapes, each of another rank");
    a.ranks = static_cast<std::uint16_t>(a.ranks | bit);
    a.shapes[a.shape_count++] = pattern;
  }

  void shape(const value& of, argument& a) {
    if (!of.is_map()) return one_shape(of, a);
    const fields f(of, "a list of extents or {any_of: […]}",
                   {"extents", "strides", "any_of", "ranks", "evidence", "where", "dimensions"});
    a.shape_why = evidence_of(f);
    if (f.has("extents")) {
      node plain = of.raw();
      std::erase_if(plain.entries,
                    [](const auto& e) { return e.key.text != "extents" && e.key.text != "strides"; });
      one_shape({file_, plain}, a);
    }
    if (f.has("any_of"))
      for (const value& s : f.at("any_of").list("a list of shapes")) one_shape(s, a);
    if (f.has("dimensions"))
      for (const value& d : f.at("dimensions").list("a list of {extent: …, evidence: …}")) dimension(d, a);
    if (!f.has("ranks")) return;
    std::uint16_t ranks = 0;
    for (const value& r : f.at("ranks").list("a list of ranks"))
      ranks = static_cast<std::uint16_t>(ranks | 1u << r.integer("a rank from 0 to 8", 0, max_rank));
    a.ranks = ranks;
  }

  void dimension(const value& of, argument& a) {
    const fields f(of, "{extent: …, evidence: …}", {"extent", "stride", "rank", "evidence", "where"});
    if (a.dimension_why_count == argument::most_dimension_bases)
      of.refuse("expected at most " + std::to_string(argument::most_dimension_bases) + " dimensions");
    if (f.has("extent") == f.has("stride")) of.refuse("expected one of the keys `extent` and `stride`");
    dimension_basis d;
    d.of_stride = f.has("stride");
    const int rank = a.shape_count > 0 ? a.shapes[a.shape_count - 1].rank : 0;
    d.rank = static_cast<std::int8_t>(f.has("rank") ? f.at("rank").integer("a rank from 0 to 8", 0, max_rank)
                                                    : rank);
    d.dim = static_cast<std::int8_t>(
        f.at(d.of_stride ? "stride" : "extent").integer("a dimension", 0, d.rank - 1));
    d.why = evidence_of(f);
    a.dimension_why[a.dimension_why_count++] = d;
  }

  requirement requirement_of(const value& of, argument& a) {
    value word = of;
    basis why;
    if (of.is_map()) {
      const fields f(of, "{is: …, evidence: …, where: …}",
                     {"is", "evidence", "where", "element_bytes", "interleave", "swizzle", "packing", "box",
                      "element_strides"});
      word = f.at("is");
      why = evidence_of(f);
      tensor_map(f, a.descriptor);
    }
    std::string error;
    auto r = yaml::parse_requirement(word.text("a fact, such as dense or aligned 16"), error);
    if (!r) word.refuse(error);
    r->why = why;
    if (r->what != notion::descriptor_legal && of.is_map())
      for (const auto& [key, at] : of.raw().entries)
        if (key.text != "is" && key.text != "evidence" && key.text != "where")
          yaml::fail(file_, key, "expected '" + key.text + "' only beside descriptor_legal");
    return *r;
  }

  template <class Enum, std::size_t N>
  static Enum word(const value& of, const yaml::named<Enum> (&words)[N]) {
    std::vector<std::string> known;
    for (const auto& one : words) known.emplace_back(one.word);
    const std::string what = "one of " + yaml::listed(known);
    const std::string& text = of.text(what);
    for (const auto& one : words)
      if (one.word == text) return one.value;
    of.expected(what);
  }

  void tensor_map(const fields& f, descriptor_rule& rule) {
    if (f.has("element_bytes"))
      rule.element_bytes = f.at("element_bytes").integer("a number of bytes", 1, 1024);
    if (f.has("interleave")) rule.interleaved = word(f.at("interleave"), yaml::interleave_words);
    if (f.has("swizzle")) rule.swizzled = word(f.at("swizzle"), yaml::swizzle_words);
    if (f.has("packing")) rule.packed = word(f.at("packing"), yaml::packing_words);
    if (f.has("box") != f.has("element_strides"))
      f.self().refuse("expected `box` and `element_strides` together");
    if (!f.has("box")) return;
    rule.has_box = true;
    five(f.at("box"), rule.box);
    five(f.at("element_strides"), rule.element_strides);
  }
  static void five(const value& of, index_t (&to)[5]) {
    const std::vector<value> list = of.list("five numbers, one for each dimension, 0 behind the last");
    if (list.size() != 5) of.expected("five numbers, one for each dimension, 0 behind the last");
    for (std::size_t i = 0; i < 5; ++i) to[i] = list[i].integer("a number", 0, highest);
  }

  void share(const value& of, argument& a) {
    const fields f(of, "{disjoint_from: …}",
                   {"disjoint_from", "same_view_or_disjoint", "same_memory_as", "evidence", "where"});
    if (a.sharing_count == argument::most_sharing_rules)
      of.refuse("expected at most " + std::to_string(argument::most_sharing_rules) + " rules");
    sharing_rule rule;
    int said = 0;
    for (const auto& known : yaml::sharing_words) {
      if (!f.has(known.word)) continue;
      rule.what = known.value;
      rule.with = storage_.keep(f.at(known.word).text("the name of an argument"));
      ++said;
    }
    if (said != 1)
      of.refuse("expected one of the keys `disjoint_from`, `same_view_or_disjoint` and `same_memory_as`");
    rule.why = evidence_of(f);
    a.sharing_rules[a.sharing_count++] = rule;
  }

  void reads_of(const value& of, argument& a) {
    if (!of.is_map()) {
      a.reader = word(of, yaml::reader_words);
      if (a.reader == reads::bounded)
        of.refuse("expected {bounded_by: …}: a bounded reader names its lengths");
      return;
    }
    const fields f(of, "{bounded_by: …}",
                   {"how", "bounded_by", "bounded_outside", "grows", "tile", "stale", "evidence", "where"});
    a.lengths_outside = f.has("bounded_outside");
    if (f.has("bounded_by") && a.lengths_outside)
      of.refuse("expected one of the keys `bounded_by` and `bounded_outside`");
    const bool has_lengths = f.has("bounded_by") || a.lengths_outside;
    if (has_lengths) {
      a.reader = reads::bounded;
      a.bounded_by = storage_.keep(
          f.at(a.lengths_outside ? "bounded_outside" : "bounded_by")
              .text(a.lengths_outside ? "what holds the lengths" : "the argument that holds the lengths"));
    }
    if (f.has("how")) a.reader = word(f.at("how"), yaml::reader_words);
    if ((a.reader == reads::bounded) != has_lengths)
      of.refuse("expected `bounded_by` or `bounded_outside` with a bounded reader, and only there");
    if (f.has("grows")) a.cost = storage_.keep(f.at("grows").text("what grows with the width"));
    if (f.has("tile")) a.tile = f.at("tile").integer("a number of columns", 1, highest);
    if (f.has("stale")) a.stale = word(f.at("stale"), yaml::stale_words);
    a.reader_why = evidence_of(f);
  }

  std::vector<condition> conditions(const value& of) {
    std::vector<condition> out;
    for (const value& item : of.list("a list of conditions")) out.push_back(one_condition(item));
    if (out.size() > most_conditions) of.refuse("expected at most 100 conditions");
    return out;
  }

  condition comparison_of(const value& of) {
    std::string error;
    const std::string& text = of.text("a condition, such as T <= 64");
    auto c = yaml::parse_comparison(text, error);
    if (!c) of.refuse("condition '" + text.substr(0, 60) + "': " + error);
    check_parameter(of, c->left);
    check_parameter(of, c->right);
    return *c;
  }

  condition one_condition(const value& of) {
    condition c;
    if (!of.is_map()) return storage_.keep(comparison_of(of));
    const fields f(
        of, "a condition",
        {"is", "present", "absent", "one_of", "none_of", "rows", "capability", "evidence", "where"});
    int kinds = 0;
    for (const char* key : {"is", "present", "absent", "one_of", "none_of", "capability"})
      kinds += f.has(key) ? 1 : 0;
    if (kinds != 1)
      of.refuse("expected one of the keys `is`, `present`, `absent`, `one_of`, `none_of` and `capability`");
    const bool has_rows = f.has("one_of") || f.has("none_of");
    if (f.has("rows") && !has_rows) f.at("rows").refuse("expected `rows` only beside `one_of` and `none_of`");
    if (f.has("is")) {
      c = comparison_of(f.at("is"));
    } else if (f.has("present") || f.has("absent")) {
      c.kind = f.has("present") ? condition_kind::present : condition_kind::absent;
      c.argument_name = f.at(f.has("present") ? "present" : "absent").text("the name of an argument");
    } else if (has_rows) {
      tuples(f, c);
    } else {
      c.kind = condition_kind::capability_between;
      const value range = f.at("capability");
      std::vector<value> ends =
          range.is_list() ? range.list("[LOWEST, HIGHEST]") : std::vector<value>{range, range};
      if (ends.size() != 2) range.refuse("expected [LOWEST, HIGHEST], both inclusive");
      c.lowest = capability_of(ends[0]);
      c.highest = capability_of(ends[1]);
      if (c.highest < c.lowest) range.refuse("expected the lower capability first");
    }
    c.why = evidence_of(f);
    const index_t* kept = c.tuples;
    c.tuples = nullptr;
    c = storage_.keep(c);
    c.tuples = kept;
    return c;
  }

  capability capability_of(const value& of) const {
    const auto c = yaml::parse_capability(of.text("a compute capability, such as 12.0"));
    if (!c) of.expected("a compute capability, such as 12.0");
    return *c;
  }

  void tuples(const fields& f, condition& c) {
    c.kind = f.has("one_of") ? condition_kind::one_of : condition_kind::none_of;
    const value names = f.at(f.has("one_of") ? "one_of" : "none_of");
    const std::vector<value> list = names.list("a list of one to three expressions");
    if (list.empty() || list.size() > 3) names.refuse("expected one to three expressions");
    for (const value& e : list) c.tuple[c.tuple_width++] = expression_of(e);
    const value rows = f.at("rows");
    std::vector<index_t> numbers;
    for (const value& row : rows.list("a list of rows of numbers")) {
      const std::vector<value> cells = row.list("a row of " + std::to_string(list.size()) + " numbers");
      if (cells.size() != list.size())
        row.refuse("expected " + std::to_string(list.size()) + " numbers in a row");
      for (const value& cell : cells) numbers.push_back(cell.integer("a number", lowest, highest));
    }
    if (numbers.empty() || numbers.size() / list.size() > most_tuples)
      rows.refuse("expected 1 to 100000 rows");
    c.tuple_count = static_cast<std::int32_t>(numbers.size() / list.size());
    c.tuples = storage_.keep(numbers.data(), numbers.size());
  }

  static constexpr std::size_t dispatch_limit = 4;
  static constexpr std::initializer_list<const char*> branch_keys = {"kernel", "refused", "otherwise",
                                                                     "when",   "needs",   "arguments"};

  std::string_view file_;
  contract_file& to_;
  detail::contract_storage& storage_;
  const std::vector<library_parameter>* parameters_ = nullptr;  // of the dispatch
};

}  // namespace

contract_file_result read_contract_file(std::string_view yaml_text, std::string_view file_name) {
  contract_file_result result;
  const std::variant<node, text_error> root = yaml::read(yaml_text, file_name);
  if (const auto* error = std::get_if<text_error>(&root)) {
    result.error = *error;
    return result;
  }
  try {
    reader(file_name, result.file).read(std::get<node>(root));
    result.ok = true;
  } catch (text_error& e) {
    result.file = contract_file();
    result.error = std::move(e);
  }
  return result;
}

}  // namespace v1
}  // namespace stridelock
