#include "analyzer/ir/random_unit.h"

#include <iterator>
#include <limits>
#include <random>
#include <string>

namespace stridelock::ir {
namespace {

class generator {
 public:
  explicit generator(std::uint64_t seed) : random_(seed) {}

  unit run() {
    unit u;
    main_file_ = any_name();
    u.main_file = main_file_;
    u.command_digest = any_name();
    u.state = pick<unit_state>(3);
    u.asserts_disabled = chance(2);
    u.per_thread_default_stream = chance(2);
    u.error_count = any_number();
    u.templates_without_instance = any_number();
    u.hidden_by_cuda_arch = any_number();
    for (auto n = below(3); n > 0; --n) u.diagnostics.push_back({any_location(), any_name()});
    for (auto n = below(3); n > 0; --n) u.dependencies.push_back(any_name());
    for (auto n = below(3); n > 0; --n) u.constructed.push_back(any_name());
    for (auto n = below(3); n > 0; --n) {
      record r;
      r.qualified = any_name();
      r.is_final = chance(2);
      for (auto m = below(3); m > 0; --m) r.bases.push_back(any_name());
      for (auto m = below(4); m > 0; --m) r.fields.push_back({any_name(), any_type(), any_record()});
      u.records.push_back(std::move(r));
    }
    for (auto n = below(3); n > 0; --n) {
      suppression one{any_name(), any_number(), any_number(), any_name(), any_name()};
      one.extent = static_cast<suppression_extent>(below(4));
      if (one.extent == suppression_extent::region) one.last_line = any_number();
      u.suppressions.push_back(one);
    }
    for (auto n = below(4); n > 0; --n) u.functions.push_back(any_function());
    return u;
  }

 private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
  bool chance(std::uint32_t one_in) { return below(one_in) == 0; }
  template <typename Enum>
  Enum pick(std::uint32_t count) {
    return static_cast<Enum>(below(count));
  }
  std::uint32_t any_number() {
    switch (below(4)) {
      case 0:
        return 0;
      case 1:
        return std::numeric_limits<std::uint32_t>::max();
      default:
        return below(1000);
    }
  }

  name any_name() {
    static const char* const hard[] = {"",
                                       "a",
                                       "_",
                                       "at::Tensor::narrow",
                                       "std::vector::operator[]",
                                       "operator()",
                                       "a::",
                                       "::",
                                       "b0",
                                       "fn",
                                       "a b",
                                       "tab\there",
                                       "line\nbreak",
                                       "\"quoted\"",
                                       "back\\slash",
                                       "-1",
                                       "a->b",
                                       "12",
                                       "12:3",
                                       "x.cpp:3:4",
                                       "dir/x.cpp",
                                       "call",
                                       "fields=",
                                       "caf\xC3\xA9",
                                       "\xFF\xFE",
                                       "\x01\x7F",
                                       "%1",
                                       "$x",
                                       "a;b",
                                       "<lambda>",
                                       "#0",
                                       "_Z3f@a.cpp#1",
                                       "function",
                                       "record",
                                       "const",
                                       "@",
                                       "a:b",
                                       "\xED\xA0\x80",
                                       "'",
                                       "{",
                                       "(unnamed)",
                                       " ",
                                       "a-",
                                       "..",
                                       "*"};
    return hard[below(std::size(hard))];
  }
  name any_type() {
    static const char* const types[] = {"at::Tensor",
                                        "const at::Tensor &",
                                        "at::Tensor &",
                                        "at::Tensor &&",
                                        "int",
                                        "const float *",
                                        "float *const",
                                        "const char *const &",
                                        "void *",
                                        "ggml_tensor *",
                                        "bool",
                                        "std::optional<at::Tensor>",
                                        "const std::vector<at::Tensor, std::allocator<at::Tensor> > &",
                                        "int[4]",
                                        "void (*)(int)",
                                        "T *&",
                                        "unsigned long"};
    return chance(4) ? any_name() : name(types[below(std::size(types))]);
  }
  name any_record() {
    static const char* const records[] = {"at::Tensor", "std::optional", "std::vector", "", "engine::params"};
    return chance(3) ? any_name() : name(records[below(std::size(records))]);
  }
  location any_location() {
    switch (below(4)) {
      case 0:
        return {};
      case 1:
        return {main_file_, any_number(), any_number()};
      case 2:
        return {function_file_, any_number(), any_number()};
      default:
        return {any_name(), any_number(), any_number()};
    }
  }

  value_id any_value() {
    if (chance(30)) return no_value;
    return below(values_);
  }
  value_id any_result() { return chance(5) ? no_value : below(values_); }

  place any_place() {
    place p;
    for (;;) {
      p.root = pick<root_kind>(4);
      if (p.root == root_kind::local) {
        if (f_->locals.empty()) continue;
        p.number = below(static_cast<std::uint32_t>(f_->locals.size()));
      } else if (p.root == root_kind::param) {
        if (f_->params.empty()) continue;
        p.number = below(static_cast<std::uint32_t>(f_->params.size()));
      } else if (p.root == root_kind::global) {
        p.symbol = any_name();
      } else {
        p.number = any_value();
      }
      break;
    }
    for (auto n = below(4); n > 0; --n) {
      step s;
      s.kind = pick<step_kind>(4);
      if (s.kind == step_kind::field) {
        s.record = any_record();
        s.field = any_name();
      }
      if (s.kind == step_kind::element) s.index = below(8);
      p.path.push_back(s);
    }
    return p;
  }
  integer any_integer() {
    integer i;
    switch (below(4)) {
      case 0:
        i.number = std::numeric_limits<std::int64_t>::min();
        break;
      case 1:
        i.number = std::numeric_limits<std::int64_t>::max();
        break;
      default:
        i.number = static_cast<std::int64_t>(below(200)) - 100;
    }
    if (chance(3)) i.enumerator = any_name();
    return i;
  }
  operand any_operand() {
    switch (below(6)) {
      case 0:
        return none{};
      case 1:
        return value_ref{any_value()};
      case 2:
        return any_integer();
      case 3:
        return text{any_name()};
      case 4:
        return function_ref{any_name()};
      default:
        return address_of{any_place()};
    }
  }
  std::vector<operand> any_operands() {
    std::vector<operand> list;
    for (auto n = below(4); n > 0; --n) list.push_back(any_operand());
    return list;
  }

  call any_call() {
    call c;
    c.result = any_result();
    c.kind = pick<call_kind>(6);
    c.callee = any_name();
    c.symbol = chance(2) ? c.callee : any_name();
    c.record = any_record();
    if (chance(3) || c.kind == call_kind::indirect) c.target = any_operand();
    for (auto n = below(4); n > 0; --n)
      c.args.push_back({any_operand(), any_type(), chance(2), any_number(), any_name(), any_location()});
    if (chance(3)) c.config = any_operands();
    c.type = any_type();
    c.is_method = chance(2);
    c.is_discarded = chance(2);
    return c;
  }

  payload any_payload() {
    switch (below(21)) {
      case 0: {
        expr e;
        e.result = any_result();
        e.op = chance(3) ? expr_op::aggregate : pick<expr_op>(26);
        e.operands = any_operands();
        e.bits = static_cast<std::uint8_t>(chance(2) ? 0 : below(256));
        e.is_signed = chance(2);
        if (chance(2)) e.record = any_record();
        if (chance(2))
          for (auto n = chance(2) ? e.operands.size() : below(3); n > 0; --n) e.fields.push_back(any_name());
        return e;
      }
      case 1:
        return load{any_result(), any_place(), any_type()};
      case 2:
        return store{any_place(), any_operand(), pick<store_kind>(2)};
      case 3:
        return any_call();
      case 4: {
        closure c{any_result(), any_name(), {}};
        for (auto n = below(4); n > 0; --n) c.captures.push_back({any_name(), chance(2), any_operand()});
        return c;
      }
      case 5:
        return pointer_cast{any_result(), any_operand(), any_number(), static_cast<std::uint8_t>(below(256)),
                            chance(2),    any_type()};
      case 6:
        return index_use{any_operand(), any_operand(), chance(2)};
      case 7:
        if (f_->locals.empty()) return unused{any_value()};
        return scope_end{below(static_cast<std::uint32_t>(f_->locals.size()))};
      case 8:
        return temporary_end{any_value()};
      case 9:
        return unused{any_value()};
      case 10:
        return unknown{any_result(), any_name()};
      case 11:
        return alloc{any_result(), pick<memory_space>(6), any_operand(), any_operand(), any_name()};
      case 12:
        return view{any_result(), pick<view_op>(16), any_operand(), any_operands(), any_name()};
      case 13:
        return maycopy{any_result(), pick<copy_op>(5), any_operand(), any_name()};
      case 14:
        return query{any_result(), pick<query_op>(12), any_operand(), any_operand()};
      case 15:
        return test{any_result(), pick<predicate>(9), any_operands(), any_name()};
      case 16:
        return pointer{any_result(), any_operand(), chance(2)};
      case 17:
        return same{any_result(), any_operand()};
      case 18:
        return invoke{any_result(), any_operand(), chance(2), any_name()};
      case 19:
        return effect{pick<effect_op>(8), any_operand(), any_name()};
      default:
        return capture_event{pick<capture_op>(6), pick<capture_mode>(4), pick<capture_owner>(2),
                             any_operand(), any_name()};
    }
  }

  terminator any_terminator(std::uint32_t blocks) {
    switch (below(6)) {
      case 0:
        return jump{below(blocks)};
      case 1:
        return branch{any_operand(), below(blocks), below(blocks), chance(2)};
      case 2: {
        switch_branch s{any_operand(), {}};
        for (auto n = below(4); n > 0; --n) {
          switch_case c;
          for (auto m = below(3); m > 0; --m) c.values.push_back(any_integer());
          c.to = below(blocks);
          s.cases.push_back(std::move(c));
        }
        return s;
      }
      case 3:
        return ret{any_operand()};
      case 4:
        return stop{pick<stop_kind>(3)};
      default:
        return unreachable{};
    }
  }

  function any_function() {
    function f;
    f_ = &f;
    f.symbol = any_name();
    f.qualified = any_name();
    f.signature = chance(2) ? f.qualified : any_name();
    f.where = any_location();
    function_file_ = f.where.file.empty() ? main_file_ : f.where.file;
    for (auto n = below(4); n > 0; --n)
      f.params.push_back({any_name(), any_type(), any_record(), pick<passing>(4), chance(2), chance(2),
                          chance(2) ? name() : any_name(), any_location()});
    for (auto n = below(4); n > 0; --n)
      f.locals.push_back({any_name(), any_type(), any_record(), any_location(), chance(2)});
    f.record = any_record();
    f.return_type = any_type();
    for (auto n = below(3); n > 0; --n) f.overrides.push_back(any_name());
    for (bool* flag : {&f.is_method, &f.is_virtual, &f.is_constructor, &f.is_destructor, &f.is_lambda,
                       &f.is_kernel, &f.is_device, &f.is_instantiation, &f.is_noreturn, &f.is_exported})
      *flag = chance(2);
    values_ = 1 + below(20);
    f.value_count = values_ + (chance(2) ? 0 : below(100));
    const std::uint32_t blocks = below(4);
    for (std::uint32_t i = 0; i < blocks; ++i) {
      block b;
      for (auto n = below(8); n > 0; --n)
        b.body.push_back({any_payload(), any_location(), chance(2) ? name() : any_name()});
      b.end = any_terminator(blocks);
      b.where = any_location();
      b.is_handler = chance(4);
      f.blocks.push_back(std::move(b));
    }
    f_ = nullptr;
    return f;
  }

  std::mt19937_64 random_;
  name main_file_;
  name function_file_;
  const function* f_ = nullptr;
  std::uint32_t values_ = 1;
};

}  // namespace

unit random_unit(std::uint64_t seed) {
  return generator(seed).run();
}

}  // namespace stridelock::ir
