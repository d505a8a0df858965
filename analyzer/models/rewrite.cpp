#include "analyzer/models/rewrite.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analyzer/models/places.h"

namespace stridelock::models {
namespace {

using ir::operand;

bool is_none(const operand& o) {
  return std::holds_alternative<ir::none>(o);
}

// The argument is an lvalue or a reference value: what is meant is the object behind it.
bool is_reference(const ir::argument& a) {
  const std::string_view type = a.type.view();
  if (std::holds_alternative<ir::value_ref>(a.what)) return type.ends_with('&');
  return std::holds_alternative<ir::address_of>(a.what) && !type.ends_with('*') && !type.ends_with("*const");
}

bool is_pointer_value(const ir::argument& a) {
  return a.type.view().ends_with('*') || a.type.view().ends_with("*const");
}

ir::name without_reference(ir::name type) {
  std::string_view text = type.view();
  while (text.ends_with('&') || text.ends_with(' ')) text.remove_suffix(1);
  if (text.size() == type.view().size()) return type;
  if (text.starts_with("const ") && !text.ends_with('*')) text.remove_prefix(6);
  return text;
}

ir::step element_step(const operand& index) {
  ir::step s;
  s.kind = ir::step_kind::any_element;
  if (const auto* i = std::get_if<ir::integer>(&index); i != nullptr && i->number >= 0 && i->number < 8) {
    s.kind = ir::step_kind::element;
    s.index = static_cast<std::uint32_t>(i->number);
  }
  return s;
}

// Rewrites one function. `apply` returns false where the call does not fit the row after all: it then stays.
class function_rewriter {
 public:
  function_rewriter(ir::function& f, const model_set& models, const std::unordered_set<ir::name>& bodies)
      : f_(f), models_(models), bodies_(bodies) {}

  void run(rewrite_statistics& statistics,
           std::map<std::pair<ir::name, ir::name>, std::uint64_t>& unmodelled) {
    if (models_.has_fields()) unify_elements(f_, models_);
    for (ir::block_id b = 0; b < f_.blocks.size(); ++b) {  // asserts append blocks
      std::vector<ir::instruction> body = std::move(f_.blocks[b].body);
      out_.clear();
      block_ = b;
      ended_ = false;
      for (std::size_t i = 0; i < body.size() && !ended_; ++i) {
        at_ = &body[i];
        rest_ = {&body, i + 1};
        const auto* call = std::get_if<ir::call>(&body[i].what);
        if (call == nullptr) {
          if (models_.has_fields()) rewrite_field_load(body[i], models_);
          out_.push_back(std::move(body[i]));
          continue;
        }
        ++statistics.calls;
        const bool has_body = bodies_.contains(call->symbol);
        const function_row* row = models_.match(*call, has_body);
        if (row != nullptr && apply(*row, *call)) {
          ++statistics.modelled;
          continue;
        }
        if (!has_body && is_counted(*call)) ++unmodelled[{call->callee, call->symbol}];
        out_.push_back(std::move(body[i]));
      }
      f_.blocks[b].body = std::move(out_);
    }
  }

 private:
  bool is_counted(const ir::call& call) const {
    if (call.kind == ir::call_kind::indirect || call.kind == ir::call_kind::destroy ||
        call.kind == ir::call_kind::launch)
      return false;
    for (const ir::argument& a : call.args)
      if (models_.mentions_tensor(a.type)) return true;
    return models_.mentions_tensor(call.type);
  }

  // ---- emitting ----
  ir::value_id fresh() { return f_.value_count++; }
  void emit(ir::payload what) { out_.push_back({std::move(what), at_->where, at_->spelling}); }
  void keep() { out_.push_back(*at_); }

  // What a pointer operand points to, through casts: `(void**)&p` is p.
  std::optional<ir::place> pointee(const operand& o) {
    const operand* at = &o;
    for (int casts = 0; casts < 8; ++casts) {
      const auto* v = std::get_if<ir::value_ref>(at);
      if (v == nullptr) break;
      const auto found = pointer_casts().find(v->id);
      if (found == pointer_casts().end()) break;
      at = &found->second;
    }
    return place_of(*at);
  }
  static std::optional<ir::place> place_of(const operand& o) {
    if (const auto* a = std::get_if<ir::address_of>(&o)) return a->where;
    if (const auto* v = std::get_if<ir::value_ref>(&o)) {
      ir::place p;
      p.root = ir::root_kind::value;
      p.number = v->id;
      return p;
    }
    return std::nullopt;
  }
  const std::unordered_map<ir::value_id, operand>& pointer_casts() {
    if (has_casts_) return casts_;
    has_casts_ = true;
    const auto collect = [&](const std::vector<ir::instruction>& body) {
      for (const ir::instruction& i : body)
        if (const auto* c = std::get_if<ir::pointer_cast>(&i.what)) casts_.emplace(c->result, c->what);
    };
    for (const ir::block& b : f_.blocks) collect(b.body);
    collect(out_);
    collect(*rest_.first);
    return casts_;
  }

  // ---- operands ----
  // The operand as the call has it: an object stays the address of its place.
  operand object(const operand_source& s, const ir::call& call) {
    switch (s.what) {
      case operand_source::kind::none:
        return ir::none{};
      case operand_source::kind::argument:
        return s.position < call.args.size() ? call.args[s.position].what : operand(ir::none{});
      case operand_source::kind::constant:
        return ir::integer{s.number, {}};
      case operand_source::kind::from_last:
      case operand_source::kind::rest:
      case operand_source::kind::list:
        return value(s, call);
    }
    return ir::none{};
  }
  operand argument_value(const ir::argument& a) {
    if (!is_reference(a)) return a.what;
    ir::load l;
    l.result = fresh();
    l.from = *place_of(a.what);
    l.type = without_reference(a.type);
    const operand result = ir::value_ref{l.result};
    emit(std::move(l));
    return result;
  }
  operand list(std::vector<operand> items) {
    ir::expr e;
    e.op = ir::expr_op::list;
    e.result = fresh();
    e.operands = std::move(items);
    const operand result = ir::value_ref{e.result};
    emit(std::move(e));
    return result;
  }
  // The value of the operand: what an lvalue holds is loaded.
  operand value(const operand_source& s, const ir::call& call) {
    switch (s.what) {
      case operand_source::kind::none:
      case operand_source::kind::constant:
        return object(s, call);
      case operand_source::kind::argument:
        return s.position < call.args.size() ? argument_value(call.args[s.position]) : operand(ir::none{});
      case operand_source::kind::from_last: {
        if (s.position >= call.args.size()) return ir::none{};
        const operand dim = argument_value(call.args[s.position]);
        if (const auto* i = std::get_if<ir::integer>(&dim)) return ir::integer{-1 - i->number, {}};
        ir::expr e;
        e.op = ir::expr_op::sub;
        e.result = fresh();
        e.operands = {ir::integer{-1, {}}, dim};
        e.bits = 64;
        e.is_signed = true;
        const operand result = ir::value_ref{e.result};
        emit(std::move(e));
        return result;
      }
      case operand_source::kind::rest: {
        std::vector<operand> items;
        for (std::size_t i = s.position; i < call.args.size(); ++i)
          items.push_back(argument_value(call.args[i]));
        return list(std::move(items));
      }
      case operand_source::kind::list: {
        std::vector<operand> items;
        for (const operand_source& item : s.items) items.push_back(value(item, call));
        return list(std::move(items));
      }
    }
    return ir::none{};
  }
  std::vector<operand> values(const std::vector<operand_source>& list, const ir::call& call) {
    std::vector<operand> out;
    for (const operand_source& s : list) out.push_back(value(s, call));
    while (!out.empty() && is_none(out.back())) out.pop_back();
    return out;
  }

  // ---- rows ----
  bool apply(const function_row& row, const ir::call& call) {
    const std::size_t before = out_.size();
    const ir::value_id values_before = f_.value_count;
    for (const effect_row& e : row.effects) emit(ir::effect{e.op, object(e.stream, call), call.callee});
    const bool fits = std::visit([&](const auto& a) { return become(a, call); }, row.what);
    if (!fits) {
      out_.resize(before);
      f_.value_count = values_before;
      return false;
    }
    if (row.noreturn && !ended_) {
      end_block(ir::stop{ir::stop_kind::abort});
    }
    return true;
  }

  void end_block(ir::terminator end) {
    f_.blocks[block_].end = std::move(end);
    f_.blocks[block_].where = at_->where;
    ended_ = true;
  }

  bool become(const no_action&, const ir::call&) {
    keep();
    return true;
  }
  bool become(const ignore_action&, const ir::call&) {
    keep();
    return true;
  }

  bool become(const view_action& a, const ir::call& call) {
    ir::view v;
    v.op = a.op;
    v.base = object(a.of, call);
    if (is_none(v.base)) return false;
    v.args = values(a.args, call);
    v.label = call.callee;
    const operand base = v.base;
    v.result = a.in_place ? fresh() : call.result;
    const operand result = ir::value_ref{v.result};
    emit(std::move(v));
    if (a.in_place) {
      const auto where = place_of(base);
      if (!where) return false;
      emit(ir::store{*where, result, ir::store_kind::assign});
      if (call.result != ir::no_value) emit(ir::same{call.result, base});
    }
    return true;
  }

  bool become(const copy_action& a, const ir::call& call) {
    ir::maycopy m{call.result, a.op, object(a.of, call), call.callee};
    if (is_none(m.base)) return false;
    emit(std::move(m));
    return true;
  }

  bool become(const alloc_action& a, const ir::call& call) {
    ir::alloc out;
    out.space = a.space;
    out.like = object(a.like, call);
    out.shape = value(a.shape, call);
    out.label = call.callee;
    if (!a.out) {
      out.result = call.result;
      emit(std::move(out));
      return true;
    }
    if (*a.out >= call.args.size()) return false;
    const auto where = pointee(call.args[*a.out].what);
    if (!where) return false;
    keep();
    out.result = fresh();
    const operand result = ir::value_ref{out.result};
    emit(std::move(out));
    emit(ir::store{*where, result, ir::store_kind::assign});
    return true;
  }

  bool become(const query_action& a, const ir::call& call) {
    ir::query q{call.result, a.op, object(a.of, call), value(a.dim, call)};
    if (is_none(q.base)) return false;
    emit(std::move(q));
    return true;
  }

  std::optional<ir::test> test_of(ir::predicate what, const std::vector<operand_source>& of,
                                  const ir::call& call) {
    ir::test t;
    t.what = what;
    t.label = call.callee;
    for (const operand_source& s : of) {
      t.operands.push_back(object(s, call));
      if (is_none(t.operands.back()) && s.what == operand_source::kind::argument) return std::nullopt;
    }
    return t;
  }
  // Emits the test, and its negation if asked for, so that `result` holds the answer.
  void emit_test(ir::test t, bool negated, ir::value_id result) {
    t.result = negated ? fresh() : result;
    const operand answer = ir::value_ref{t.result};
    emit(std::move(t));
    if (!negated) return;
    ir::expr e;
    e.op = ir::expr_op::logical_not;
    e.result = result;
    e.operands = {answer};
    emit(std::move(e));
  }
  bool become(const test_action& a, const ir::call& call) {
    auto t = test_of(a.what, a.of, call);
    if (!t) return false;
    if (!a.out) {
      emit_test(std::move(*t), a.negated, call.result);
      return true;
    }
    if (*a.out >= call.args.size()) return false;
    const auto where = pointee(call.args[*a.out].what);
    if (!where) return false;
    keep();
    const ir::value_id answer = fresh();
    emit_test(std::move(*t), a.negated, answer);
    emit(ir::store{*where, ir::value_ref{answer}, ir::store_kind::assign});
    return true;
  }

  // Splits the block: what follows runs only where the test holds.
  bool become(const assert_action& a, const ir::call& call) {
    auto t = test_of(a.what, a.of, call);
    if (!t) return false;
    const ir::value_id answer = fresh();
    emit_test(std::move(*t), a.negated, answer);
    keep();
    const auto next = static_cast<ir::block_id>(f_.blocks.size());
    ir::block rest;
    rest.body.assign(
        std::make_move_iterator(rest_.first->begin() + static_cast<std::ptrdiff_t>(rest_.second)),
        std::make_move_iterator(rest_.first->end()));
    rest.end = std::move(f_.blocks[block_].end);
    rest.where = f_.blocks[block_].where;
    ir::block failed;
    failed.end = ir::stop{ir::stop_kind::abort};
    failed.where = at_->where;
    f_.blocks.push_back(std::move(rest));
    f_.blocks.push_back(std::move(failed));
    end_block(ir::branch{ir::value_ref{answer}, next, next + 1, false});
    return true;
  }

  bool become(const pointer_action& a, const ir::call& call) {
    ir::pointer p{call.result, object(a.of, call), a.includes_offset};
    if (is_none(p.base)) return false;
    emit(std::move(p));
    return true;
  }
  // The function returns the object at `where`: a reference or pointer to it, or its value.
  void emit_object(const operand& object, const ir::place& where, const ir::call& call) {
    const std::string_view type = call.type.view();
    const bool by_value = !type.empty() && !type.ends_with('&') && !type.ends_with('*');
    if (by_value)
      emit(ir::load{call.result, where, call.type});
    else
      emit(ir::same{call.result, object});
  }
  bool become(const same_action& a, const ir::call& call) {
    const operand of = object(a.of, call);
    const auto where = place_of(of);
    if (!where) return false;
    // A pointer argument is not an lvalue: what it points to is the same, whoever holds it.
    if (a.of.what == operand_source::kind::argument && is_pointer_value(call.args[a.of.position])) {
      emit(ir::same{call.result, of});
      return true;
    }
    emit_object(of, *where, call);
    return true;
  }
  bool become(const value_of_action& a, const ir::call& call) {
    const auto where = place_of(object(a.of, call));
    if (!where) return false;
    emit(ir::load{call.result, *where, call.type});
    return true;
  }
  bool become(const element_action& a, const ir::call& call) {
    auto where = place_of(object(a.of, call));
    if (!where) return false;
    where->path.push_back(element_step(value(a.index, call)));
    emit_object(ir::address_of{*where}, *where, call);
    return true;
  }

  ir::store_kind store_kind_of(const ir::call& call) const {
    return call.kind == ir::call_kind::construct ? ir::store_kind::initialise : ir::store_kind::assign;
  }
  bool become(const store_action& a, const ir::call& call) {
    const operand target = object(a.to, call);
    auto where = place_of(target);
    const operand what = value(a.what, call);
    if (!where || is_none(what)) return false;
    if (a.is_element)
      where->path.push_back(element_step(a.index ? value(*a.index, call) : operand(ir::none{})));
    const ir::place stored = *where;
    emit(ir::store{std::move(*where), what, store_kind_of(call)});
    if (call.result != ir::no_value)
      emit(ir::same{call.result, a.is_element ? ir::address_of{stored} : target});
    return true;
  }
  bool become(const store_elements_action& a, const ir::call& call) {
    const operand target = object(a.to, call);
    const auto where = place_of(target);
    if (!where) return false;
    for (std::size_t i = a.first; i < call.args.size(); ++i) {
      ir::place element = *where;
      element.path.push_back(element_step(ir::integer{static_cast<std::int64_t>(i - a.first), {}}));
      const operand what = argument_value(call.args[i]);
      emit(ir::store{std::move(element), what, store_kind_of(call)});
    }
    if (call.result != ir::no_value) emit(ir::same{call.result, target});
    return true;
  }
  bool become(const list_action& a, const ir::call& call) {
    std::vector<operand> items;
    for (std::size_t i = a.first; i < call.args.size(); ++i) items.push_back(argument_value(call.args[i]));
    ir::expr e;
    e.op = ir::expr_op::list;
    e.result = call.result;
    e.operands = std::move(items);
    emit(std::move(e));
    return true;
  }

  bool become(const expr_action& a, const ir::call& call) {
    ir::expr e;
    e.op = a.op;
    e.operands = values(a.of, call);
    if (e.operands.size() != a.of.size()) return false;
    e.result = call.result;
    emit(std::move(e));
    return true;
  }

  bool become(const capture_action& a, const ir::call& call) {
    ir::capture_event e;
    e.op = a.op;
    e.owner = a.owner;
    e.mode = a.mode;
    e.object = object(a.object, call);
    e.label = call.callee;
    if (a.mode_argument && *a.mode_argument < call.args.size())
      if (const auto* i = std::get_if<ir::integer>(&call.args[*a.mode_argument].what))
        if (const auto found = a.mode_of.find(i->enumerator.str()); found != a.mode_of.end())
          e.mode = found->second;
    emit(std::move(e));
    keep();
    return true;
  }

  bool become(const invoke_action& a, const ir::call& call) {
    if (a.callable >= call.args.size()) return false;
    const operand callable = argument_value(call.args[a.callable]);
    emit(ir::invoke{call.result, callable, a.deferred, call.callee});
    return true;
  }

  ir::function& f_;
  const model_set& models_;
  const std::unordered_set<ir::name>& bodies_;
  std::vector<ir::instruction> out_;
  ir::block_id block_ = 0;
  const ir::instruction* at_ = nullptr;                           // the call being rewritten
  std::pair<std::vector<ir::instruction>*, std::size_t> rest_{};  // what follows it in its block
  bool ended_ = false;                                            // the block ends here
  bool has_casts_ = false;
  std::unordered_map<ir::value_id, operand> casts_;
};

}  // namespace

rewrite_statistics& rewrite_statistics::operator+=(const rewrite_statistics& other) {
  calls += other.calls;
  modelled += other.modelled;
  std::map<std::pair<ir::name, ir::name>, std::uint64_t> counts;
  for (const auto* list : {&std::as_const(unmodelled), &other.unmodelled})
    for (const unmodelled_call& u : *list) counts[{u.callee, u.symbol}] += u.count;
  unmodelled.clear();
  for (const auto& [key, count] : counts) unmodelled.push_back({key.first, key.second, count});
  return *this;
}

rewrite_statistics rewrite(ir::unit& unit, const model_set& models) {
  std::unordered_set<ir::name> bodies;
  for (const ir::function& f : unit.functions)
    if (!f.blocks.empty()) bodies.insert(f.symbol);
  rewrite_statistics statistics;
  std::map<std::pair<ir::name, ir::name>, std::uint64_t> unmodelled;
  for (ir::function& f : unit.functions) function_rewriter(f, models, bodies).run(statistics, unmodelled);
  for (const auto& [key, count] : unmodelled) statistics.unmodelled.push_back({key.first, key.second, count});
  return statistics;
}

}  // namespace stridelock::models
