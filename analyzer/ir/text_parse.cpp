#include <charconv>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>

#include "analyzer/ir/text.h"
#include "analyzer/ir/text_words.h"

namespace stridelock::ir {
namespace {

using detail::facts_of;

// Thrown inside this file only; parse() turns it into a value.
struct failure {
  std::size_t column;  // 0-based
  std::string message;
};

// One line of text and a position in it. All tokens of the form are read through here.
class cursor {
 public:
  explicit cursor(std::string_view line) : line_(line) {}

  std::size_t position() const { return at_; }
  void move_to(std::size_t position) { at_ = position; }

  void skip_space() {
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
  }
  bool at_end() {
    skip_space();
    return at_ == line_.size();
  }
  char peek() {
    skip_space();
    return at_ < line_.size() ? line_[at_] : '\0';
  }
  // Next character without skipping white space.
  char here() const { return at_ < line_.size() ? line_[at_] : '\0'; }
  bool accept_here(std::string_view text) {
    if (!line_.substr(at_).starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  bool accept(std::string_view text) {
    skip_space();
    return accept_here(text);
  }
  void expect(std::string_view text) {
    if (!accept(text)) fail("'" + std::string(text) + "'");
  }

  [[noreturn]] void fail(std::string_view expected) {
    skip_space();
    fail_at(at_, "expected " + std::string(expected) + ", found " + found());
  }
  [[noreturn]] void fail_at(std::size_t position, std::string message) {
    throw failure{position, std::move(message)};
  }

  // A keyword: letters, digits, underscore. Empty if there is none.
  std::string_view keyword() {
    skip_space();
    std::size_t end = at_;
    while (end < line_.size() && detail::is_identifier_char(line_[end])) ++end;
    return take(end);
  }
  std::string_view identifier_here() {
    std::size_t end = at_;
    if (end < line_.size() && detail::is_identifier_start(line_[end]))
      while (end < line_.size() && detail::is_identifier_char(line_[end])) ++end;
    return take(end);
  }
  std::string_view path_here() {  // identifier (:: identifier)*
    const std::size_t begin = at_;
    if (identifier_here().empty()) return {};
    for (;;) {
      const std::size_t before = at_;
      if (accept_here("::") && !identifier_here().empty()) continue;
      at_ = before;
      return line_.substr(begin, at_ - begin);
    }
  }

  template <typename T>
  T number_here(T maximum = std::numeric_limits<T>::max()) {
    T value = 0;
    const char* begin = line_.data() + at_;
    const char* end = line_.data() + line_.size();
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error == std::errc::result_out_of_range || (error == std::errc() && value > maximum))
      fail("a number up to " + std::to_string(maximum));
    if (error != std::errc()) fail("a number");
    at_ += static_cast<std::size_t>(stop - begin);
    return value;
  }
  template <typename T>
  T number(T maximum = std::numeric_limits<T>::max()) {
    skip_space();
    return number_here<T>(maximum);
  }

  name word(std::string_view what) {
    skip_space();
    if (here() == '"') return string();
    const std::size_t length = detail::word_length(line_.substr(at_));
    if (length == 0) fail(what);
    return name(take(at_ + length));
  }

  name string() {
    skip_space();
    const std::size_t begin = at_;
    if (!accept_here("\"")) fail("a quoted string");
    const std::size_t end = line_.find_first_of("\"\\", at_);
    if (end != std::string_view::npos && line_[end] == '"') {  // no escapes
      const name result(take(end));
      ++at_;
      return result;
    }
    std::string content;
    for (;;) {
      if (at_ == line_.size()) fail_at(begin, "expected '\"' at the end of this string, found end of line");
      const char c = line_[at_++];
      if (c == '"') return name(content);
      if (c != '\\') {
        content += c;
        continue;
      }
      const char escaped = here();
      ++at_;
      if (escaped == '"' || escaped == '\\') {
        content += escaped;
      } else if (escaped == 'n') {
        content += '\n';
      } else if (escaped == 't') {
        content += '\t';
      } else if (escaped == 'x') {
        unsigned byte = 0;
        const std::string_view digits = line_.substr(std::min(at_, line_.size()), 2);
        const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
        if (digits.size() != 2 || parsed.ptr != digits.data() + 2)
          fail_at(at_ - 2, "expected two hexadecimal digits after '\\x'");
        content += static_cast<char>(byte);
        at_ += 2;
      } else {
        fail_at(at_ - 2, "expected one of \\\" \\\\ \\n \\t \\xNN, found another escape");
      }
    }
  }

  std::string_view take(std::size_t end) {
    const std::string_view text = line_.substr(at_, end - at_);
    at_ = end;
    return text;
  }
  std::string_view line() const { return line_; }

 private:
  std::string found() {
    if (at_ >= line_.size()) return "end of line";
    std::string_view rest = line_.substr(at_);
    std::size_t length = detail::word_length(rest);
    if (length == 0) length = detail::utf8_length(rest);
    if (length > 40) length = 40;
    std::string shown = "'";
    for (char c : rest.substr(0, length)) shown += (c >= 0 && c < 0x20) || c == 0x7F ? '?' : c;
    return shown + "'";
  }

  std::string_view line_;
  std::size_t at_ = 0;
};

enum class opcode : std::uint8_t {
  expr,
  load,
  init,
  store,
  call,
  closure,
  pointer_cast,
  read,
  write,
  scope_end,
  temporary_end,
  unused,
  unknown,
  alloc,
  view,
  maycopy,
  query,
  test,
  pointer,
  same,
  invoke,
  effect,
  capture,
  jump,
  branch,
  switch_,
  return_,
  stop,
  unreachable,
};
struct operation {
  opcode code;
  std::uint8_t detail;  // expr_op, call_kind
};

const std::unordered_map<std::string_view, operation>& operations() {
  static const auto* table = [] {
    auto* t = new std::unordered_map<std::string_view, operation>{
        {"load", {opcode::load, 0}},
        {"init", {opcode::init, 0}},
        {"store", {opcode::store, 0}},
        {"closure", {opcode::closure, 0}},
        {"pointer_cast", {opcode::pointer_cast, 0}},
        {"read", {opcode::read, 0}},
        {"write", {opcode::write, 0}},
        {"scope_end", {opcode::scope_end, 0}},
        {"temporary_end", {opcode::temporary_end, 0}},
        {"unused", {opcode::unused, 0}},
        {"unknown", {opcode::unknown, 0}},
        {"alloc", {opcode::alloc, 0}},
        {"view", {opcode::view, 0}},
        {"maycopy", {opcode::maycopy, 0}},
        {"query", {opcode::query, 0}},
        {"test", {opcode::test, 0}},
        {"pointer", {opcode::pointer, 0}},
        {"same", {opcode::same, 0}},
        {"invoke", {opcode::invoke, 0}},
        {"effect", {opcode::effect, 0}},
        {"capture", {opcode::capture, 0}},
        {"jump", {opcode::jump, 0}},
        {"branch", {opcode::branch, 0}},
        {"switch", {opcode::switch_, 0}},
        {"return", {opcode::return_, 0}},
        {"stop", {opcode::stop, 0}},
        {"unreachable", {opcode::unreachable, 0}},
    };
    for (std::size_t i = 0; i < words::expr_op_count; ++i)
      t->emplace(words::expr_word(i), operation{opcode::expr, static_cast<std::uint8_t>(i)});
    for (std::size_t i = 0; i < words::call_kind.size(); ++i)
      t->emplace(words::call_kind[i], operation{opcode::call, static_cast<std::uint8_t>(i)});
    return t;
  }();
  return *table;
}

class parser {
 public:
  parser(std::string_view text, std::string_view source) : text_(text), source_(source) {}

  std::variant<unit, parse_error> run() {
    if (text_.size() > max_text_bytes)
      return error(0, "expected at most " + std::to_string(max_text_bytes) + " bytes, found " +
                          std::to_string(text_.size()));
    while (!text_.empty()) {
      ++line_number_;
      const std::size_t end = text_.find('\n');
      std::string_view line = text_.substr(0, end);
      text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (const std::size_t bad = invalid_utf8(line); bad != std::string_view::npos)
        return error(bad, "expected UTF-8, found an invalid byte");
      cursor c(line);
      try {
        parse_line(c);
      } catch (const failure& f) {
        return error(f.column, f.message);
      }
    }
    try {
      finish_function();
      if (has_version_ && !ended_)
        throw failure{0, "expected 'end', found end of file: the text is incomplete"};
    } catch (const failure& f) {
      ++line_number_;
      return error(f.column, f.message);
    }
    return std::move(unit_);
  }

 private:
  parse_error error(std::size_t column, std::string message) const {
    return {source_, line_number_, static_cast<std::uint32_t>(column + 1), std::move(message)};
  }

  static std::size_t invalid_utf8(std::string_view line) {
    std::size_t at = 0;
    while (at < line.size()) {
      if (static_cast<unsigned char>(line[at]) < 0x80) {
        ++at;
        continue;
      }
      const std::size_t length = detail::utf8_length(line.substr(at));
      if (length == 0) return at;
      at += length;
    }
    return std::string_view::npos;
  }

  // ---- lines ----
  void parse_line(cursor& c) {
    if (c.at_end() || c.line().substr(c.position()).starts_with("//")) return;
    if (ended_) c.fail("nothing after 'end'");
    const std::size_t begin = c.position();
    if (c.peek() == '%') return parse_instruction(c, c.position(), std::string_view());
    const std::string_view key = c.keyword();
    if (key.empty()) c.fail("a line of the form (function, record, b0:, %0 = …, call …)");
    if (function_ != nullptr && key.size() > 1 && key[0] == 'b' && detail::is_digit(key[1]) &&
        c.here() == ':')
      return parse_label(c, key, begin);
    // Instructions first: they are most of a file. None of their words is a top-level word.
    if (operations().contains(key)) return parse_instruction(c, begin, key);
    parse_declaration(c, key, begin);
  }

  void parse_declaration(cursor& c, std::string_view key, std::size_t begin) {
    if (key == "param" || key == "local") {
      if (function_ == nullptr || !function_->blocks.empty())
        c.fail_at(begin,
                  "expected '" + std::string(key) + "' between 'function' and 'b0:', found it elsewhere");
      return key == "param" ? parse_parameter(c) : parse_local(c);
    }
    if (key == "base" || key == "field") {
      if (!in_record_)
        c.fail_at(begin, "expected '" + std::string(key) + "' below 'record', found it elsewhere");
      return key == "base" ? unit_.records.back().bases.push_back(last_word(c, "the name of a record"))
                           : parse_field(c);
    }
    finish_function();
    in_record_ = false;
    if (key == "function") return parse_function(c);
    if (key == "record") return parse_record(c);
    if (key == "dependency") return unit_.dependencies.push_back(last_word(c, "a file"));
    if (key == "constructed") return unit_.constructed.push_back(last_word(c, "the name of a record"));
    if (key == "diagnostic") return parse_diagnostic(c);
    if (key == "suppression") return parse_suppression(c);
    if (key == "unit") return parse_unit(c, begin);
    if (key == "stridelock") return parse_version(c, begin);
    if (key == "end") {
      end_of_line(c);
      ended_ = true;
      return;
    }
    c.fail_at(begin,
              "expected an instruction or one of function, param, local, record, base, field, unit, "
              "dependency, constructed, diagnostic, suppression, end, found '" +
                  std::string(key.substr(0, 40)) + "'");
  }

  static void end_of_line(cursor& c) {
    if (!c.at_end()) c.fail("end of line");
  }
  static name last_word(cursor& c, std::string_view what) {
    const name result = c.word(what);
    end_of_line(c);
    return result;
  }

  void parse_version(cursor& c, std::size_t begin) {
    if (has_version_ || line_number_ != 1)
      c.fail_at(begin, "expected 'stridelock-ir' on the first line only");
    c.expect("-ir");
    c.skip_space();
    const std::size_t at = c.position();
    const auto version = c.number<std::uint32_t>();
    if (version != schema_version)
      c.fail_at(at, "expected schema version " + std::to_string(schema_version) + ", found " +
                        std::to_string(version));
    end_of_line(c);
    has_version_ = true;
  }

  void parse_unit(cursor& c, std::size_t begin) {
    if (has_unit_) c.fail_at(begin, "expected one 'unit' line, found a second one");
    has_unit_ = true;
    unit_.main_file = c.word("the main file");
    while (!c.at_end()) {
      const std::size_t at = c.position();
      const std::string_view key = c.keyword();
      if (key == "asserts_disabled") {
        unit_.asserts_disabled = true;
      } else if (key == "per_thread_default_stream") {
        unit_.per_thread_default_stream = true;
      } else if (key == "digest") {
        unit_.command_digest = value_word(c);
      } else if (key == "state") {
        unit_.state = value_enum<unit_state>(c, words::unit_state);
      } else if (key == "errors") {
        unit_.error_count = value_number(c);
      } else if (key == "templates_without_instance") {
        unit_.templates_without_instance = value_number(c);
      } else if (key == "hidden_by_cuda_arch") {
        unit_.hidden_by_cuda_arch = value_number(c);
      } else {
        unexpected(c, at,
                   "digest=, state=, asserts_disabled, per_thread_default_stream, errors=, "
                   "templates_without_instance=, hidden_by_cuda_arch=");
      }
    }
    file_ = unit_.main_file;
  }

  void parse_diagnostic(cursor& c) {
    diagnostic d;
    d.message = c.string();
    finish_line(c, d.where, nullptr);
    unit_.diagnostics.push_back(std::move(d));
  }

  void parse_suppression(cursor& c) {
    suppression s;
    s.check = c.word("the name of a check");
    c.expect("at");
    location where;
    parse_location(c, where);
    s.file = where.file;
    s.line = where.line;
    s.comment_line = s.line;
    while (!c.at_end()) {
      const std::size_t at = c.position();
      const std::string_view key = c.keyword();
      if (key == "comment")
        s.comment_line = value_number(c);
      else if (key == "reason")
        s.reason = value_word(c);
      else if (key == "to") {
        s.extent = suppression_extent::region;
        s.last_line = value_number(c);
      } else if (key == "unclosed")
        s.extent = suppression_extent::unclosed;
      else if (key == "unopened")
        s.extent = suppression_extent::unopened;
      else
        unexpected(c, at, "to=, unclosed, unopened, comment=, reason=");
    }
    unit_.suppressions.push_back(s);
  }

  void parse_record(cursor& c) {
    record r;
    r.qualified = c.word("the name of a record");
    while (!c.at_end()) {
      const std::size_t at = c.position();
      if (c.keyword() != "final") unexpected(c, at, "final");
      r.is_final = true;
    }
    unit_.records.push_back(std::move(r));
    in_record_ = true;
  }

  void parse_field(cursor& c) {
    field f;
    f.variable = c.word("the name of a field");
    f.type = c.word("a type");
    f.record = facts_of(f.type.view()).record;
    while (!c.at_end()) {
      const std::size_t at = c.position();
      if (c.keyword() != "record") unexpected(c, at, "record=");
      f.record = value_word(c);
    }
    unit_.records.back().fields.push_back(f);
  }

  void parse_function(cursor& c) {
    file_ = unit_.main_file;
    function f;
    f.symbol = c.word("the symbol of a function");
    f.qualified = f.symbol;
    bool has_signature = false;
    bool has_record = false;
    while (!c.at_end() && c.peek() != ';') {
      const std::size_t at = c.position();
      const std::string_view key = c.keyword();
      if (key == "qualified") {
        f.qualified = value_word(c);
      } else if (key == "signature") {
        f.signature = value_word(c);
        has_signature = true;
      } else if (key == "returns") {
        f.return_type = value_word(c);
      } else if (key == "record") {
        f.record = value_word(c);
        has_record = true;
      } else if (key == "overrides") {
        f.overrides.push_back(value_word(c));
      } else if (key == "values") {
        c.expect("=");
        f.value_count = c.number<std::uint32_t>(max_values);
        has_value_count_ = true;
      } else if (bool* flag = function_flag(f, key)) {
        *flag = true;
      } else {
        unexpected(c, at,
                   "qualified=, signature=, record=, overrides=, returns=, values=, method, virtual, "
                   "constructor, destructor, lambda, kernel, device, instantiation, noreturn, exported");
      }
    }
    finish_line(c, f.where, nullptr);
    if (!has_signature) f.signature = f.qualified;
    if (f.is_method && !has_record) f.record = detail::scope_of(f.qualified.view());
    if (!f.where.file.empty()) file_ = f.where.file;
    unit_.functions.push_back(std::move(f));
    function_ = &unit_.functions.back();
  }

  static bool* function_flag(function& f, std::string_view key) {
    if (key == "method") return &f.is_method;
    if (key == "virtual") return &f.is_virtual;
    if (key == "constructor") return &f.is_constructor;
    if (key == "destructor") return &f.is_destructor;
    if (key == "lambda") return &f.is_lambda;
    if (key == "kernel") return &f.is_kernel;
    if (key == "device") return &f.is_device;
    if (key == "instantiation") return &f.is_instantiation;
    if (key == "noreturn") return &f.is_noreturn;
    if (key == "exported") return &f.is_exported;
    return nullptr;
  }

  void parse_parameter(cursor& c) {
    parameter p;
    p.variable = c.word("the name of a parameter");
    p.type = c.word("a type");
    const auto facts = facts_of(p.type.view());
    p.record = facts.record;
    p.how = facts.how;
    p.is_pointer = facts.is_pointer;
    p.to_const = facts.to_const;
    while (!c.at_end() && c.peek() != ';') {
      const std::size_t at = c.position();
      const std::string_view key = c.keyword();
      if (key == "record")
        p.record = value_word(c);
      else if (key == "passing")
        p.how = value_enum<passing>(c, words::passing);
      else if (key == "is_pointer")
        p.is_pointer = value_bool(c);
      else if (key == "to_const")
        p.to_const = value_bool(c);
      else if (key == "contract")
        p.contract = value_word(c);
      else
        unexpected(c, at, "record=, passing=, is_pointer=, to_const=, contract=");
    }
    finish_line(c, p.where, nullptr);
    add_variable(params_by_name_, p.variable, function_->params.size());
    function_->params.push_back(p);
  }

  void parse_local(cursor& c) {
    local l;
    l.variable = c.word("the name of a local variable");
    l.type = c.word("a type");
    l.record = facts_of(l.type.view()).record;
    while (!c.at_end() && c.peek() != ';') {
      const std::size_t at = c.position();
      const std::string_view key = c.keyword();
      if (key == "record")
        l.record = value_word(c);
      else if (key == "static")
        l.is_static = true;
      else
        unexpected(c, at, "record=, static");
    }
    finish_line(c, l.where, nullptr);
    add_variable(locals_by_name_, l.variable, function_->locals.size());
    function_->locals.push_back(l);
  }

  static constexpr std::uint32_t ambiguous = ~std::uint32_t{0};
  using variables = std::unordered_map<std::string_view, std::uint32_t>;
  static void add_variable(variables& by_name, name variable, std::size_t index) {
    if (variable.empty()) return;
    const auto [at, is_new] = by_name.emplace(variable.view(), static_cast<std::uint32_t>(index));
    if (!is_new) at->second = ambiguous;
  }

  void parse_label(cursor& c, std::string_view key, std::size_t begin) {
    const std::string expected = "b" + std::to_string(function_->blocks.size());
    if (key != expected)
      c.fail_at(begin, "expected '" + expected + ":' (blocks are numbered in order), found '" +
                           std::string(key.substr(0, 40)) + ":'");
    require_terminator(begin);
    c.expect(":");
    block b;
    while (!c.at_end()) {
      const std::size_t at = c.position();
      if (c.keyword() != "handler") unexpected(c, at, "handler");
      b.is_handler = true;
    }
    function_->blocks.push_back(std::move(b));
    has_terminator_ = false;
  }

  void require_terminator(std::size_t column) {
    if (function_ == nullptr || function_->blocks.empty() || has_terminator_) return;
    throw failure{
        column,
        "expected a terminator (jump, branch, switch, return, stop, unreachable) at the end of block b" +
            std::to_string(function_->blocks.size() - 1) + " of '" + function_->symbol.str() +
            "', found none"};
  }

  void finish_function() {
    if (function_ == nullptr) return;
    require_terminator(0);
    if (highest_block_ >= 0 && static_cast<std::size_t>(highest_block_) >= function_->blocks.size())
      throw failure{0, "expected a block 'b" + std::to_string(highest_block_) + ":' in '" +
                           function_->symbol.str() + "', which line " + std::to_string(highest_block_line_) +
                           " names, found only " + std::to_string(function_->blocks.size())};
    if (has_value_count_ && values_ > function_->value_count)
      throw failure{0, "expected values below values=" + std::to_string(function_->value_count) + " in '" +
                           function_->symbol.str() + "', found %" + std::to_string(values_ - 1)};
    if (!has_value_count_) function_->value_count = values_;
    function_ = nullptr;
    has_value_count_ = false;
    has_terminator_ = false;
    values_ = 0;
    highest_block_ = -1;
    locals_by_name_.clear();
    params_by_name_.clear();
  }

  // ---- attributes ----
  [[noreturn]] static void unexpected(cursor& c, std::size_t at, std::string_view expected) {
    c.move_to(at);
    c.fail("one of " + std::string(expected));
  }
  static name value_word(cursor& c) {
    c.expect("=");
    return c.word("a name");
  }
  static std::uint32_t value_number(cursor& c) {
    c.expect("=");
    return c.number<std::uint32_t>();
  }
  static bool value_bool(cursor& c) {
    c.expect("=");
    c.skip_space();
    const std::size_t at = c.position();
    const std::string_view key = c.keyword();
    if (key == "yes") return true;
    if (key == "no") return false;
    unexpected(c, at, "yes, no");
  }
  template <typename Enum>
  static Enum enum_word(cursor& c, std::span<const std::string_view> table) {
    c.skip_space();
    const std::size_t at = c.position();
    const std::string_view key = c.keyword();
    for (std::size_t i = 0; i < table.size(); ++i)
      if (table[i] == key) return static_cast<Enum>(i);
    std::string expected;
    for (std::string_view word : table) {
      if (!expected.empty()) expected += ", ";
      expected += word;
    }
    unexpected(c, at, expected);
  }
  template <typename Enum>
  static Enum value_enum(cursor& c, std::span<const std::string_view> table) {
    c.expect("=");
    return enum_word<Enum>(c, table);
  }

  // [file:]line[:column]
  void parse_location(cursor& c, location& where) {
    c.skip_space();
    where.file = file_;
    if (c.here() == '"') {
      where.file = c.string();
    } else {
      const std::string_view line = c.line();
      std::size_t end = c.position();
      bool only_digits = true;
      for (; end < line.size() && detail::is_word_char(line[end]); ++end)
        only_digits = only_digits && detail::is_digit(line[end]);
      if (end == c.position()) c.fail("a location ([file:]line[:column])");
      if (only_digits) {
        where.line = c.number_here<std::uint32_t>();
        if (c.accept_here(":")) where.column = c.number_here<std::uint32_t>();
        return;
      }
      where.file = name(c.take(end));
    }
    if (!c.accept_here(":")) c.fail("':' and a line after the file");
    where.line = c.number_here<std::uint32_t>();
    if (c.accept_here(":")) where.column = c.number_here<std::uint32_t>();
  }

  // [; [location] ["spelling"]]
  void finish_line(cursor& c, location& where, name* spelling) {
    if (c.accept(";")) {
      c.skip_space();
      if (!c.at_end()) {
        const std::size_t at = c.position();
        bool is_location = c.peek() != '"';
        if (!is_location) {  // a quoted file is followed by ':'
          c.string();
          is_location = c.here() == ':';
          c.move_to(at);
        }
        if (is_location) parse_location(c, where);
      }
      if (spelling != nullptr && c.peek() == '"') *spelling = c.string();
    }
    end_of_line(c);
  }

  // ---- values, places, operands ----
  value_id parse_value(cursor& c) {  // after '%'
    if (c.accept_here("?")) return no_value;
    const auto id = c.number_here<value_id>(max_values - 1);
    if (id >= values_) values_ = id + 1;
    return id;
  }
  value_id expect_value(cursor& c) {
    if (!c.accept("%")) c.fail("a value (%0)");
    return parse_value(c);
  }

  std::uint32_t parse_variable(cursor& c, const variables& by_name, std::size_t count,
                               std::string_view kind) {
    const std::size_t at = c.position();
    if (detail::is_digit(c.here())) {
      const auto index = c.number_here<std::uint32_t>();
      if (index >= count)
        c.fail_at(at, "expected a " + std::string(kind) + " below " + std::to_string(count) + ", found " +
                          std::to_string(index));
      return index;
    }
    const std::string_view variable = c.identifier_here();
    if (variable.empty()) c.fail("the name or number of a " + std::string(kind));
    const auto found = by_name.find(variable);
    if (found == by_name.end())
      c.fail_at(at, "expected a declared " + std::string(kind) + ", found '" +
                        std::string(variable.substr(0, 40)) + "'");
    if (found->second == ambiguous)
      c.fail_at(at, "expected the number of a " + std::string(kind) + ": more than one is called '" +
                        std::string(variable.substr(0, 40)) + "'");
    return found->second;
  }
  std::uint32_t parse_local_name(cursor& c) {  // after '$'
    return parse_variable(c, locals_by_name_, function_->locals.size(), "local variable");
  }

  place parse_place(cursor& c) {
    place where;
    if (c.accept("$")) {
      where.root = root_kind::local;
      where.number = parse_local_name(c);
    } else if (c.accept("@")) {
      where.root = root_kind::param;
      where.number = parse_variable(c, params_by_name_, function_->params.size(), "parameter");
    } else if (c.accept("::")) {
      where.root = root_kind::global;
      if (c.here() == '"') {
        where.symbol = c.string();
      } else {
        const std::string_view symbol = c.identifier_here();
        if (symbol.empty()) c.fail("the symbol of a variable");
        where.symbol = symbol;
      }
    } else if (c.accept("*%")) {
      where.root = root_kind::value;
      where.number = parse_value(c);
    } else {
      c.fail("a place ($local, @param, ::global, *%value)");
    }
    for (;;) {
      step s;
      if (c.accept_here(".*")) {
        s.kind = step_kind::deref;
      } else if (c.accept_here(".{")) {
        s.record = c.string();
        c.expect(",");
        s.field = c.string();
        c.expect("}");
      } else if (c.accept_here(".")) {
        const std::string_view path = c.path_here();
        if (path.empty()) c.fail("a field");
        const std::string_view scope = detail::scope_of(path);
        s.record = scope;
        s.field = path.substr(scope.empty() ? 0 : scope.size() + 2);
      } else if (c.here() == '[') {
        const std::size_t before = c.position();
        c.accept_here("[");
        if (c.accept_here("*]")) {
          s.kind = step_kind::any_element;
        } else if (detail::is_digit(c.here())) {
          s.kind = step_kind::element;
          s.index = c.number_here<std::uint32_t>();
          if (!c.accept_here("]")) c.fail("']'");
        } else {
          c.move_to(before);
          c.fail("an element ([0], [*])");
        }
      } else {
        return where;
      }
      where.path.push_back(s);
    }
  }

  integer parse_integer(cursor& c) {
    integer i;
    i.number = c.number<std::int64_t>();
    if (c.accept_here("(")) {
      i.enumerator = c.word("an enumerator");
      c.expect(")");
    }
    return i;
  }

  operand parse_operand(cursor& c) {
    const char first = c.peek();
    if (first == '%') return value_ref{expect_value(c)};
    if (detail::is_digit(first) || first == '-') return parse_integer(c);
    if (first == '"') return text{c.string()};
    if (first == '&') {
      c.expect("&");
      return address_of{parse_place(c)};
    }
    const std::size_t at = c.position();
    const std::string_view key = c.keyword();
    if (key == "_") return none{};
    if (key == "fn") return function_ref{c.word("the symbol of a function")};
    c.move_to(at);
    c.fail("an operand (%0, 5, \"text\", &place, fn symbol, _)");
  }

  // Comma-separated operands up to `close`, which is consumed.
  std::vector<operand> parse_operands(cursor& c, std::string_view close) {
    std::vector<operand> list;
    if (c.accept(close)) return list;
    do list.push_back(parse_operand(c));
    while (c.accept(","));
    c.expect(close);
    return list;
  }

  operand value_operand(cursor& c) {
    c.expect("=");
    return parse_operand(c);
  }

  // ---- instructions ----
  void parse_instruction(cursor& c, std::size_t begin, std::string_view key) {
    if (function_ == nullptr || function_->blocks.empty())
      c.fail_at(begin, "expected instructions inside a block ('b0:'), found one outside");
    if (has_terminator_)
      c.fail_at(begin, "expected a new block after a terminator, found another instruction");
    value_id result = no_value;
    if (key.empty()) {
      result = expect_value(c);
      c.expect("=");
      c.skip_space();
      begin = c.position();
      key = c.keyword();
    }
    const auto found = operations().find(key);
    if (found == operations().end()) {
      c.move_to(begin);
      c.fail("an instruction (load, store, call, add, view, …)");
    }
    const operation op = found->second;
    if (op.code >= opcode::jump) {
      if (result != no_value) c.fail_at(begin, "expected an instruction with a result, found a terminator");
      return parse_terminator(c, op.code);
    }
    block& b = function_->blocks.back();
    instruction& i = b.body.emplace_back();
    parse_payload(c, op, result, i.what);
    finish_line(c, i.where, &i.spelling);
    if (result != no_value && !has_result(op.code))
      c.fail_at(begin,
                "expected an instruction with a result, found '" + std::string(key) + "', which has none");
  }

  static bool has_result(opcode code) {
    switch (code) {
      case opcode::init:
      case opcode::store:
      case opcode::read:
      case opcode::write:
      case opcode::scope_end:
      case opcode::temporary_end:
      case opcode::unused:
      case opcode::effect:
      case opcode::capture:
        return false;
      default:
        return true;
    }
  }

  void parse_payload(cursor& c, operation op, value_id result, payload& out) {
    switch (op.code) {
      case opcode::expr:
        out = parse_expr(c, static_cast<expr_op>(op.detail), result);
        return;
      case opcode::load: {
        load l;
        l.result = result;
        l.from = parse_place(c);
        if (c.accept(":")) l.type = c.word("a type");
        out = std::move(l);
        return;
      }
      case opcode::init:
      case opcode::store: {
        store s;
        s.kind = op.code == opcode::init ? store_kind::initialise : store_kind::assign;
        s.to = parse_place(c);
        c.expect("=");
        s.what = parse_operand(c);
        out = std::move(s);
        return;
      }
      case opcode::call:
        out = parse_call(c, static_cast<call_kind>(op.detail), result);
        return;
      case opcode::closure:
        out = parse_closure(c, result);
        return;
      case opcode::pointer_cast:
        out = parse_pointer_cast(c, result);
        return;
      case opcode::read:
      case opcode::write: {
        index_use i;
        i.is_write = op.code == opcode::write;
        i.pointer = parse_operand(c);
        c.expect("[");
        i.index = parse_operand(c);
        c.expect("]");
        out = std::move(i);
        return;
      }
      case opcode::scope_end:
        c.expect("$");
        out = scope_end{parse_local_name(c)};
        return;
      case opcode::temporary_end:
        out = temporary_end{expect_value(c)};
        return;
      case opcode::unused:
        out = unused{expect_value(c)};
        return;
      case opcode::unknown:
        out = unknown{result, c.word("a reason")};
        return;
      default:
        return parse_modelled(c, op.code, result, out);
    }
  }

  expr parse_expr(cursor& c, expr_op op, value_id result) {
    expr e;
    e.result = result;
    e.op = op;
    c.skip_space();
    const std::size_t at = c.position();
    if (op == expr_op::aggregate && c.peek() != ':' && c.peek() != ';' && !c.at_end() && parse_fields(c, e)) {
      // record {field = operand, …}
    } else {
      c.move_to(at);
      const char next = c.peek();
      const bool has_operands = next != '\0' && next != ':' && next != ';' && !at_attribute(c);
      if (has_operands) {
        do e.operands.push_back(parse_operand(c));
        while (c.accept(","));
      }
      while (!c.at_end() && c.peek() != ':' && c.peek() != ';') {
        const std::size_t start = c.position();
        const std::string_view key = c.keyword();
        if (key == "record") {
          e.record = value_word(c);
        } else if (key == "fields") {
          c.expect("=");
          c.expect("(");
          if (!c.accept(")")) {
            do e.fields.push_back(c.word("the name of a field"));
            while (c.accept(","));
            c.expect(")");
          }
        } else {
          unexpected(c, start, "',', record=, fields=, ':' and a width, ';'");
        }
      }
    }
    if (c.accept(":")) {
      c.skip_space();
      if (c.accept_here("i"))
        e.is_signed = true;
      else if (!c.accept_here("u"))
        c.fail("the width of an integer (i32, u64)");
      e.bits = static_cast<std::uint8_t>(c.number_here<unsigned>(255));
    }
    return e;
  }

  static bool at_attribute(cursor& c) {
    const std::size_t at = c.position();
    const std::string_view key = c.keyword();
    const bool is_attribute = (key == "record" || key == "fields") && c.here() == '=';
    c.move_to(at);
    return is_attribute;
  }

  // `record {field = operand, …}`; false if this is not one.
  bool parse_fields(cursor& c, expr& e) {
    if (c.peek() == '%' || c.peek() == '&' || c.peek() == '-' || at_attribute(c)) return false;
    name record;
    if (c.peek() != '{') record = c.word("a record");
    if (!c.accept("{")) return false;
    e.record = record;
    if (c.accept("}")) return true;
    do {
      e.fields.push_back(c.word("the name of a field"));
      c.expect("=");
      e.operands.push_back(parse_operand(c));
    } while (c.accept(","));
    c.expect("}");
    return true;
  }

  argument parse_argument(cursor& c) {
    argument a;
    a.what = parse_operand(c);
    if (c.accept(":")) {
      a.type = c.word("a type");
      a.to_const = facts_of(a.type.view()).to_const;
    }
    while (c.peek() != ',' && c.peek() != ')') {
      const std::size_t at = c.position();
      const std::string_view key = c.keyword();
      if (key == "const")
        a.to_const = true;
      else if (key == "mutable")
        a.to_const = false;
      else if (key == "pointee")
        a.pointee = c.number<std::uint32_t>();
      else if (key == "as")
        a.spelling = c.string();
      else if (key == "at")
        parse_location(c, a.where);
      else
        unexpected(c, at, "',', ')', const, mutable, pointee, as, at");
    }
    return a;
  }

  call parse_call(cursor& c, call_kind kind, value_id result) {
    call out;
    out.result = result;
    out.kind = kind;
    if (kind == call_kind::indirect)
      out.target = parse_operand(c);
    else
      out.callee = c.word("the name of a function");
    if (c.accept("<<<")) out.config = parse_operands(c, ">>>");
    c.expect("(");
    if (!c.accept(")")) {
      do out.args.push_back(parse_argument(c));
      while (c.accept(","));
      c.expect(")");
    }
    out.is_method = kind == call_kind::virtual_ || kind == call_kind::construct || kind == call_kind::destroy;
    bool has_symbol = false;
    bool has_record = false;
    while (!c.at_end() && c.peek() != ';') {
      const std::size_t at = c.position();
      if (c.accept("->")) {
        out.type = c.word("a type");
        continue;
      }
      const std::string_view key = c.keyword();
      if (key == "method") {
        out.is_method = true;
      } else if (key == "free") {
        out.is_method = false;
      } else if (key == "discarded") {
        out.is_discarded = true;
      } else if (key == "callee") {
        out.callee = value_word(c);
      } else if (key == "symbol") {
        out.symbol = value_word(c);
        has_symbol = true;
      } else if (key == "record") {
        out.record = value_word(c);
        has_record = true;
      } else if (key == "target") {
        out.target = value_operand(c);
      } else {
        unexpected(c, at, "method, free, discarded, callee=, symbol=, record=, target=, -> type, ';'");
      }
    }
    if (!has_symbol) out.symbol = out.callee;
    if (!has_record && out.is_method) out.record = detail::scope_of(out.callee.view());
    return out;
  }

  closure parse_closure(cursor& c, value_id result) {
    closure out;
    out.result = result;
    out.symbol = c.word("the symbol of the body");
    c.expect("[");
    if (c.accept("]")) return out;
    do {
      capture one;
      one.by_reference = c.accept("&");
      one.variable = c.word("the name of a captured variable");
      c.expect("=");
      one.what = parse_operand(c);
      out.captures.push_back(std::move(one));
    } while (c.accept(","));
    c.expect("]");
    return out;
  }

  pointer_cast parse_pointer_cast(cursor& c, value_id result) {
    pointer_cast out;
    out.result = result;
    out.what = parse_operand(c);
    if (c.accept("->")) out.type = c.word("a type");
    out.to_const = facts_of(out.type.view()).to_const;
    while (!c.at_end() && c.peek() != ';') {
      const std::size_t at = c.position();
      const std::string_view key = c.keyword();
      if (key == "pointee") {
        out.pointee = value_number(c);
      } else if (key == "lanes") {
        c.expect("=");
        out.lanes = static_cast<std::uint8_t>(c.number<unsigned>(255));
      } else if (key == "to_const") {
        out.to_const = value_bool(c);
      } else {
        unexpected(c, at, "pointee=, lanes=, to_const=, ';'");
      }
    }
    return out;
  }

  // Attributes of a modelled instruction: `try_one(key)` takes what it knows, "by" is the label where there
  // is one.
  template <typename TryOne>
  void attributes(cursor& c, name* label, std::string_view expected, TryOne try_one) {
    while (!c.at_end() && c.peek() != ';') {
      const std::size_t at = c.position();
      const std::string_view key = c.keyword();
      if (label != nullptr && key == "by")
        *label = c.word("the name of a function");
      else if (!try_one(key))
        unexpected(c, at, expected);
    }
  }
  static constexpr auto nothing_else = [](std::string_view) { return false; };

  void parse_modelled(cursor& c, opcode code, value_id result, payload& out) {
    switch (code) {
      case opcode::alloc: {
        alloc a;
        a.result = result;
        a.space = enum_word<memory_space>(c, words::memory_space);
        attributes(c, &a.label, "like=, shape=, by, ';'", [&](std::string_view key) {
          if (key == "like")
            a.like = value_operand(c);
          else if (key == "shape")
            a.shape = value_operand(c);
          else
            return false;
          return true;
        });
        out = std::move(a);
        return;
      }
      case opcode::view: {
        view v;
        v.result = result;
        v.op = enum_word<view_op>(c, words::view_op);
        c.expect("(");
        v.base = parse_operand(c);
        if (c.accept(","))
          v.args = parse_operands(c, ")");
        else
          c.expect(")");
        attributes(c, &v.label, "by, ';'", nothing_else);
        out = std::move(v);
        return;
      }
      case opcode::maycopy: {
        maycopy m;
        m.result = result;
        m.op = enum_word<copy_op>(c, words::copy_op);
        c.expect("(");
        m.base = parse_operand(c);
        c.expect(")");
        attributes(c, &m.label, "by, ';'", nothing_else);
        out = std::move(m);
        return;
      }
      case opcode::query: {
        query q;
        q.result = result;
        q.op = enum_word<query_op>(c, words::query_op);
        c.expect("(");
        q.base = parse_operand(c);
        if (c.accept(",")) q.dim = parse_operand(c);
        c.expect(")");
        out = std::move(q);
        return;
      }
      case opcode::test: {
        test t;
        t.result = result;
        t.what = enum_word<predicate>(c, words::predicate);
        c.expect("(");
        t.operands = parse_operands(c, ")");
        attributes(c, &t.label, "by, ';'", nothing_else);
        out = std::move(t);
        return;
      }
      case opcode::pointer: {
        pointer p;
        p.result = result;
        p.base = parse_operand(c);
        attributes(c, nullptr, "without_offset, ';'", [&](std::string_view key) {
          if (key != "without_offset") return false;
          p.includes_offset = false;
          return true;
        });
        out = std::move(p);
        return;
      }
      case opcode::same:
        out = same{result, parse_operand(c)};
        return;
      case opcode::invoke: {
        invoke i;
        i.result = result;
        i.callable = parse_operand(c);
        attributes(c, &i.label, "deferred, by, ';'", [&](std::string_view key) {
          if (key != "deferred") return false;
          i.deferred = true;
          return true;
        });
        out = std::move(i);
        return;
      }
      case opcode::effect: {
        effect e;
        e.op = enum_word<effect_op>(c, words::effect_op);
        attributes(c, &e.label, "stream=, by, ';'", [&](std::string_view key) {
          if (key != "stream") return false;
          e.stream = value_operand(c);
          return true;
        });
        out = std::move(e);
        return;
      }
      case opcode::capture: {
        capture_event e;
        e.op = enum_word<capture_op>(c, words::capture_op);
        c.expect("(");
        e.object = parse_operand(c);
        c.expect(")");
        attributes(c, &e.label, "unknown, global, thread_local, relaxed, raw, framework, by, ';'",
                   [&](std::string_view key) {
                     for (std::size_t i = 0; i < words::capture_mode.size(); ++i) {
                       if (words::capture_mode[i] != key) continue;
                       e.mode = static_cast<capture_mode>(i);
                       return true;
                     }
                     if (key != "framework" && key != "raw") return false;
                     e.owner = key == "raw" ? capture_owner::raw : capture_owner::framework;
                     return true;
                   });
        out = std::move(e);
        return;
      }
      default:
        c.fail("an instruction");
    }
  }

  // ---- terminators ----
  block_id parse_block_name(cursor& c) {
    if (!c.accept("b") || !detail::is_digit(c.here())) c.fail("a block (b0)");
    const auto id = c.number_here<block_id>((block_id{1} << 24) - 1);
    if (static_cast<std::int64_t>(id) > highest_block_) {
      highest_block_ = id;
      highest_block_line_ = line_number_;
    }
    return id;
  }

  void parse_terminator(cursor& c, opcode code) {
    terminator& end = function_->blocks.back().end;
    switch (code) {
      case opcode::jump:
        end = jump{parse_block_name(c)};
        break;
      case opcode::branch: {
        branch b;
        b.condition = parse_operand(c);
        b.if_true = parse_block_name(c);
        b.if_false = parse_block_name(c);
        if (!c.at_end() && c.peek() != ';') {
          c.skip_space();
          const std::size_t at = c.position();
          if (c.keyword() != "loop") unexpected(c, at, "loop, ';'");
          b.is_loop = true;
        }
        end = std::move(b);
        break;
      }
      case opcode::switch_: {
        switch_branch s;
        s.condition = parse_operand(c);
        while (c.accept("(")) {
          switch_case& one = s.cases.emplace_back();
          if (!c.accept("default")) {
            do one.values.push_back(parse_integer(c));
            while (c.accept(","));
          }
          c.expect("->");
          one.to = parse_block_name(c);
          c.expect(")");
        }
        end = std::move(s);
        break;
      }
      case opcode::return_: {
        ret r;
        if (!c.at_end() && c.peek() != ';') r.what = parse_operand(c);
        end = std::move(r);
        break;
      }
      case opcode::stop:
        end = stop{enum_word<stop_kind>(c, words::stop_kind)};
        break;
      default:
        end = unreachable{};
        break;
    }
    finish_line(c, function_->blocks.back().where, nullptr);
    has_terminator_ = true;
  }

  std::string_view text_;  // not yet read
  std::string source_;
  std::uint32_t line_number_ = 0;
  unit unit_;
  bool has_version_ = false;
  bool has_unit_ = false;
  bool ended_ = false;
  bool in_record_ = false;
  name file_;  // what a location without a file means

  // The function being read.
  function* function_ = nullptr;
  variables locals_by_name_;
  variables params_by_name_;
  bool has_value_count_ = false;
  bool has_terminator_ = false;
  std::uint32_t values_ = 0;
  std::int64_t highest_block_ = -1;
  std::uint32_t highest_block_line_ = 0;
};

}  // namespace

std::string parse_error::str() const {
  return file + ':' + std::to_string(line) + ':' + std::to_string(column) + ": error: " + message;
}

std::variant<unit, parse_error> parse(std::string_view text, std::string_view source_name) {
  return parser(text, source_name).run();
}

}  // namespace stridelock::ir
