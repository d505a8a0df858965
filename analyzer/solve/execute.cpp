#include <array>

#include "analyzer/solve/interpreter.h"

namespace stridelock::solve {

using ir::expr_op;

// x.index({a, b, …}) as a chain of slices and selections. An index that may be a tensor makes a copy nobody knows.
term_id interpreter::indexed(term_id base, term_id list, const ir::instruction& i, ir::name label) {
  const std::array<term_id, 1> whole{list};
  const term_id unknown_view = graph_.view(ir::view_op::opaque, base, whole, i.where, i.spelling, label);
  list = graph_.strip(list);
  if (graph_.kind(list) != term_kind::operation || static_cast<expr_op>(graph_.at(list).op) != expr_op::list)
    return unknown_view;
  auto part = [&](term_id slice, std::uint32_t k) {
    ir::step step;
    step.kind = ir::step_kind::element;
    step.index = k;
    return graph_.strip(graph_.project(slice, graph_.step(step)));
  };
  const std::vector<term_id> indices(graph_.children(list).begin(), graph_.children(list).end());
  std::int64_t dim = 0;
  for (term_id given : indices) {
    const term_id index = graph_.strip(given);
    const term_kind kind = graph_.kind(index);
    if (kind == term_kind::aggregate) {  // Slice(start, stop, step); what is absent is 0
      const std::array<term_id, 4> args{graph_.integer(dim), part(index, 0), part(index, 1), part(index, 2)};
      if (args[1] != graph_.integer(0) || args[2] != graph_.integer(0) ||
          (args[3] != graph_.integer(0) && args[3] != graph_.integer(1)))
        base = graph_.view(ir::view_op::slice, base, args, i.where, i.spelling, label);
      ++dim;
    } else if (kind == term_kind::integer || kind == term_kind::operation || kind == term_kind::query) {
      const std::array<term_id, 2> args{graph_.integer(dim), index};
      base = graph_.view(ir::view_op::select, base, args, i.where, i.spelling, label);
    } else {
      return unknown_view;
    }
  }
  return base;
}

void interpreter::execute(state& s, const ir::instruction& i) {
  std::visit(
      overloaded{
          [&](const ir::expr& e) {
            std::vector<term_id> c;
            for (const auto& o : e.operands) c.push_back(value(s, o));
            term_id v = no_term;
            if (e.op == expr_op::select && c.size() == 3) {
              const term_id condition = graph_.strip(c[0]);
              judge j(graph_, s.known);
              const tri known = j.holds(condition);
              v = known == tri::yes ? c[1]
                  : known == tri::no
                      ? c[2]
                      : graph_.one_of({{c[1], graph_.conjunction({condition})},
                                       {c[2], graph_.conjunction({graph_.negate(condition)})}});
            } else if (e.op == expr_op::aggregate) {
              std::vector<term_id> pairs;
              for (std::size_t k = 0; k < c.size() && k < e.fields.size(); ++k) {
                ir::step step;
                step.record = e.record;
                step.field = e.fields[k];
                pairs.push_back(graph_.step(step));
                pairs.push_back(c[k]);
                if (recording_)
                  report_.field_writes.push_back({e.record, e.fields[k], c[k], block_guard(current_), i.where,
                                                  named_function(function_), &function_});
              }
              v = graph_.aggregate(no_term, pairs);
            } else if (e.op == expr_op::floating) {
              v = unknown(&i, 0, "floating point");
            } else {
              v = graph_.operation(e.op, c);
            }
            set(e.result, v);
          },
          [&](const ir::load& l) { set(l.result, read(s, locate(s, l.from))); },
          [&](const ir::store& st) {
            const term_id at = locate(s, st.to);
            term_id v = value(s, st.what);
            if (v == no_term) v = unknown(&i, 0, "nothing stored");
            if (!st.to.path.empty() && st.to.path.back().kind == ir::step_kind::field) {
              const ir::step& f = st.to.path.back();
              const term_kind k = graph_.kind(graph_.strip(v));
              if (k == term_kind::view || k == term_kind::copy || k == term_kind::one_of ||
                  k == term_kind::pointer)
                v = graph_.via(v, "stored in '" + f.field.str() + "'", i.where);
              if (recording_)
                report_.field_writes.push_back({f.record, f.field, v, block_guard(current_), i.where,
                                                named_function(function_), &function_});
            }
            write(s, at, v);
          },
          [&](const ir::call& c) { call(s, i, c); },
          [&](const ir::closure& c) {
            std::vector<term_id> pairs;
            for (const ir::capture& k : c.captures) {
              ir::step step;
              step.field = k.variable;
              pairs.push_back(graph_.step(step));
              pairs.push_back(value(s, k.what));
            }
            set(c.result, graph_.closure(c.symbol, pairs));
          },
          [&](const ir::pointer_cast& p) { set(p.result, value(s, p.what)); },
          [&](const ir::index_use&) {},
          [&](const ir::scope_end& e) { forget(s, graph_.local_location(e.local)); },
          [&](const ir::temporary_end&) {},
          [&](const ir::unused&) {},
          [&](const ir::unknown& u) { set(u.result, unknown(&i, 0, u.reason.view())); },
          [&](const ir::alloc& a) {
            const term_id like = std::holds_alternative<ir::none>(a.like) ? no_term : tensor(s, a.like);
            const term_id shape = std::holds_alternative<ir::none>(a.shape) ? no_term : tensor(s, a.shape);
            set(a.result, graph_.allocation(shape, like, i.where, a.label));
          },
          [&](const ir::view& v) {
            std::vector<term_id> args;
            for (const auto& o : v.args) args.push_back(value(s, o));
            std::vector<term_graph::alternative> parts;
            for (const auto& a : graph_.alternatives(tensor(s, v.base)))
              parts.push_back({v.op == ir::view_op::index && args.size() == 1
                                   ? indexed(a.value, args[0], i, v.label)
                                   : graph_.view(v.op, a.value, args, i.where, i.spelling, v.label),
                               a.guard});
            set(v.result, graph_.one_of(std::move(parts)));
          },
          [&](const ir::maycopy& m) {
            const term_id base = tensor(s, m.base);
            std::vector<term_graph::alternative> parts;
            for (const auto& a : graph_.alternatives(base))
              parts.push_back({graph_.copy(m.op, a.value, i.where, i.spelling, m.label), a.guard});
            const term_id v = graph_.one_of(std::move(parts));
            set(m.result, v);
            if (m.op == ir::copy_op::to) return;  // an alias unless something changes
            capture_effect e;
            e.what = capture_effect::kind::copy;
            e.subject = base;
            e.copy_term = v;
            e.where = i.where;
            e.spelling = i.spelling.str();
            e.label = m.label.str();
            effect(s, std::move(e));
          },
          [&](const ir::query& q) {
            set(q.result, graph_.query(q.op, tensor(s, q.base),
                                       std::holds_alternative<ir::none>(q.dim) ? no_term : value(s, q.dim)));
          },
          [&](const ir::test& t) {
            std::vector<term_id> c;
            for (const auto& o : t.operands) c.push_back(tensor(s, o));
            set(t.result, graph_.test(t.what, c));
          },
          [&](const ir::pointer& p) { set(p.result, graph_.pointer(tensor(s, p.base))); },
          [&](const ir::same& a) { set(a.result, value(s, a.of)); },
          [&](const ir::invoke& v) {
            set(v.result, unknown(&i, 0, "result of a callable"));
            if (!v.deferred) invoke(s, i, value(s, v.callable));
          },
          [&](const ir::effect&) {},  // no check reads them yet
          [&](const ir::capture_event& c) {
            capture_state& now = s.capture;
            switch (c.op) {
              case ir::capture_op::begin:
                now.saved.emplace_back(now.status, now.region);
                now.status = capture_status::inside;
                now.region = {
                    i.where, c.label, c.owner, c.mode, named_function(function_), block_guard(current_), {}};
                break;
              case ir::capture_op::end:
                if (!now.saved.empty()) {
                  std::tie(now.status, now.region) = now.saved.back();
                  now.saved.pop_back();
                } else {
                  now.status = capture_status::ended;
                }
                break;
              case ir::capture_op::suspend:
                now.suspended = true;
                break;
              case ir::capture_op::resume:
                now.suspended = false;
                break;
              case ir::capture_op::mode_push:
              case ir::capture_op::mode_pop:
                break;
            }
          },
      },
      i.what);
}

}  // namespace stridelock::solve
