#include "analyzer/models/places.h"

#include <utility>

namespace stridelock::models {
namespace {

// Calls `visit` with every place of the instruction or terminator.
template <typename Visit>
class place_visitor {
 public:
  explicit place_visitor(Visit visit) : visit_(std::move(visit)) {}

  void operand(ir::operand& o) {
    if (auto* a = std::get_if<ir::address_of>(&o)) visit_(a->where);
  }
  void operands(std::vector<ir::operand>& list) {
    for (ir::operand& o : list) operand(o);
  }

  void operator()(ir::expr& e) { operands(e.operands); }
  void operator()(ir::load& l) { visit_(l.from); }
  void operator()(ir::store& s) {
    visit_(s.to);
    operand(s.what);
  }
  void operator()(ir::call& c) {
    operand(c.target);
    for (ir::argument& a : c.args) operand(a.what);
    operands(c.config);
  }
  void operator()(ir::closure& c) {
    for (ir::capture& one : c.captures) operand(one.what);
  }
  void operator()(ir::pointer_cast& p) { operand(p.what); }
  void operator()(ir::index_use& i) {
    operand(i.pointer);
    operand(i.index);
  }
  void operator()(ir::alloc& a) {
    operand(a.like);
    operand(a.shape);
  }
  void operator()(ir::view& v) {
    operand(v.base);
    operands(v.args);
  }
  void operator()(ir::maycopy& m) { operand(m.base); }
  void operator()(ir::query& q) {
    operand(q.base);
    operand(q.dim);
  }
  void operator()(ir::test& t) { operands(t.operands); }
  void operator()(ir::pointer& p) { operand(p.base); }
  void operator()(ir::same& s) { operand(s.of); }
  void operator()(ir::invoke& i) { operand(i.callable); }
  void operator()(ir::effect& e) { operand(e.stream); }
  void operator()(ir::capture_event& c) { operand(c.object); }
  void operator()(ir::scope_end&) {}
  void operator()(ir::temporary_end&) {}
  void operator()(ir::unused&) {}
  void operator()(ir::unknown&) {}

  void operator()(ir::jump&) {}
  void operator()(ir::branch& b) { operand(b.condition); }
  void operator()(ir::switch_branch& s) { operand(s.condition); }
  void operator()(ir::ret& r) { operand(r.what); }
  void operator()(ir::stop&) {}
  void operator()(ir::unreachable&) {}

 private:
  Visit visit_;
};

}  // namespace

void unify_elements(ir::function& function, const model_set& models) {
  place_visitor visitor([&](ir::place& where) {
    for (ir::step& s : where.path) {
      if (s.kind != ir::step_kind::field) continue;
      const field_row* row = models.field(s.record, s.field);
      const auto* index = row == nullptr ? nullptr : std::get_if<std::uint32_t>(&row->what);
      if (index == nullptr) continue;
      const std::uint32_t number = *index;
      s = ir::step{};
      s.kind = ir::step_kind::element;
      s.index = number;
    }
  });
  for (ir::block& b : function.blocks) {
    for (ir::instruction& i : b.body) std::visit(visitor, i.what);
    std::visit(visitor, b.end);
  }
}

bool rewrite_field_load(ir::instruction& instruction, const model_set& models) {
  const auto* load = std::get_if<ir::load>(&instruction.what);
  if (load == nullptr || load->from.path.empty()) return false;
  const auto& path = load->from.path;
  // The field is the last step, or the last but one before the element of an array field.
  std::size_t at = path.size() - 1;
  const bool has_index =
      path[at].kind == ir::step_kind::element || path[at].kind == ir::step_kind::any_element;
  if (has_index && at == 0) return false;
  if (has_index) --at;
  if (path[at].kind != ir::step_kind::field) return false;
  const field_row* row = models.field(path[at].record, path[at].field);
  if (row == nullptr || std::holds_alternative<std::uint32_t>(row->what)) return false;

  // The tensor is the object the field belongs to: what a value points to is named by that value.
  ir::place owner = load->from;
  owner.path.resize(at);
  ir::operand base = ir::address_of{owner};
  if (owner.path.empty() && owner.root == ir::root_kind::value) base = ir::value_ref{owner.number};

  const ir::value_id result = load->result;
  if (const auto* p = std::get_if<pointer_action>(&row->what)) {
    if (has_index) return false;
    instruction.what = ir::pointer{result, base, p->includes_offset};
    return true;
  }
  ir::query query;
  query.result = result;
  query.op = std::get<query_action>(row->what).op;
  query.base = base;
  if (has_index && path.back().kind == ir::step_kind::element) {
    const auto k = static_cast<std::int64_t>(path.back().index);
    query.dim = ir::integer{row->from_last ? -1 - k : k, {}};
  }
  instruction.what = query;
  return true;
}

}  // namespace stridelock::models
