// Writes the format of read.cpp, then reads it back and compares: what YAML cannot say is an error, never lost.
#include <algorithm>

#include "contracts/yaml/same.h"
#include "contracts/yaml/storage.h"
#include "contracts/yaml/words.h"
#include "stridelock/contract_file.h"

namespace stridelock {
inline namespace v1 {
namespace {

using yaml::comparison_text;
using yaml::text_of;

struct cannot {
  std::string message;
};

// A scalar that reads back as these bytes, inside brackets too.
std::string scalar(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '/' || c == ' ' || c == '(' || c == ')' || c == '+' || c == '*' || c == '<' ||
           c == '>' || c == '=' || c == '!' || c == '$' || c == '%' || c == '-' || c == ';' || c == '|' ||
           c == ':';
  };
  const auto starts = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '/' || c == '$';
  };
  bool plain = !text.empty() && std::all_of(text.begin(), text.end(), is_plain) && starts(text.front()) &&
               text.back() != ' ' && text.back() != ':';
  for (std::size_t i = 0; plain && i + 1 < text.size(); ++i) plain = text[i] != ':' || text[i + 1] != ' ';
  if (text == "null" || text == "---" || text == "...") plain = false;
  if (plain) return std::string(text);
  std::string out = "\"";
  constexpr char digits[] = "0123456789ABCDEF";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += digits[byte >> 4];
      out += digits[byte & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// "{a: 1, b: 2}"
class flow_map {
 public:
  void add(std::string_view key, std::string_view written) {
    out_ += (out_.empty() ? "{" : ", ") + std::string(key) + ": " + std::string(written);
  }
  std::string str() const { return out_ + "}"; }

 private:
  std::string out_;
};

bool is_plain(const basis& why) {
  return why.how == evidence::declared && why.where.empty();
}
void add(flow_map& to, const basis& why) {
  if (why.how != evidence::declared) to.add("evidence", to_string(why.how));
  if (!why.where.empty()) to.add("where", scalar(why.where));
}

template <class Enum, std::size_t N>
std::string_view word_of(const yaml::named<Enum> (&words)[N], Enum value) {
  for (const auto& known : words)
    if (known.value == value) return known.word;
  throw cannot{"an enumerator has no word"};
}

template <class Item>
std::string list(int count, Item item) {
  std::string out = "[";
  for (int i = 0; i < count; ++i) out += (i > 0 ? ", " : "") + item(i);
  return out + "]";
}

std::string numbers(const index_t* values, int count) {
  return list(count, [&](int i) { return std::to_string(values[i]); });
}

class writer {
 public:
  std::string write(const contract_file& file) {
    out_ = "schema: 1\n";
    const library_identity& from = file.library;
    if (!(from == library_identity{})) {
      [[maybe_unused]] const auto& [name, version, digest] = from;  // all of them are written here
      flow_map m;
      if (!from.name.empty()) m.add("name", scalar(from.name));
      if (!from.version.empty()) m.add("version", scalar(from.version));
      if (!from.digest.empty()) m.add("digest", scalar(from.digest));
      out_ += "library: " + m.str() + "\n";
    }
    if (file.functions.empty() && file.functions_that_ask_nothing.empty() && file.size() == 0)
      return out_ + "contracts: []\n";
    out_ += "contracts:\n";
    for (std::size_t i = 0; i < file.functions.size(); ++i) {
      const function_requirement& f = file.functions[i];
      if (i == 0 || f.function != file.functions[i - 1].function)
        out_ += "  - function: " + scalar(f.function) + "\n    requires:\n";
      flow_map m;
      m.add("param", std::to_string(f.param));
      m.add("layout", scalar(f.layout));
      out_ += "      - " + m.str() + "\n";
    }
    for (const std::string& name : file.functions_that_ask_nothing)
      out_ += "  - function: " + scalar(name) + "\n    requires: []\n";
    for (int i = 0; i < file.size(); ++i) {
      about_ = "'" + std::string(file[i].name) + "'";
      if (file.is_single(i)) {
        branch(file[i].branches[0], 2);
      } else {
        dispatch(file[i]);
      }
    }
    return out_;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw cannot{about_ + ": " + what}; }

  std::string written(const expression& e) const {
    const std::string text = text_of(e);
    if (text.empty())
      refuse("an expression of '" + std::string(e.name) +
             "' has no text: a name is letters, digits, '_' and '.'");
    return scalar(text);
  }

  void dispatch(const dispatch_view& d) {
    out_ += "  - dispatch: " + scalar(d.name) + "\n";
    if (d.parameter_count > 0) out_ += "    parameters:\n";
    for (int i = 0; i < d.parameter_count; ++i) {
      const library_parameter& p = d.parameters[i];
      flow_map m;
      m.add("name", scalar(p.name));
      m.add("values", numbers(p.values, p.value_count));
      if (!p.library.empty()) m.add("library", scalar(p.library));
      if (!p.version.empty()) m.add("version", scalar(p.version));
      if (!p.where.empty()) m.add("where", scalar(p.where));
      out_ += "      - " + m.str() + "\n";
    }
    out_ += "    branches:\n";
    for (int i = 0; i < d.branch_count; ++i) branch(d.branches[i], 6);
  }

  void line(int indent, const std::string& text) {
    out_.append(static_cast<std::size_t>(indent), ' ');
    out_ += text + "\n";
  }

  void branch(const contract_view& b, int indent) {
    const std::string name = scalar(b.kernel);
    switch (b.kind) {
      case branch_kind::kernel:
        line(indent, "- kernel: " + name);
        break;
      case branch_kind::refusal:
        line(indent, "- refused: " + name);
        break;
      case branch_kind::otherwise:
        line(indent, "- otherwise: " + name);
        break;
    }
    indent += 2;
    if (b.condition_count > 0) line(indent, "when:");
    for (int i = 0; i < b.condition_count; ++i) line(indent + 2, "- " + written(b.conditions[i]));
    if (b.guard_count > 0) line(indent, "needs:");
    for (int i = 0; i < b.guard_count; ++i) line(indent + 2, "- " + written(b.guards[i]));
    if (b.argument_count > 0) line(indent, "arguments:");
    for (int i = 0; i < b.argument_count; ++i) written(b.arguments[i], indent + 2);
  }

  std::string written(const condition& c) const {
    flow_map m;
    switch (c.kind) {
      case condition_kind::compare:
      case condition_kind::divisible: {
        const std::string text = comparison_text(c);
        if (text.empty()) refuse("a condition on '" + std::string(c.left.name) + "' has no text");
        if (is_plain(c.why)) return scalar(text);
        m.add("is", scalar(text));
        break;
      }
      case condition_kind::present:
        m.add("present", scalar(c.argument_name));
        break;
      case condition_kind::absent:
        m.add("absent", scalar(c.argument_name));
        break;
      case condition_kind::one_of:
      case condition_kind::none_of:
        m.add(c.kind == condition_kind::one_of ? "one_of" : "none_of",
              list(c.tuple_width, [&](int i) { return written(c.tuple[i]); }));
        m.add("rows", list(c.tuple_count,
                           [&](int i) { return numbers(c.tuples + i * c.tuple_width, c.tuple_width); }));
        break;
      case condition_kind::capability_between:
        m.add("capability", c.lowest == c.highest
                                ? text_of(c.lowest)
                                : "[" + text_of(c.lowest) + ", " + text_of(c.highest) + "]");
        break;
    }
    add(m, c.why);
    return m.str();
  }

  void written(const argument& a, int indent) {
    line(indent, "- name: " + scalar(a.name));
    indent += 2;
    if (a.type_count > 0) {
      std::string types;
      for (int i = 0; i < a.type_count; ++i) types += (i > 0 ? "|" : "") + text_of(a.types[i]);
      flow_map m;
      m.add("is", scalar(types));
      add(m, a.type_why);
      line(indent, "type: " + (is_plain(a.type_why) ? scalar(types) : m.str()));
    }
    shape(a, indent);
    if (a.requirement_count > 0) line(indent, "requires:");
    for (int i = 0; i < a.requirement_count; ++i) {
      const std::string text = text_of(a.requirements[i]);
      if (text.empty()) refuse("a fact of '" + std::string(a.name) + "' has no text");
      flow_map m;
      m.add("is", scalar(text));
      const bool has_map = a.requirements[i].what == notion::descriptor_legal && tensor_map(m, a.descriptor);
      add(m, a.requirements[i].why);
      line(indent + 2, "- " + (is_plain(a.requirements[i].why) && !has_map ? scalar(text) : m.str()));
    }
    if (a.sharing_count > 0) line(indent, "shares:");
    for (int i = 0; i < a.sharing_count; ++i) {
      flow_map m;
      m.add(word_of(yaml::sharing_words, a.sharing_rules[i].what), scalar(a.sharing_rules[i].with));
      add(m, a.sharing_rules[i].why);
      line(indent + 2, "- " + m.str());
    }
    if (a.is_optional) line(indent, "optional: true");
    if (!is_plain(a.presence_why)) {
      flow_map m;
      add(m, a.presence_why);
      line(indent, "presence: " + m.str());
    }
    if (a.on_device != device_kind::none || !is_plain(a.device_why)) {
      const std::string kind(to_string(a.on_device));
      flow_map m;
      m.add("is", kind);
      add(m, a.device_why);
      line(indent, "device: " + (is_plain(a.device_why) ? kind : m.str()));
    }
    reader(a, indent);
  }

  void reader(const argument& a, int indent) {
    flow_map m;
    bool said = !is_plain(a.reader_why);
    if (a.reader != reads::whole_row || said || a.stale != stale_policy::refused) {
      m.add("how", word_of(yaml::reader_words, a.reader));
      said = true;
    }
    if (!a.bounded_by.empty())
      m.add(a.lengths_outside ? "bounded_outside" : "bounded_by", scalar(a.bounded_by));
    if (!a.cost.empty()) m.add("grows", scalar(a.cost));
    if (a.tile != 1) m.add("tile", std::to_string(a.tile));
    if (a.stale != stale_policy::refused) m.add("stale", word_of(yaml::stale_words, a.stale));
    add(m, a.reader_why);
    if (said) line(indent, "reads: " + m.str());
  }

  // Says only what is not the default; true if it said anything.
  static bool tensor_map(flow_map& m, const descriptor_rule& rule) {
    const descriptor_rule usual;
    bool said = false;
    const auto say = [&](std::string_view key, std::string_view written) {
      m.add(key, written);
      said = true;
    };
    if (rule.element_bytes != usual.element_bytes) say("element_bytes", std::to_string(rule.element_bytes));
    if (rule.interleaved != usual.interleaved)
      say("interleave", word_of(yaml::interleave_words, rule.interleaved));
    if (rule.swizzled != usual.swizzled) say("swizzle", word_of(yaml::swizzle_words, rule.swizzled));
    if (rule.packed != usual.packed) say("packing", word_of(yaml::packing_words, rule.packed));
    if (rule.has_box) say("box", numbers(rule.box, 5));
    if (rule.has_box) say("element_strides", numbers(rule.element_strides, 5));
    return said;
  }

  std::string extents(const shape_pattern& s) const {
    return list(s.rank, [&](int i) { return written(s.extents[i]); });
  }

  void shape(const argument& a, int indent) {
    unsigned of_shapes = 0;
    for (int s = 0; s < a.shape_count; ++s) of_shapes |= 1u << a.shapes[s].rank;
    const bool says_ranks = a.ranks != of_shapes;
    const bool plain = is_plain(a.shape_why) && a.dimension_why_count == 0;
    if (a.shape_count == 0 && !says_ranks && plain) return;
    if (a.shape_count == 1 && !says_ranks && plain && !a.shapes[0].has_strides) {
      line(indent, "shape: " + extents(a.shapes[0]));
      return;
    }
    flow_map m;
    if (a.shape_count > 0)
      m.add("any_of", list(a.shape_count, [&](int i) {
              const shape_pattern& s = a.shapes[i];
              if (!s.has_strides) return extents(s);
              flow_map one;
              one.add("extents", extents(s));
              one.add("strides", list(s.rank, [&](int d) { return written(s.strides[d]); }));
              return one.str();
            }));
    if (says_ranks) {
      std::string ranks;
      for (int r = 0; r <= max_rank; ++r)
        if ((a.ranks >> r) & 1u) ranks += (ranks.empty() ? "" : ", ") + std::to_string(r);
      m.add("ranks", "[" + ranks + "]");
    }
    add(m, a.shape_why);
    if (a.dimension_why_count > 0)
      m.add("dimensions", list(a.dimension_why_count, [&](int i) {
              const dimension_basis& d = a.dimension_why[i];
              flow_map one;
              one.add(d.of_stride ? "stride" : "extent", std::to_string(d.dim));
              one.add("rank", std::to_string(d.rank));
              add(one, d.why);
              return one.str();
            }));
    line(indent, "shape: " + m.str());
  }

  std::string out_;
  std::string about_;
};

}  // namespace

contract_text write_contract_file(const contract_file& file) {
  contract_text result;
  try {
    std::string text = writer().write(file);
    const contract_file_result again = read_contract_file(text, "contracts");
    if (!again.ok) {
      result.error = "it would not read back: " + again.error.message;
      return result;
    }
    bool same = again.file.size() == file.size() && again.file.library == file.library &&
                again.file.functions.size() == file.functions.size() &&
                again.file.functions_that_ask_nothing == file.functions_that_ask_nothing;
    for (std::size_t i = 0; same && i < file.functions.size(); ++i)
      same = yaml::same_function(file.functions[i], again.file.functions[i]);
    for (int i = 0; same && i < file.size(); ++i) same = file.is_single(i) == again.file.is_single(i);
    if (!same) {
      result.error = "a name, or an item of the file, has no text that reads back the same";
      return result;
    }
    for (int i = 0; i < file.size(); ++i) {
      const std::string lost = yaml::difference(file[i], again.file[i]);
      if (lost.empty()) continue;
      result.error = "'" + std::string(file[i].name) + "': this would be lost: " + lost;
      return result;
    }
    result.ok = true;
    result.yaml = std::move(text);
  } catch (const cannot& c) {
    result.error = c.message;
  }
  return result;
}

}  // namespace v1
}  // namespace stridelock
