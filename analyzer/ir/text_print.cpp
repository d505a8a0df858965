#include <charconv>
#include <unordered_map>

#include "analyzer/ir/text.h"
#include "analyzer/ir/text_words.h"

namespace stridelock::ir {
namespace {

using detail::facts_of;

class printer {
 public:
  explicit printer(const unit& what) : unit_(what) {}

  std::string run() {
    raw("stridelock-ir ");
    number(schema_version);
    raw("\nunit ");
    word(unit_.main_file);
    if (!unit_.command_digest.empty()) attribute("digest", unit_.command_digest);
    if (unit_.state != unit_state::clean) {
      raw(" state=");
      raw(words::unit_state[static_cast<std::size_t>(unit_.state)]);
    }
    flag(unit_.asserts_disabled, "asserts_disabled");
    flag(unit_.per_thread_default_stream, "per_thread_default_stream");
    count("errors", unit_.error_count);
    count("templates_without_instance", unit_.templates_without_instance);
    count("hidden_by_cuda_arch", unit_.hidden_by_cuda_arch);
    raw("\n");
    file_ = unit_.main_file;
    for (const diagnostic& d : unit_.diagnostics) {
      raw("diagnostic ");
      quoted(d.message.view());
      finish_line(d.where, name());
    }
    list("dependency ", unit_.dependencies);
    list("constructed ", unit_.constructed);
    for (const record& r : unit_.records) print_record(r);
    for (const suppression& s : unit_.suppressions) print_suppression(s);
    for (const function& f : unit_.functions) print_function(f);
    raw("end\n");
    return std::move(out_);
  }

 private:
  // ---- tokens ----
  void raw(std::string_view text) { out_.append(text); }

  template <typename T>
  void number(T value) {
    char buffer[24];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    out_.append(buffer, end);
  }

  void quoted(std::string_view text) {
    static constexpr char hex[] = "0123456789abcdef";
    out_ += '"';
    while (!text.empty()) {
      const char c = text[0];
      const std::size_t length = detail::utf8_length(text);
      if (c == '"' || c == '\\') {
        out_ += '\\';
        out_ += c;
      } else if (c == '\n') {
        raw("\\n");
      } else if (c == '\t') {
        raw("\\t");
      } else if (length == 0 || (length == 1 && (c < 0x20 || c == 0x7F))) {
        const auto byte = static_cast<unsigned char>(c);
        raw("\\x");
        out_ += hex[byte >> 4];
        out_ += hex[byte & 15];
      } else {
        out_.append(text.substr(0, length));
      }
      text.remove_prefix(length == 0 ? 1 : length);
    }
    out_ += '"';
  }

  void word(name n) {
    const std::string_view text = n.view();
    // A trailing '-' would join a '>' that follows to an arrow (fn a->>>), a leading ':' is read as a type's.
    if (!text.empty() && text.back() != '-' && text.front() != ':' &&
        detail::word_length(text) == text.size())
      raw(text);
    else
      quoted(text);
  }

  void attribute(std::string_view key, name value) {
    out_ += ' ';
    raw(key);
    out_ += '=';
    word(value);
  }
  void count(std::string_view key, std::uint32_t value) {
    if (value == 0) return;
    out_ += ' ';
    raw(key);
    out_ += '=';
    number(value);
  }
  void flag(bool is_set, std::string_view key) {
    if (!is_set) return;
    out_ += ' ';
    raw(key);
  }
  void yes_no(std::string_view key, bool value) {
    out_ += ' ';
    raw(key);
    raw(value ? "=yes" : "=no");
  }
  void label(name n) {
    if (n.empty()) return;
    raw(" by ");
    word(n);
  }

  void print_location(const location& where) {
    if (where.file != file_) {
      const std::string_view text = where.file.view();
      bool bare = !text.empty();
      bool only_digits = true;
      for (char c : text) {
        bare = bare && detail::is_word_char(c);
        only_digits = only_digits && detail::is_digit(c);
      }
      if (bare && !only_digits && text[0] != '-')
        raw(text);
      else
        quoted(text);
      out_ += ':';
    }
    number(where.line);
    if (where.column != 0) {
      out_ += ':';
      number(where.column);
    }
  }

  void finish_line(const location& where, name spelling) {
    if (where != location{} || !spelling.empty()) raw(" ;");
    if (where != location{}) {
      out_ += ' ';
      print_location(where);
    }
    if (!spelling.empty()) {
      out_ += ' ';
      quoted(spelling.view());
    }
    out_ += '\n';
  }

  void list(std::string_view key, const std::vector<name>& names) {
    for (name n : names) {
      raw(key);
      word(n);
      out_ += '\n';
    }
  }

  // ---- values, places, operands ----
  void value(value_id id) {
    out_ += '%';
    if (id == no_value) {
      out_ += '?';
      return;
    }
    number(id);
    if (id >= values_) values_ = id + 1;
  }

  template <typename Variables>
  static void find_unique(const Variables& variables, std::vector<bool>& unique) {
    unique.assign(variables.size(), false);
    std::unordered_map<name, std::size_t> first;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const name variable = variables[i].variable;
      if (!detail::is_identifier(variable.view())) continue;
      const auto [at, is_new] = first.emplace(variable, i);
      unique[is_new ? i : at->second] = is_new;
    }
  }

  void local_name(std::uint32_t index) {
    out_ += '$';
    if (index < unique_locals_.size() && unique_locals_[index])
      raw(function_->locals[index].variable.view());
    else
      number(index);
  }

  void print_place(const place& where) {
    switch (where.root) {
      case root_kind::local:
        local_name(where.number);
        break;
      case root_kind::param:
        out_ += '@';
        if (where.number < unique_params_.size() && unique_params_[where.number])
          raw(function_->params[where.number].variable.view());
        else
          number(where.number);
        break;
      case root_kind::global:
        raw("::");
        if (detail::is_identifier(where.symbol.view()))
          raw(where.symbol.view());
        else
          quoted(where.symbol.view());
        break;
      case root_kind::value:
        out_ += '*';
        value(where.number);
        break;
    }
    for (const step& s : where.path) {
      switch (s.kind) {
        case step_kind::field:
          if (detail::is_identifier(s.field.view()) &&
              (s.record.empty() || detail::is_path(s.record.view()))) {
            out_ += '.';
            raw(s.record.view());
            if (!s.record.empty()) raw("::");
            raw(s.field.view());
          } else {
            raw(".{");
            quoted(s.record.view());
            raw(", ");
            quoted(s.field.view());
            out_ += '}';
          }
          break;
        case step_kind::element:
          out_ += '[';
          number(s.index);
          out_ += ']';
          break;
        case step_kind::any_element:
          raw("[*]");
          break;
        case step_kind::deref:
          raw(".*");
          break;
      }
    }
  }

  void print_integer(const integer& i) {
    number(i.number);
    if (i.enumerator.empty()) return;
    out_ += '(';
    word(i.enumerator);
    out_ += ')';
  }

  void operator()(const none&) { out_ += '_'; }
  void operator()(const value_ref& v) { value(v.id); }
  void operator()(const integer& i) { print_integer(i); }
  void operator()(const text& t) { quoted(t.content.view()); }
  void operator()(const function_ref& f) {
    raw("fn ");
    word(f.symbol);
  }
  void operator()(const address_of& a) {
    out_ += '&';
    print_place(a.where);
  }
  void print_operand(const operand& what) {
    std::visit([this](const auto& x) { (*this)(x); }, what);
  }
  void operands(const std::vector<operand>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i != 0) raw(", ");
      print_operand(list[i]);
    }
  }
  static bool is_none(const operand& what) { return std::holds_alternative<none>(what); }
  void operand_attribute(std::string_view key, const operand& what) {
    if (is_none(what)) return;
    out_ += ' ';
    raw(key);
    out_ += '=';
    print_operand(what);
  }

  // ---- instructions ----
  void result(value_id id) {
    if (id == no_value) return;
    value(id);
    raw(" = ");
  }
  void type_suffix(name type) {
    if (type.empty()) return;
    raw(" : ");
    word(type);
  }

  void operator()(const expr& e) {
    result(e.result);
    raw(words::expr_word(static_cast<std::size_t>(e.op)));
    if (e.op == expr_op::aggregate && e.fields.size() == e.operands.size()) {
      out_ += ' ';
      word(e.record);
      raw(" {");
      for (std::size_t i = 0; i < e.fields.size(); ++i) {
        if (i != 0) raw(", ");
        word(e.fields[i]);
        raw(" = ");
        print_operand(e.operands[i]);
      }
      out_ += '}';
    } else {
      if (!e.operands.empty()) out_ += ' ';
      operands(e.operands);
      if (!e.record.empty()) attribute("record", e.record);
      if (!e.fields.empty()) {
        raw(" fields=(");
        for (std::size_t i = 0; i < e.fields.size(); ++i) {
          if (i != 0) raw(", ");
          word(e.fields[i]);
        }
        out_ += ')';
      }
    }
    if (e.bits != 0 || e.is_signed) {
      raw(e.is_signed ? " : i" : " : u");
      number(static_cast<unsigned>(e.bits));
    }
  }
  void operator()(const load& l) {
    result(l.result);
    raw("load ");
    print_place(l.from);
    type_suffix(l.type);
  }
  void operator()(const store& s) {
    raw(s.kind == store_kind::initialise ? "init " : "store ");
    print_place(s.to);
    raw(" = ");
    print_operand(s.what);
  }
  void print_argument(const argument& a) {
    print_operand(a.what);
    if (!a.type.empty()) {
      raw(": ");
      word(a.type);
    }
    if (a.to_const != facts_of(a.type.view()).to_const) raw(a.to_const ? " const" : " mutable");
    if (a.pointee != 0) {
      raw(" pointee ");
      number(a.pointee);
    }
    if (!a.spelling.empty()) {
      raw(" as ");
      quoted(a.spelling.view());
    }
    if (a.where != location{}) {
      raw(" at ");
      print_location(a.where);
    }
  }
  void operator()(const call& c) {
    result(c.result);
    raw(words::call_kind[static_cast<std::size_t>(c.kind)]);
    out_ += ' ';
    const bool is_indirect = c.kind == call_kind::indirect;
    if (is_indirect) {
      print_operand(c.target);
      out_ += ' ';  // tells the arguments from the enumerator of an integer
    } else {
      word(c.callee);
    }
    if (!c.config.empty()) {
      raw("<<<");
      operands(c.config);
      raw(">>>");
    }
    out_ += '(';
    for (std::size_t i = 0; i < c.args.size(); ++i) {
      if (i != 0) raw(", ");
      print_argument(c.args[i]);
    }
    out_ += ')';
    const bool method_kind =
        c.kind == call_kind::virtual_ || c.kind == call_kind::construct || c.kind == call_kind::destroy;
    if (c.is_method != method_kind) raw(c.is_method ? " method" : " free");
    flag(c.is_discarded, "discarded");
    if (is_indirect && !c.callee.empty()) attribute("callee", c.callee);
    if (c.symbol != c.callee) attribute("symbol", c.symbol);
    const std::string_view scope = c.is_method ? detail::scope_of(c.callee.view()) : std::string_view();
    if (c.record.view() != scope) attribute("record", c.record);
    if (!is_indirect) operand_attribute("target", c.target);
    if (!c.type.empty()) {
      raw(" -> ");
      word(c.type);
    }
  }
  void operator()(const closure& c) {
    result(c.result);
    raw("closure ");
    word(c.symbol);
    raw(" [");
    for (std::size_t i = 0; i < c.captures.size(); ++i) {
      if (i != 0) raw(", ");
      if (c.captures[i].by_reference) out_ += '&';
      word(c.captures[i].variable);
      raw(" = ");
      print_operand(c.captures[i].what);
    }
    out_ += ']';
  }
  void operator()(const pointer_cast& p) {
    result(p.result);
    raw("pointer_cast ");
    print_operand(p.what);
    if (!p.type.empty()) {
      raw(" -> ");
      word(p.type);
    }
    count("pointee", p.pointee);
    if (p.lanes != 1) {
      raw(" lanes=");
      number(static_cast<unsigned>(p.lanes));
    }
    if (p.to_const != facts_of(p.type.view()).to_const) yes_no("to_const", p.to_const);
  }
  void operator()(const index_use& i) {
    raw(i.is_write ? "write " : "read ");
    print_operand(i.pointer);
    raw(" [");  // the space tells the index from an element of a place
    print_operand(i.index);
    out_ += ']';
  }
  void operator()(const scope_end& s) {
    raw("scope_end ");
    local_name(s.local);
  }
  void operator()(const temporary_end& t) {
    raw("temporary_end ");
    value(t.what);
  }
  void operator()(const unused& u) {
    raw("unused ");
    value(u.what);
  }
  void operator()(const unknown& u) {
    result(u.result);
    raw("unknown ");
    quoted(u.reason.view());
  }
  void operator()(const alloc& a) {
    result(a.result);
    raw("alloc ");
    raw(words::memory_space[static_cast<std::size_t>(a.space)]);
    operand_attribute("like", a.like);
    operand_attribute("shape", a.shape);
    label(a.label);
  }
  void operator()(const view& v) {
    result(v.result);
    raw("view ");
    raw(words::view_op[static_cast<std::size_t>(v.op)]);
    out_ += '(';
    print_operand(v.base);
    if (!v.args.empty()) raw(", ");
    operands(v.args);
    out_ += ')';
    label(v.label);
  }
  void operator()(const maycopy& m) {
    result(m.result);
    raw("maycopy ");
    raw(words::copy_op[static_cast<std::size_t>(m.op)]);
    out_ += '(';
    print_operand(m.base);
    out_ += ')';
    label(m.label);
  }
  void operator()(const query& q) {
    result(q.result);
    raw("query ");
    raw(words::query_op[static_cast<std::size_t>(q.op)]);
    out_ += '(';
    print_operand(q.base);
    if (!is_none(q.dim)) {
      raw(", ");
      print_operand(q.dim);
    }
    out_ += ')';
  }
  void operator()(const test& t) {
    result(t.result);
    raw("test ");
    raw(words::predicate[static_cast<std::size_t>(t.what)]);
    out_ += '(';
    operands(t.operands);
    out_ += ')';
    label(t.label);
  }
  void operator()(const pointer& p) {
    result(p.result);
    raw("pointer ");
    print_operand(p.base);
    flag(!p.includes_offset, "without_offset");
  }
  void operator()(const same& s) {
    result(s.result);
    raw("same ");
    print_operand(s.of);
  }
  void operator()(const invoke& i) {
    result(i.result);
    raw("invoke ");
    print_operand(i.callable);
    flag(i.deferred, "deferred");
    label(i.label);
  }
  void operator()(const effect& e) {
    raw("effect ");
    raw(words::effect_op[static_cast<std::size_t>(e.op)]);
    operand_attribute("stream", e.stream);
    label(e.label);
  }
  void operator()(const capture_event& c) {
    raw("capture ");
    raw(words::capture_op[static_cast<std::size_t>(c.op)]);
    out_ += '(';
    print_operand(c.object);
    out_ += ')';
    if (c.mode != capture_mode::unknown) {
      out_ += ' ';
      raw(words::capture_mode[static_cast<std::size_t>(c.mode)]);
    }
    flag(c.owner == capture_owner::framework, "framework");
    label(c.label);
  }

  // ---- terminators ----
  void block_name(block_id id) {
    out_ += 'b';
    number(id);
  }
  void operator()(const jump& j) {
    raw("jump ");
    block_name(j.to);
  }
  void operator()(const branch& b) {
    raw("branch ");
    print_operand(b.condition);
    out_ += ' ';
    block_name(b.if_true);
    out_ += ' ';
    block_name(b.if_false);
    flag(b.is_loop, "loop");
  }
  void operator()(const switch_branch& s) {
    raw("switch ");
    print_operand(s.condition);
    for (const switch_case& c : s.cases) {
      raw(" (");
      if (c.values.empty()) raw("default");
      for (std::size_t i = 0; i < c.values.size(); ++i) {
        if (i != 0) raw(", ");
        print_integer(c.values[i]);
      }
      raw(" -> ");
      block_name(c.to);
      out_ += ')';
    }
  }
  void operator()(const ret& r) {
    raw("return");
    if (is_none(r.what)) return;
    out_ += ' ';
    print_operand(r.what);
  }
  void operator()(const stop& s) {
    raw("stop ");
    raw(words::stop_kind[static_cast<std::size_t>(s.kind)]);
  }
  void operator()(const unreachable&) { raw("unreachable"); }

  // ---- functions, records ----
  void print_function(const function& f) {
    function_ = &f;
    values_ = 0;
    find_unique(f.locals, unique_locals_);
    find_unique(f.params, unique_params_);

    // The body first: the header omits a value count that the body implies.
    std::string before = std::move(out_);
    out_.clear();
    file_ = f.where.file.empty() ? unit_.main_file : f.where.file;
    for (const parameter& p : f.params) print_parameter(p);
    for (const local& l : f.locals) print_local(l);
    for (std::size_t i = 0; i < f.blocks.size(); ++i) print_block(f.blocks[i], i);
    std::string body = std::move(out_);
    out_ = std::move(before);

    file_ = unit_.main_file;
    raw("\nfunction ");
    word(f.symbol);
    if (f.qualified != f.symbol) attribute("qualified", f.qualified);
    if (f.signature != f.qualified) attribute("signature", f.signature);
    flag(f.is_method, "method");
    flag(f.is_virtual, "virtual");
    flag(f.is_constructor, "constructor");
    flag(f.is_destructor, "destructor");
    flag(f.is_lambda, "lambda");
    flag(f.is_kernel, "kernel");
    flag(f.is_device, "device");
    flag(f.is_instantiation, "instantiation");
    flag(f.is_noreturn, "noreturn");
    flag(f.is_exported, "exported");
    const std::string_view scope = f.is_method ? detail::scope_of(f.qualified.view()) : std::string_view();
    if (f.record.view() != scope) attribute("record", f.record);
    for (name n : f.overrides) attribute("overrides", n);
    if (!f.return_type.empty()) attribute("returns", f.return_type);
    if (f.value_count != values_) {
      raw(" values=");
      number(f.value_count);
    }
    finish_line(f.where, name());
    raw(body);
    function_ = nullptr;
    unique_locals_.clear();
    unique_params_.clear();
  }

  void print_parameter(const parameter& p) {
    const auto facts = facts_of(p.type.view());
    raw("  param ");
    word(p.variable);
    out_ += ' ';
    word(p.type);
    if (p.record.view() != facts.record) attribute("record", p.record);
    if (p.how != facts.how) {
      raw(" passing=");
      raw(words::passing[static_cast<std::size_t>(p.how)]);
    }
    if (p.is_pointer != facts.is_pointer) yes_no("is_pointer", p.is_pointer);
    if (p.to_const != facts.to_const) yes_no("to_const", p.to_const);
    if (!p.contract.empty()) {
      raw(" contract=");
      quoted(p.contract.view());
    }
    finish_line(p.where, name());
  }

  void print_local(const local& l) {
    raw("  local ");
    word(l.variable);
    out_ += ' ';
    word(l.type);
    if (l.record.view() != facts_of(l.type.view()).record) attribute("record", l.record);
    flag(l.is_static, "static");
    finish_line(l.where, name());
  }

  void print_block(const block& b, std::size_t index) {
    block_name(static_cast<block_id>(index));
    raw(":");
    flag(b.is_handler, "handler");
    out_ += '\n';
    for (const instruction& i : b.body) {
      raw("  ");
      std::visit([this](const auto& x) { (*this)(x); }, i.what);
      finish_line(i.where, i.spelling);
    }
    raw("  ");
    std::visit([this](const auto& x) { (*this)(x); }, b.end);
    finish_line(b.where, name());
  }

  void print_record(const record& r) {
    raw("\nrecord ");
    word(r.qualified);
    flag(r.is_final, "final");
    out_ += '\n';
    list("  base ", r.bases);
    for (const field& f : r.fields) {
      raw("  field ");
      word(f.variable);
      out_ += ' ';
      word(f.type);
      if (f.record.view() != facts_of(f.type.view()).record) attribute("record", f.record);
      out_ += '\n';
    }
  }

  void print_suppression(const suppression& s) {
    raw("suppression ");
    word(s.check);
    raw(" at ");
    print_location({s.file, s.line, 0});
    switch (s.extent) {
      case suppression_extent::line:
        break;
      case suppression_extent::region:
        raw(" to=");
        number(s.last_line);
        break;
      case suppression_extent::unclosed:
        raw(" unclosed");
        break;
      case suppression_extent::unopened:
        raw(" unopened");
        break;
    }
    if (s.comment_line != s.line) {
      raw(" comment=");
      number(s.comment_line);
    }
    if (!s.reason.empty()) {
      raw(" reason=");
      quoted(s.reason.view());
    }
    out_ += '\n';
  }

  const unit& unit_;
  std::string out_;
  name file_;  // locations in this file omit it
  const function* function_ = nullptr;
  std::vector<bool> unique_locals_;  // written by name
  std::vector<bool> unique_params_;
  std::uint32_t values_ = 0;  // highest value id seen, plus one
};

}  // namespace

std::string print(const unit& what) {
  return printer(what).run();
}

}  // namespace stridelock::ir
