#include "analyzer/models/schema.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <span>
#include <unordered_map>

#include "analyzer/ir/text_words.h"
#include "analyzer/models/yaml.h"

namespace stridelock::models {
namespace {

using yaml::node;
using words_list = std::span<const std::string_view>;

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string joined(words_list words) {
  std::string text;
  for (std::string_view word : words) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

// "one of a, b, c", and after a misspelling the word that was probably meant.
std::string expected_one_of(words_list words, std::string_view found) {
  std::string text =
      "expected one of " + joined(words) + ", found '" + std::string(found.substr(0, 60)) + "'";
  std::string_view nearest;
  std::size_t best = 3;
  if (found.size() <= 60)
    for (std::string_view word : words)
      if (const std::size_t distance = edit_distance(word, found);
          distance < best && distance < word.size()) {
        best = distance;
        nearest = word;
      }
  if (!nearest.empty()) text += " (did you mean '" + std::string(nearest) + "'?)";
  return text;
}

class reader {
 public:
  explicit reader(std::string_view file) : file_(file) {}

  model_file read(const node& root) {
    const map file =
        as_map(root, "a model file", {"schema", "library", "provenance", "types", "fields", "functions"});
    const node& schema = file.required("schema");
    if (const auto version = integer(schema); version != model_schema_version)
      fail(schema,
           "expected schema " + std::to_string(model_schema_version) + ", found " + std::to_string(version));
    model_file out;
    out.library = text(file.required("library"));
    if (const node* n = file.find("provenance")) {
      static constexpr std::string_view words[] = {"manual", "generated", "measured"};
      out.provenance = words[word(*n, words)];
    }
    if (const node* n = file.find("types"))
      for (const node& item : list(*n)) out.types.push_back(type(item));
    if (const node* n = file.find("fields"))
      for (const node& item : list(*n)) out.fields.push_back(field(item));
    if (const node* n = file.find("functions"))
      for (const node& item : list(*n)) out.functions.push_back(function(item));
    require_reachable(out.functions);
    return out;
  }

 private:
  [[noreturn]] void fail(const node& at, std::string message) const {
    throw model_error{file_, at.line, at.column, std::move(message)};
  }
  [[noreturn]] void wrong_kind(const node& at, std::string_view expected) const {
    std::string found;
    switch (at.what) {
      case node::kind::null:
        found = "nothing";
        break;
      case node::kind::scalar:
        found = "'" + at.text.substr(0, 60) + "'";
        break;
      case node::kind::list:
        found = "a list";
        break;
      case node::kind::map:
        found = "a map";
        break;
    }
    fail(at, "expected " + std::string(expected) + ", found " + found);
  }

  // ---- values ----
  struct map {
    const reader& owner;
    const node& at;
    std::string_view what;

    const node* find(std::string_view key) const {
      for (const auto& [k, value] : at.entries)
        if (k.text == key) return &value;
      return nullptr;
    }
    const node& required(std::string_view key) const {
      if (const node* n = find(key)) return *n;
      owner.fail(at, "expected the key '" + std::string(key) + "' in " + std::string(what) + ", found none");
    }
  };
  map as_map(const node& n, std::string_view what, std::initializer_list<std::string_view> keys) const {
    if (n.what != node::kind::map) wrong_kind(n, std::string(what) + " (a map)");
    const words_list known(keys.begin(), keys.size());
    for (const auto& [key, value] : n.entries)
      if (std::find(known.begin(), known.end(), key.text) == known.end())
        fail(key, "unknown key in " + std::string(what) + ": " + expected_one_of(known, key.text));
    return {*this, n, what};
  }
  const std::vector<node>& list(const node& n) const {
    if (n.what != node::kind::list) wrong_kind(n, "a list");
    return n.items;
  }
  std::string text(const node& n) const {
    if (n.what != node::kind::scalar || n.text.empty()) wrong_kind(n, "a word or a text");
    return n.text;
  }
  std::int64_t integer(const node& n) const {
    std::int64_t value = 0;
    const char* end = n.text.data() + n.text.size();
    const auto parsed = std::from_chars(n.text.data(), end, value);
    if (n.what != node::kind::scalar || parsed.ec != std::errc() || parsed.ptr != end)
      wrong_kind(n, "an integer");
    return value;
  }
  static constexpr std::uint32_t max_position = 255;
  std::uint32_t position(const node& n) const {
    std::uint32_t value = 0;
    const char* end = n.text.data() + n.text.size();
    const auto parsed = std::from_chars(n.text.data(), end, value);
    if (n.what != node::kind::scalar || parsed.ec != std::errc() || parsed.ptr != end || value > max_position)
      wrong_kind(n, "the position of an argument (0 to 255; 0 is the object of a method)");
    return value;
  }
  bool boolean(const node& n) const {
    if (n.what == node::kind::scalar && n.text == "true") return true;
    if (n.what == node::kind::scalar && n.text == "false") return false;
    wrong_kind(n, "true or false");
  }
  std::size_t word(const node& n, words_list words) const {
    if (n.what != node::kind::scalar) wrong_kind(n, "one of " + joined(words));
    for (std::size_t i = 0; i < words.size(); ++i)
      if (words[i] == n.text) return i;
    fail(n, expected_one_of(words, n.text));
  }
  template <typename Enum>
  Enum enumerator(const node& n, words_list words) const {
    return static_cast<Enum>(word(n, words));
  }
  std::vector<std::string> texts(const node& n) const {  // one or a list
    std::vector<std::string> out;
    if (n.what == node::kind::list) {
      for (const node& item : n.items) out.push_back(text(item));
      if (out.empty()) wrong_kind(n, "at least one");
    } else {
      out.push_back(text(n));
    }
    return out;
  }

  operand_source source(const node& n) const {
    operand_source out;
    if (n.what == node::kind::list) {
      out.what = operand_source::kind::list;
      for (const node& item : n.items) out.items.push_back(source(item));
      return out;
    }
    if (n.what == node::kind::map) {
      const map m = as_map(n, "an operand", {"const", "rest", "from_last"});
      if (n.entries.size() != 1)
        fail(n, "expected one of const, rest, from_last, found " + std::to_string(n.entries.size()));
      if (const node* value = m.find("const")) {
        out.what = operand_source::kind::constant;
        out.number = integer(*value);
      } else if (const node* from = m.find("rest")) {
        out.what = operand_source::kind::rest;
        out.position = position(*from);
      } else if (const node* dim = m.find("from_last")) {
        out.what = operand_source::kind::from_last;
        out.position = position(*dim);
      }
      return out;
    }
    if (n.what == node::kind::scalar && n.text == "none") return out;
    if (n.what != node::kind::scalar || n.text.empty() || !ir::detail::is_digit(n.text[0]))
      wrong_kind(n,
                 "an operand: the position of an argument, none, {const: n}, {rest: n}, {from_last: n} or a "
                 "list of these");
    out.what = operand_source::kind::argument;
    out.position = position(n);
    return out;
  }
  std::vector<operand_source> sources(const node& n) const {
    std::vector<operand_source> out;
    for (const node& item : list(n)) out.push_back(source(item));
    return out;
  }
  operand_source optional_source(const map& m, std::string_view key) const {
    const node* n = m.find(key);
    return n == nullptr ? operand_source{} : source(*n);
  }
  bool optional_boolean(const map& m, std::string_view key, bool otherwise = false) const {
    const node* n = m.find(key);
    return n == nullptr ? otherwise : boolean(*n);
  }
  std::optional<std::uint32_t> optional_position(const map& m, std::string_view key) const {
    const node* n = m.find(key);
    if (n == nullptr) return std::nullopt;
    return position(*n);
  }

  // ---- types, fields ----
  type_row type(const node& n) const {
    const map m = as_map(n, "a type", {"name", "bases", "handle"});
    type_row out;
    out.type = text(m.required("name"));
    if (const node* bases = m.find("bases"))
      for (const node& base : list(*bases)) out.bases.push_back(text(base));
    static constexpr std::string_view handles[] = {"value", "shared", "pointer"};
    if (const node* handle = m.find("handle")) out.handle = enumerator<handle_kind>(*handle, handles);
    return out;
  }

  field_row field(const node& n) const {
    const map m = as_map(n, "a field", {"record", "field", "query", "pointer", "element", "from_last"});
    field_row out;
    out.record = text(m.required("record"));
    out.field = text(m.required("field"));
    const node* query = m.find("query");
    const node* pointer = m.find("pointer");
    const node* element = m.find("element");
    if ((query != nullptr) + (pointer != nullptr) + (element != nullptr) != 1)
      fail(n, "expected exactly one of query, pointer, element in a field");
    if (query != nullptr) {
      query_action action;
      action.op = enumerator<ir::query_op>(*query, ir::words::query_op);
      out.what = action;
    } else if (element != nullptr) {
      out.what = position(*element);
    } else {
      const map p = as_map(*pointer, "pointer", {"includes_offset"});
      pointer_action action;
      action.includes_offset = optional_boolean(p, "includes_offset", true);
      out.what = action;
    }
    out.from_last = optional_boolean(m, "from_last");
    return out;
  }

  // ---- functions ----
  static constexpr std::string_view action_keys[] = {
      "view", "copy",     "alloc",   "query",  "test",          "assert",         "pointer",
      "same", "value_of", "element", "store",  "store_element", "store_elements", "list",
      "expr", "capture",  "calls",   "defers", "ignore"};

  function_row function(const node& n) const {
    const map m =
        as_map(n, "a function",
               {"call",    "args",   "min_args",      "max_args",       "when_args", "view",    "copy",
                "alloc",   "query",  "test",          "assert",         "pointer",   "same",    "value_of",
                "element", "store",  "store_element", "store_elements", "list",      "expr",    "capture",
                "calls",   "defers", "ignore",        "effects",        "requires",  "noreturn"});
    function_row out;
    out.file = file_;
    out.line = n.line;
    out.column = n.column;
    const node& call = m.required("call");
    out.calls = texts(call);
    for (const std::string& one : out.calls) {
      const std::size_t star = one.find('*');
      const bool is_operator = one.find("operator") != std::string::npos;
      if (star != std::string::npos && !is_operator && (star + 1 != one.size() || star == 0))
        fail(call, "expected '*' only at the end of a name, found '" + one + "'");
    }
    argument_counts(m, out);
    if (const node* conditions = m.find("when_args")) out.conditions = when_args(*conditions);

    const node* key = nullptr;
    for (const auto& [k, value] : n.entries) {
      if (std::find(std::begin(action_keys), std::end(action_keys), k.text) == std::end(action_keys))
        continue;
      if (key != nullptr)
        fail(k, "expected one action a row, found both '" + key->text + "' and '" + k.text + "'");
      key = &k;
      out.what = action_of(k.text, value);
    }
    if (const node* effects = m.find("effects"))
      for (const node& item : list(*effects)) out.effects.push_back(effect(item));
    if (const node* requirements = m.find("requires"))
      for (const node& item : list(*requirements)) out.requirements.push_back(requirement(item));
    out.noreturn = optional_boolean(m, "noreturn");
    if (key == nullptr && out.effects.empty() && out.requirements.empty() && !out.noreturn)
      fail(n, "expected what the function does: one of " + joined(action_keys) +
                  ", effects, requires, noreturn, found none");
    return out;
  }

  void argument_counts(const map& m, function_row& out) const {
    if (const auto exact = optional_position(m, "args")) {
      if (m.find("min_args") != nullptr || m.find("max_args") != nullptr)
        fail(m.at, "expected either args or min_args and max_args, found both");
      out.min_args = out.max_args = *exact;
    }
    if (const auto least = optional_position(m, "min_args")) out.min_args = *least;
    if (const auto most = optional_position(m, "max_args")) out.max_args = *most;
    if (out.min_args > out.max_args) fail(m.at, "expected min_args up to max_args, found more");
  }

  std::vector<condition> when_args(const node& n) const {
    if (n.what != node::kind::map)
      wrong_kind(n, "a map from argument positions to {enumerator: …}, {value: …} or {type: …}");
    std::vector<condition> out;
    for (const auto& [key, value] : n.entries) {
      condition c;
      c.argument = position(key);
      const map m = as_map(value, "the form of an argument", {"enumerator", "value", "type"});
      if (value.entries.empty()) fail(value, "expected at least one of enumerator, value, type, found none");
      if (const node* e = m.find("enumerator")) c.enumerators = texts(*e);
      if (const node* t = m.find("type")) c.types = texts(*t);
      if (const node* v = m.find("value")) {
        if (v->what == node::kind::list)
          for (const node& item : v->items) c.values.push_back(integer(item));
        else
          c.values.push_back(integer(*v));
      }
      out.push_back(std::move(c));
    }
    return out;
  }

  effect_row effect(const node& n) const {
    const map m = as_map(n, "an effect", {"op", "stream"});
    effect_row out;
    out.op = enumerator<ir::effect_op>(m.required("op"), ir::words::effect_op);
    out.stream = optional_source(m, "stream");
    return out;
  }

  requirement_row requirement(const node& n) const {
    const map m = as_map(n, "a requirement", {"param", "layout"});
    return {position(m.required("param")), text(m.required("layout"))};
  }

  action action_of(std::string_view key, const node& n) const {
    if (key == "view") {
      const map m = as_map(n, "view", {"op", "of", "args", "in_place"});
      view_action a;
      a.op = enumerator<ir::view_op>(m.required("op"), ir::words::view_op);
      a.of = source(m.required("of"));
      if (const node* args = m.find("args")) a.args = sources(*args);
      a.in_place = optional_boolean(m, "in_place");
      return a;
    }
    if (key == "copy") {
      const map m = as_map(n, "copy", {"op", "of"});
      return copy_action{enumerator<ir::copy_op>(m.required("op"), ir::words::copy_op),
                         source(m.required("of"))};
    }
    if (key == "alloc") {
      const map m = as_map(n, "alloc", {"space", "like", "shape", "out"});
      alloc_action a;
      if (const node* space = m.find("space"))
        a.space = enumerator<ir::memory_space>(*space, ir::words::memory_space);
      a.like = optional_source(m, "like");
      a.shape = optional_source(m, "shape");
      a.out = optional_position(m, "out");
      return a;
    }
    if (key == "query") {
      const map m = as_map(n, "query", {"op", "of", "dim"});
      return query_action{enumerator<ir::query_op>(m.required("op"), ir::words::query_op),
                          source(m.required("of")), optional_source(m, "dim")};
    }
    if (key == "test") {
      const map m = as_map(n, "test", {"predicate", "of", "negated", "out"});
      return test_action{enumerator<ir::predicate>(m.required("predicate"), ir::words::predicate),
                         sources(m.required("of")), optional_boolean(m, "negated"),
                         optional_position(m, "out")};
    }
    if (key == "assert") {
      const map m = as_map(n, "assert", {"predicate", "of", "negated"});
      return assert_action{enumerator<ir::predicate>(m.required("predicate"), ir::words::predicate),
                           sources(m.required("of")), optional_boolean(m, "negated")};
    }
    if (key == "pointer") {
      const map m = as_map(n, "pointer", {"of", "includes_offset"});
      return pointer_action{source(m.required("of")), optional_boolean(m, "includes_offset", true)};
    }
    if (key == "same") return same_action{source(as_map(n, "same", {"of"}).required("of"))};
    if (key == "value_of") return value_of_action{source(as_map(n, "value_of", {"of"}).required("of"))};
    if (key == "element") {
      const map m = as_map(n, "element", {"of", "index"});
      return element_action{source(m.required("of")), optional_source(m, "index")};
    }
    if (key == "store") {
      const map m = as_map(n, "store", {"to", "what"});
      store_action a;
      a.to = source(m.required("to"));
      a.what = source(m.required("what"));
      return a;
    }
    if (key == "store_element") {
      const map m = as_map(n, "store_element", {"to", "what", "index"});
      store_action a;
      a.to = source(m.required("to"));
      a.what = source(m.required("what"));
      a.is_element = true;
      a.index = optional_source(m, "index");
      return a;
    }
    if (key == "store_elements") {
      const map m = as_map(n, "store_elements", {"to", "first"});
      return store_elements_action{source(m.required("to")), position(m.required("first"))};
    }
    if (key == "list") return list_action{position(as_map(n, "list", {"first"}).required("first"))};
    if (key == "expr") {
      const map m = as_map(n, "expr", {"op", "of"});
      static constexpr auto operators = [] {
        std::array<std::string_view, ir::words::expr_op_count> out{};
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = ir::words::expr_word(i);
        return out;
      }();
      return expr_action{enumerator<ir::expr_op>(m.required("op"), operators), sources(m.required("of"))};
    }
    if (key == "capture") return capture(n);
    if (key == "calls")
      return invoke_action{position(as_map(n, "calls", {"argument"}).required("argument")), false};
    if (key == "defers")
      return invoke_action{position(as_map(n, "defers", {"argument"}).required("argument")), true};
    if (!boolean(n)) fail(n, "expected 'ignore: true' or no such key, found false");
    return ignore_action{};
  }

  capture_action capture(const node& n) const {
    const map m = as_map(n, "capture", {"op", "owner", "object", "mode", "mode_of"});
    capture_action a;
    a.op = enumerator<ir::capture_op>(m.required("op"), ir::words::capture_op);
    if (const node* owner = m.find("owner"))
      a.owner = enumerator<ir::capture_owner>(*owner, ir::words::capture_owner);
    a.object = optional_source(m, "object");
    if (const node* mode = m.find("mode")) {
      if (mode->what == node::kind::scalar && !mode->text.empty() && ir::detail::is_digit(mode->text[0]))
        a.mode_argument = position(*mode);
      else
        a.mode = enumerator<ir::capture_mode>(*mode, ir::words::capture_mode);
    }
    if (const node* modes = m.find("mode_of")) {
      if (!a.mode_argument)
        fail(*modes, "expected mode_of only beside 'mode: <position of an argument>', found it alone");
      if (modes->what != node::kind::map) wrong_kind(*modes, "a map from enumerators to modes");
      for (const auto& [key, value] : modes->entries)
        a.mode_of.emplace(key.text, enumerator<ir::capture_mode>(value, ir::words::capture_mode));
    }
    return a;
  }

  // The first row that applies wins, so a row behind one that always applies is a mistake.
  void require_reachable(const std::vector<function_row>& rows) const {
    std::unordered_map<std::string, std::vector<const function_row*>> earlier;
    for (const function_row& row : rows)
      for (const std::string& one : row.calls) {
        auto& before = earlier[one];
        for (const function_row* other : before)
          if (other->conditions.empty() && other->min_args <= row.min_args && other->max_args >= row.max_args)
            throw model_error{file_, row.line, row.column,
                              "expected a call once, or rows told apart by args or when_args; '" + one +
                                  "' is already described in line " + std::to_string(other->line)};
        before.push_back(&row);
      }
  }

  std::string file_;
};

}  // namespace

std::variant<model_file, model_error> read_model_file(std::string_view text, std::string_view source_name) {
  auto tree = yaml::read(text, source_name);
  if (auto* error = std::get_if<model_error>(&tree)) return std::move(*error);
  try {
    return reader(source_name).read(std::get<yaml::node>(tree));
  } catch (model_error& e) {
    return std::move(e);
  }
}

}  // namespace stridelock::models
