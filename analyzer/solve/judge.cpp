#include "analyzer/solve/judge.h"

#include <algorithm>
#include <limits>

#include "stridelock/layout.h"

namespace stridelock::solve {
namespace {

using ir::expr_op;
using stridelock::operation;

constexpr std::size_t most_assumptions = 256;

tri invert(tri t) {
  return t == tri::yes ? tri::no : t == tri::no ? tri::yes : tri::unknown;
}

expr_op op_of(const term& t) {
  return static_cast<expr_op>(t.op);
}

bool is_comparison(expr_op op) {
  return op >= expr_op::lt && op <= expr_op::ne;
}

tri decide(expr_op op, std::int64_t a_low, std::int64_t a_high, std::int64_t b) {
  switch (op) {
    case expr_op::lt:
      return a_high < b ? tri::yes : a_low >= b ? tri::no : tri::unknown;
    case expr_op::le:
      return a_high <= b ? tri::yes : a_low > b ? tri::no : tri::unknown;
    case expr_op::gt:
      return a_low > b ? tri::yes : a_high <= b ? tri::no : tri::unknown;
    case expr_op::ge:
      return a_low >= b ? tri::yes : a_high < b ? tri::no : tri::unknown;
    case expr_op::eq:
      return a_low == b && a_high == b ? tri::yes : b < a_low || b > a_high ? tri::no : tri::unknown;
    case expr_op::ne:
      return invert(decide(expr_op::eq, a_low, a_high, b));
    default:
      return tri::unknown;
  }
}

}  // namespace

void assumptions::add(term_graph& graph, term_id formula) {
  if (formula == no_term) return;
  const term& t = graph.at(formula);
  if (t.kind == term_kind::integer) return;
  if (t.kind == term_kind::conjunction ||
      (t.kind == term_kind::operation && op_of(t) == expr_op::logical_and)) {
    const std::vector<term_id> parts(graph.children(formula).begin(), graph.children(formula).end());
    for (term_id c : parts) add(graph, c);
    return;
  }
  if (t.kind == term_kind::operation && op_of(t) == expr_op::logical_or) {
    // A disjunction with one refuted side is the other side.
    const term_id a = graph.child(formula, 0);
    const term_id b = graph.child(formula, 1);
    judge j(graph, *this);
    if (j.holds(a) == tri::no) return add(graph, b);
    if (j.holds(b) == tri::no) return add(graph, a);
  }
  if (formulas_.size() >= most_assumptions) return;
  auto it = std::lower_bound(formulas_.begin(), formulas_.end(), formula);
  if (it == formulas_.end() || *it != formula) formulas_.insert(it, formula);
}

bool assumptions::contains(term_id formula) const {
  return std::binary_search(formulas_.begin(), formulas_.end(), formula);
}

void assumptions::keep_common(const assumptions& other) {
  std::vector<term_id> out;
  std::set_intersection(formulas_.begin(), formulas_.end(), other.formulas_.begin(), other.formulas_.end(),
                        std::back_inserter(out));
  formulas_ = std::move(out);
}

bool judge::bounds(term_id x, std::int64_t& low, std::int64_t& high) {
  low = std::numeric_limits<std::int64_t>::min();
  high = std::numeric_limits<std::int64_t>::max();
  const term& t = graph_.at(x);
  if (t.kind == term_kind::integer) {
    low = high = t.number;
    return true;
  }
  if (t.kind == term_kind::query) {
    switch (static_cast<ir::query_op>(t.op)) {
      case ir::query_op::size:
      case ir::query_op::numel:
      case ir::query_op::nbytes:
      case ir::query_op::ndim:
        low = 0;
        break;
      default:
        break;
    }
  }
  for (term_id f : known_.formulas()) {
    const term& k = graph_.at(f);
    if (k.kind != term_kind::operation || !is_comparison(op_of(k)) || k.child_count != 2) continue;
    if (graph_.child(f, 0) != x) continue;
    const term_id right = graph_.child(f, 1);
    if (!graph_.is_integer(right)) continue;
    const std::int64_t b = graph_.at(right).number;
    switch (op_of(k)) {
      case expr_op::lt:
        if (b != std::numeric_limits<std::int64_t>::min()) high = std::min(high, b - 1);
        break;
      case expr_op::le:
        high = std::min(high, b);
        break;
      case expr_op::gt:
        if (b != std::numeric_limits<std::int64_t>::max()) low = std::max(low, b + 1);
        break;
      case expr_op::ge:
        low = std::max(low, b);
        break;
      case expr_op::eq:
        low = std::max(low, b), high = std::min(high, b);
        break;
      case expr_op::ne:
        if (low == b) low = b + 1;
        if (high == b) high = b - 1;
        break;
      default:
        break;
    }
  }
  return low != std::numeric_limits<std::int64_t>::min() || high != std::numeric_limits<std::int64_t>::max();
}

tri judge::compare(expr_op op, term_id a, term_id b) {
  if (graph_.is_integer(b)) {
    std::int64_t low = 0, high = 0;
    if (bounds(a, low, high)) {
      const tri t = decide(op, low, high, graph_.at(b).number);
      if (t != tri::unknown) return t;
    }
  }
  auto says = [&](expr_op o) {
    const term_id f = graph_.operation(o, {a, b});
    return graph_.is_integer(f) ? graph_.at(f).number != 0 : known_.contains(f);
  };
  switch (op) {
    case expr_op::eq:
      if (says(expr_op::eq)) return tri::yes;
      if (says(expr_op::ne) || says(expr_op::lt) || says(expr_op::gt)) return tri::no;
      break;
    case expr_op::ne:
      return invert(compare(expr_op::eq, a, b));
    case expr_op::lt:
      if (says(expr_op::lt)) return tri::yes;
      if (says(expr_op::ge) || says(expr_op::eq) || says(expr_op::gt)) return tri::no;
      break;
    case expr_op::le:
      if (says(expr_op::le) || says(expr_op::lt) || says(expr_op::eq)) return tri::yes;
      if (says(expr_op::gt)) return tri::no;
      break;
    case expr_op::gt:
      return invert(compare(expr_op::le, a, b));
    case expr_op::ge:
      return invert(compare(expr_op::lt, a, b));
    default:
      break;
  }
  return tri::unknown;
}

tri judge::holds(term_id formula) {
  if (formula == no_term) return tri::unknown;
  const term_id f = graph_.strip(formula);
  if (depth_ > 24) return tri::unknown;
  if (known_.contains(f)) return tri::yes;
  struct scope {
    int& depth;
    explicit scope(int& d) : depth(d) { ++depth; }
    ~scope() { --depth; }
  } guard(depth_);
  const term t = graph_.at(f);
  switch (t.kind) {
    case term_kind::integer:
      return t.number != 0 ? tri::yes : tri::no;
    case term_kind::conjunction:
      return holds_all(f);
    case term_kind::operation: {
      const expr_op op = op_of(t);
      if (op == expr_op::logical_not) return invert(holds(graph_.child(f, 0)));
      if (op == expr_op::logical_and || op == expr_op::logical_or) {
        const tri a = holds(graph_.child(f, 0));
        const tri b = holds(graph_.child(f, 1));
        const tri decisive = op == expr_op::logical_and ? tri::no : tri::yes;
        if (a == decisive || b == decisive) return decisive;
        if (a == invert(decisive) && b == invert(decisive)) return a;
        return tri::unknown;
      }
      if (is_comparison(op) && t.child_count == 2) {
        const term_id as_layout = layout_formula(graph_, f);
        if (as_layout != f) return holds(as_layout);
        return compare(op, graph_.child(f, 0), graph_.child(f, 1));
      }
      break;
    }
    case term_kind::one_of: {
      tri all = tri::unknown;
      bool first = true;
      for (const auto& a : graph_.alternatives(f)) {
        if (holds_all(a.guard) == tri::no) continue;
        const tri one = holds(a.value);
        all = first ? one : all == one ? all : tri::unknown;
        first = false;
        if (all == tri::unknown) break;
      }
      if (all != tri::unknown) return all;
      break;
    }
    case term_kind::test: {
      const auto what = static_cast<ir::predicate>(t.op);
      const term_id operand = graph_.child(f, 0);
      if (known_.contains(graph_.negate(f))) return tri::no;
      if (what == ir::predicate::present) {
        const term& o = graph_.at(operand);
        switch (o.kind) {
          case term_kind::view:
          case term_kind::copy:
          case term_kind::allocation:
          case term_kind::address:
          case term_kind::closure:
            return tri::yes;
          case term_kind::integer:
            return o.number != 0 ? tri::yes : tri::no;
          case term_kind::global:
            return o.first.view().find("nullopt") != std::string_view::npos ? tri::no : tri::unknown;
          case term_kind::aggregate:
            return o.child_count == 1 ? tri::no : tri::unknown;  // std::optional<T>{}
          default:
            return tri::unknown;
        }
      }
      return has_layout(what, operand);
    }
    default:
      break;
  }
  if (known_.contains(graph_.negate(f))) return tri::no;
  return tri::unknown;
}

tri judge::holds_all(term_id conjunction) {
  if (conjunction == no_term) return tri::yes;
  if (graph_.kind(conjunction) != term_kind::conjunction) return holds(conjunction);
  tri all = tri::yes;
  const std::vector<term_id> atoms(graph_.children(conjunction).begin(), graph_.children(conjunction).end());
  for (term_id a : atoms) {
    const tri t = holds(a);
    if (t == tri::no) return tri::no;
    if (t == tri::unknown) all = tri::unknown;
  }
  return all;
}

tri judge::has_layout(ir::predicate what, term_id tensor, layout_verdict* why) {
  const layout_verdict v = layout(tensor);
  if (why) *why = v;
  switch (what) {
    case ir::predicate::contiguous:
      return v.facts.dense;
    case ir::predicate::inner_contiguous:
      return v.facts.inner_contiguous;
    case ir::predicate::row_pitched:
      return v.facts.row_pitched;
    case ir::predicate::permutation_dense:
      return v.facts.permutation_dense;
    default:
      return tri::unknown;
  }
}

int judge::rank_of(term_id tensor) {
  const term_id x = graph_.strip(tensor);
  const term t = graph_.at(x);
  if (t.kind == term_kind::allocation) {
    const term_id shape = graph_.child(x, 0);
    const term& s = graph_.at(shape);
    if (s.kind == term_kind::operation && op_of(s) == expr_op::list) return static_cast<int>(s.child_count);
  }
  if (t.kind == term_kind::view) {
    const int base = rank_of(graph_.child(x, 0));
    switch (static_cast<ir::view_op>(t.op)) {
      case ir::view_op::select:
        return base > 0 ? base - 1 : -1;
      case ir::view_op::narrow:
      case ir::view_op::slice:
      case ir::view_op::rows:
      case ir::view_op::columns:
      case ir::view_op::transpose:
      case ir::view_op::permute:
        return base;
      case ir::view_op::unsqueeze:
        return base >= 0 ? base + 1 : -1;
      default:
        break;
    }
  }
  std::int64_t low = 0, high = 0;
  if (bounds(graph_.query(ir::query_op::ndim, x, no_term), low, high) && low == high && low >= 0 && low < 64)
    return static_cast<int>(low);
  return -1;
}

layout_verdict judge::unknown_layout(term_id id) {
  layout_verdict v;
  v.rank = rank_of(id);
  const term_id x = graph_.strip(id);
  auto known = [&](ir::predicate what, tri& fact) {
    const std::array<term_id, 1> o{x};
    const term_id t = graph_.test(what, o);
    if (known_.contains(t)) fact = tri::yes;
    if (known_.contains(graph_.negate(t))) {
      fact = tri::no;
      if (v.culprit == no_term) v.culprit = t;
    }
  };
  known(ir::predicate::contiguous, v.facts.dense);
  known(ir::predicate::inner_contiguous, v.facts.inner_contiguous);
  known(ir::predicate::row_pitched, v.facts.row_pitched);
  known(ir::predicate::permutation_dense, v.facts.permutation_dense);
  // One element lies next to nothing.
  if (v.facts.dense == tri::unknown &&
      known_.contains(
          graph_.operation(expr_op::eq, {graph_.query(ir::query_op::numel, x, no_term), graph_.integer(1)})))
    v.facts.dense = tri::yes;
  v.facts = with_implications(v.facts);
  return v;
}

bool judge::covers_whole(term_id base, term_id dim, term_id start, term_id length) {
  if (length == no_term) return false;
  if (start != no_term && graph_.is_integer(start) && graph_.at(start).number != 0) return false;
  const term_id whole = graph_.query(ir::query_op::size, base, dim);
  // A range cannot be longer than its dimension: at least as long is the whole of it.
  return compare(expr_op::ge, graph_.strip(length), whole) == tri::yes ||
         graph_.operation(expr_op::eq, {length, whole}) == graph_.integer(1);
}

// Extents and strides of a tensor all of whose sizes are constants.
bool judge::numbers(term_id tensor, std::vector<stridelock::index_t>& extents,
                    std::vector<stridelock::index_t>& strides) {
  const term_id x = graph_.strip(tensor);
  const term t = graph_.at(x);
  auto constant = [&](std::size_t k, std::int64_t& out) {
    const term_id c = graph_.child(x, k);
    if (c == no_term || !graph_.is_integer(c)) return false;
    out = graph_.at(c).number;
    return true;
  };
  auto dimension = [&](std::size_t k, std::size_t& out) {
    std::int64_t d = 0;
    if (!constant(k, d)) return false;
    if (d < 0) d += static_cast<std::int64_t>(extents.size());
    if (d < 0 || d >= static_cast<std::int64_t>(extents.size())) return false;
    out = static_cast<std::size_t>(d);
    return true;
  };
  if (t.kind == term_kind::allocation) {
    const term_id shape = graph_.child(x, 0);
    if (graph_.child(x, 1) != no_term || graph_.kind(shape) != term_kind::operation ||
        op_of(graph_.at(shape)) != expr_op::list || graph_.at(shape).child_count > 8)
      return false;
    for (term_id n : graph_.children(shape)) {
      const term_id extent = graph_.strip(n);
      if (!graph_.is_integer(extent) || graph_.at(extent).number < 0 ||
          graph_.at(extent).number > (1LL << 40))
        return false;
      extents.push_back(graph_.at(extent).number);
    }
    strides.assign(extents.size(), 1);
    for (std::size_t d = extents.size(); d-- > 1;) {
      const stridelock::index_t extent = extents[d] > 0 ? extents[d] : 1;
      if (__builtin_mul_overflow(strides[d], extent, &strides[d - 1])) return false;
    }
    return true;
  }
  if (t.kind != term_kind::view || !numbers(graph_.child(x, 0), extents, strides)) return false;
  std::size_t d = 0, e = 0;
  std::int64_t start = 0, length = 0;
  switch (static_cast<ir::view_op>(t.op)) {
    case ir::view_op::narrow:
      if (!dimension(1, d) || !constant(3, length) || length < 0 || length > extents[d]) return false;
      extents[d] = length;
      return true;
    case ir::view_op::select:
      if (!dimension(1, d)) return false;
      extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(d));
      strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(d));
      return true;
    case ir::view_op::transpose:
      if (t.child_count < 3 || graph_.child(x, 1) == no_term) {  // t()
        if (extents.size() > 2) return false;
        if (extents.size() < 2) return true;
        e = 1;
      } else {
        if (extents.size() < 2) return true;
        if (!dimension(1, d) || !dimension(2, e)) return false;
      }
      std::swap(extents[d], extents[e]);
      std::swap(strides[d], strides[e]);
      return true;
    case ir::view_op::rows:
    case ir::view_op::columns:
      if (extents.empty() || !constant(1, start) || !constant(2, length)) return false;
      d = static_cast<ir::view_op>(t.op) == ir::view_op::rows ? 0 : extents.size() - 1;
      if (start < 0 || length < start || length > extents[d]) return false;
      extents[d] = length - start;
      return true;
    default:
      return false;
  }
}

layout_verdict judge::layout(term_id tensor) {
  const term_id x = graph_.strip(tensor);
  if (depth_ > 24) return {};
  struct scope {
    int& depth;
    explicit scope(int& d) : depth(d) { ++depth; }
    ~scope() { --depth; }
  } guard(depth_);
  const term t = graph_.at(x);
  layout_verdict v = unknown_layout(x);
  if (v.facts.dense == tri::yes) return v;
  if (v.facts.dense == tri::no) {
    // A path that tested says so; which view made it so is still worth knowing.
    if (t.kind == term_kind::view) {
      const layout_verdict made = layout_of_view(x);
      if (made.culprit != no_term) v.culprit = made.culprit;
    }
    return v;
  }
  if (std::vector<stridelock::index_t> extents, strides; numbers(x, extents, strides)) {
    v.facts = stridelock::facts_of(
        stridelock::layout_ref{static_cast<int>(extents.size()), extents.data(), strides.data()});
    v.rank = static_cast<int>(extents.size());
    if (v.facts.dense == tri::no && t.kind == term_kind::view) {
      const layout_verdict base = layout(graph_.child(x, 0));
      v.culprit = base.culprit != no_term ? base.culprit : x;
    }
    return v;
  }
  switch (t.kind) {
    case term_kind::allocation: {
      if (graph_.child(x, 1) != no_term) {  // empty_like
        const layout_verdict proto = layout(graph_.child(x, 1));
        v.facts = after(operation::like_copy, proto.facts);
        v.rank = proto.rank;
        return v;
      }
      v.facts = {tri::yes, tri::yes, tri::yes, tri::yes, tri::yes};
      return v;
    }
    case term_kind::copy: {
      const layout_verdict base = layout(graph_.child(x, 0));
      switch (static_cast<ir::copy_op>(t.op)) {
        case ir::copy_op::contiguous:
        case ir::copy_op::copy:
          v.facts = after(operation::dense_copy, base.facts);
          v.rank = base.rank;
          return v;
        case ir::copy_op::clone:
          v.facts = after(operation::like_copy, base.facts);
          v.rank = base.rank;
          return v;
        case ir::copy_op::to:
          v = base;  // an alias if nothing changes
          if (v.facts.dense == tri::no) v.may = true;
          return v;
        case ir::copy_op::reshape:
          if (base.facts.dense == tri::yes) v.facts = base.facts;
          return v;
      }
      return v;
    }
    case term_kind::view:
      return layout_of_view(x);
    case term_kind::pointer:
      return layout(graph_.child(x, 0));
    case term_kind::project: {
      // A piece of split, chunk or unbind.
      const term_id list = graph_.strip(graph_.child(x, 0));
      if (graph_.kind(list) == term_kind::view) {
        const auto op = static_cast<ir::view_op>(graph_.at(list).op);
        if (op == ir::view_op::split || op == ir::view_op::unbind) return layout_of_view(list);
      }
      return v;
    }
    case term_kind::one_of: {
      bool first = true;
      for (const auto& a : graph_.alternatives(x)) {
        if (holds_all(a.guard) == tri::no) continue;
        assumptions with = known_;
        with.add(graph_, a.guard);
        judge inner(graph_, with);
        inner.depth_ = depth_;
        const layout_verdict one = inner.layout(a.value);
        if (first)
          v = one;
        else {
          v.facts = join(v.facts, one.facts);
          if (v.culprit == no_term) v.culprit = one.culprit;
        }
        first = false;
      }
      return v;
    }
    default:
      return v;
  }
}

layout_verdict judge::layout_of_view(term_id id) {
  const term t = graph_.at(id);
  const term_id base_term = graph_.child(id, 0);
  const auto op = static_cast<ir::view_op>(t.op);
  const layout_verdict base = layout(base_term);
  layout_verdict v = base;
  v.rank = rank_of(id);
  const int base_rank = base.rank >= 0 ? base.rank : rank_of(base_term);

  // A view that may be nothing at all is not evidence; a proper one of a dense tensor is.
  auto proper = [&](operation what) {
    layout_facts before = base.facts;
    if (before.dense == tri::unknown) {
      before.dense = tri::yes;  // what breaks for a dense tensor breaks for an execution that is known
      before = with_implications(before);
    }
    v.facts = after(what, before);
    // What was only supposed of the base does not become known of the view.
    if (base.facts.dense == tri::unknown) {
      auto only_no = [](tri& f, tri was) {
        if (f == tri::yes && was != tri::yes) f = was;
      };
      only_no(v.facts.inner_contiguous, base.facts.inner_contiguous);
      only_no(v.facts.row_pitched, base.facts.row_pitched);
      only_no(v.facts.permutation_dense, base.facts.permutation_dense);
      only_no(v.facts.injective, base.facts.injective);
      if (v.facts.dense == tri::yes) v.facts.dense = tri::unknown;
    }
    if (v.facts.dense == tri::no && (base.facts.dense != tri::no || base.culprit == no_term)) v.culprit = id;
    if (base.facts.dense == tri::no && v.facts.dense == tri::unknown) {
      v.facts.dense = tri::no;  // a narrowed tensor narrowed once more: dense only by coincidence
      v.culprit = base.culprit;
    }
  };
  auto at_most_one = [&](std::int64_t d) {
    return compare(expr_op::le, graph_.query(ir::query_op::size, base_term, graph_.integer(d)),
                   graph_.integer(1)) == tri::yes;
  };
  auto one_row = [&](term_id dim) {
    // All dimensions before `dim` have at most one index.
    if (!graph_.is_integer(dim) || graph_.at(dim).number < 1 || graph_.at(dim).number > 8) return false;
    for (std::int64_t d = 0; d < graph_.at(dim).number; ++d)
      if (!at_most_one(d)) return false;
    return true;
  };
  // A rearrangement changes nothing if the dimensions that have more than one index keep their order.
  auto keeps_order = [&](const std::vector<std::int64_t>& order) {
    std::int64_t last = -1;
    for (std::int64_t d : order) {
      if (d < 0) return false;
      if (at_most_one(d)) continue;
      if (d < last) return false;
      last = d;
    }
    return true;
  };
  // Nobody knows the rank of what reshape or an unseen shape made: the last dimension may be the only one.
  auto may_be_a_vector = [&] {
    const term_id x = graph_.strip(base_term);
    if (base_rank >= 0) return false;
    if (graph_.kind(x) == term_kind::copy)
      return static_cast<ir::copy_op>(graph_.at(x).op) == ir::copy_op::reshape;
    return graph_.kind(x) == term_kind::allocation;
  };
  auto range_of = [&](term_id dim) {
    if (!graph_.is_integer(dim)) return operation::identity;  // unknown dimension
    const std::int64_t d = graph_.at(dim).number;
    if (d == 0 || base_rank == 1) return operation::rows;
    if (base_rank > 0 && d < 0 && d + base_rank == 0) return operation::rows;
    if (d == -1 || (base_rank > 0 && d == base_rank - 1)) return operation::columns;
    return base_rank > 0 ? operation::middle_slice : operation::columns;
  };

  switch (op) {
    case ir::view_op::narrow:
    case ir::view_op::slice: {
      const term_id dim = graph_.child(id, 1);
      const term_id start = graph_.child(id, 2);
      const term_id end = graph_.child(id, 3);
      const term_id step = op == ir::view_op::slice ? graph_.child(id, 4) : no_term;
      const operation what = range_of(dim);
      // Absent bounds are 0, and a bound beyond any extent is the whole of it.
      constexpr std::int64_t beyond = std::int64_t{1} << 61;
      const bool open_end =
          op == ir::view_op::slice &&
          (end == no_term ||
           (graph_.is_integer(end) && (graph_.at(end).number == 0 || graph_.at(end).number >= beyond)));
      const bool stepped = step != no_term && step != graph_.integer(0) &&
                           !(graph_.is_integer(step) && graph_.at(step).number == 1);
      if (stepped) {
        if (!graph_.is_integer(step)) {
          v.facts = {};
          return v;
        }
        proper(what == operation::rows ? operation::step_first : operation::step_last);
        return v;
      }
      if (op == ir::view_op::slice && (start == no_term || start == graph_.integer(0)) && open_end) return v;
      if (covers_whole(base_term, dim, start, end)) return v;
      if (what == operation::identity) {
        v.facts = {};
        return v;
      }
      if (what != operation::rows && one_row(dim)) return v;
      if (what == operation::columns && graph_.at(dim).number < 0 && may_be_a_vector()) {
        v.facts = {};
        return v;
      }
      if (what == operation::rows) {
        v.facts = after(operation::rows, base.facts);
        return v;
      }
      proper(what);
      return v;
    }
    case ir::view_op::rows:
      v.facts = after(operation::rows, base.facts);
      return v;
    case ir::view_op::columns:
      proper(operation::columns);
      return v;
    case ir::view_op::select: {
      const term_id dim = graph_.child(id, 1);
      if (!graph_.is_integer(dim)) {
        v.facts = {};
        return v;
      }
      const std::int64_t d = graph_.at(dim).number;
      if (d == 0) {
        v.facts = after(operation::select_first, base.facts);
        if (base.facts.dense == tri::no) v.facts.dense = tri::unknown;
        return v;
      }
      // One of one, or behind dimensions of one index.
      if (d > 0 && (at_most_one(d) || one_row(dim))) return v;
      if (d == -1 && may_be_a_vector()) {
        v.facts = {};
        return v;
      }
      const bool last = d == -1 || (base_rank > 0 && d == base_rank - 1);
      if (last)
        proper(operation::select_last);
      else
        proper(operation::select_middle);
      return v;
    }
    case ir::view_op::split: {
      const term_id dim = graph_.child(id, 2);
      if (dim == no_term || (graph_.is_integer(dim) && graph_.at(dim).number == 0)) {
        v.facts = after(operation::rows, base.facts);
        return v;
      }
      const operation what = range_of(dim);
      if (what == operation::identity) {
        v.facts = {};
        return v;
      }
      // One piece is the whole: chunk(1), or pieces as long as the dimension.
      const term_id piece = graph_.child(id, 1);
      const bool counts = t.first.view().find("chunk") != std::string_view::npos;
      if (counts ? piece == graph_.integer(1) : covers_whole(base_term, dim, no_term, piece)) return v;
      if (what == operation::rows ||
          (what == operation::columns && graph_.at(dim).number < 0 && may_be_a_vector()))
        v.facts = after(operation::rows, base.facts);
      else if (!one_row(dim))
        proper(what);
      return v;
    }
    case ir::view_op::unbind: {
      const term_id dim = graph_.child(id, 1);
      if (dim == no_term || (graph_.is_integer(dim) && graph_.at(dim).number == 0)) {
        v.facts = after(operation::select_first, base.facts);
        return v;
      }
      if (graph_.is_integer(dim) && (graph_.at(dim).number == -1 || graph_.at(dim).number == base_rank - 1))
        proper(operation::select_last);
      else if (graph_.is_integer(dim))
        proper(operation::select_middle);
      else
        v.facts = {};
      return v;
    }
    case ir::view_op::transpose: {
      const term_id a = graph_.child(id, 1);
      const term_id b = graph_.child(id, 2);
      if (a != no_term && a == b) return v;
      // Swapping back restores the base.
      const term_id inner = graph_.strip(base_term);
      if (graph_.kind(inner) == term_kind::view &&
          static_cast<ir::view_op>(graph_.at(inner).op) == ir::view_op::transpose) {
        const term_id c = graph_.child(inner, 1);
        const term_id d = graph_.child(inner, 2);
        if ((a == c && b == d) || (a == d && b == c)) return layout(graph_.child(inner, 0));
      }
      if (base_rank == 0 || base_rank == 1) return v;
      if (may_be_a_vector() && (a == no_term || !graph_.is_integer(a))) {  // t() of what may be a vector
        v.facts = {};
        return v;
      }
      {
        std::int64_t low = 0, high = 1;  // t()
        if (a != no_term && b != no_term && graph_.is_integer(a) && graph_.is_integer(b)) {
          low = std::min(graph_.at(a).number, graph_.at(b).number);
          high = std::max(graph_.at(a).number, graph_.at(b).number);
          if (low < 0 && base_rank > 0) low += base_rank;
          if (high < 0 && base_rank > 0) high += base_rank;
          if (low > high) std::swap(low, high);
        }
        if (low >= 0 && high < 8) {
          std::vector<std::int64_t> order;
          for (std::int64_t d = 0; d <= high; ++d) order.push_back(d == low ? high : d == high ? low : d);
          if (keeps_order(order)) return v;
        }
      }
      proper(operation::transpose);
      return v;
    }
    case ir::view_op::permute: {
      const term_id order = graph_.child(id, 1);
      // Permutations of permutations are one.
      auto dimensions = [&](term_id list, std::vector<std::int64_t>& out) {
        if (list == no_term || graph_.kind(list) != term_kind::operation ||
            op_of(graph_.at(list)) != expr_op::list)
          return false;
        for (term_id d : graph_.children(list)) {
          const term_id n = graph_.strip(d);
          if (!graph_.is_integer(n) || graph_.at(n).number < 0 || graph_.at(n).number > 7) return false;
          out.push_back(graph_.at(n).number);
        }
        return true;
      };
      std::vector<std::int64_t> dims, inner_dims;
      if (dimensions(order, dims)) {
        if (keeps_order(dims)) return v;
        const term_id inner = graph_.strip(base_term);
        if (graph_.kind(inner) == term_kind::view &&
            static_cast<ir::view_op>(graph_.at(inner).op) == ir::view_op::permute &&
            dimensions(graph_.child(inner, 1), inner_dims) && inner_dims.size() == dims.size()) {
          bool identity = true;
          for (std::size_t k = 0; k < dims.size(); ++k)
            identity = identity && static_cast<std::size_t>(dims[k]) < inner_dims.size() &&
                       inner_dims[static_cast<std::size_t>(dims[k])] == static_cast<std::int64_t>(k);
          if (identity) return layout(graph_.child(inner, 0));
        }
      }
      proper(operation::permute);
      return v;
    }
    case ir::view_op::expand: {
      const term_id sizes = graph_.child(id, 1);
      bool same = sizes != no_term && graph_.kind(sizes) == term_kind::operation &&
                  op_of(graph_.at(sizes)) == expr_op::list;
      if (same)
        for (std::uint32_t k = 0; k < graph_.at(sizes).child_count; ++k) {
          const term_id n = graph_.strip(graph_.child(sizes, k));
          same = same &&
                 (n == graph_.integer(-1) ||
                  compare(expr_op::eq, n, graph_.query(ir::query_op::size, base_term, graph_.integer(k))) ==
                      tri::yes ||
                  n == graph_.query(ir::query_op::size, base_term, graph_.integer(k)));
        }
      if (same) return v;
      proper(operation::expand);
      v.may = v.facts.dense == tri::no;  // expanding nothing changes nothing
      return v;
    }
    case ir::view_op::view:
      v.facts = after(operation::view_as, base.facts);
      return v;
    case ir::view_op::squeeze:
      v.facts = after(operation::squeeze, base.facts);
      return v;
    case ir::view_op::unsqueeze:
      v.facts = after(operation::unsqueeze, base.facts);
      return v;
    case ir::view_op::index: {
      // index({a, b, …}): slices and integers alias. A slice that is not the first and not whole narrows.
      const term_id list = graph_.child(id, 1);
      const term& l = graph_.at(list);
      if (l.kind != term_kind::operation || op_of(l) != expr_op::list) {
        v.facts = {};
        v.culprit = no_term;
        return v;
      }
      v.facts = {};
      v.culprit = no_term;
      return v;
    }
    case ir::view_op::as_strided:
    case ir::view_op::opaque:
      v.facts = {};
      v.culprit = no_term;
      return v;
  }
  return v;
}

term_id layout_formula(term_graph& graph, term_id formula) {
  const term t = graph.at(formula);
  if (t.kind != term_kind::operation) return formula;
  const expr_op op = static_cast<expr_op>(t.op);
  if (op != expr_op::eq && op != expr_op::ne) return formula;
  const term_id a = graph.child(formula, 0);
  const term_id b = graph.child(formula, 1);
  auto as_test = [&](term_id x, ir::predicate what) {
    const std::array<term_id, 1> o{x};
    const term_id test = graph.test(what, o);
    return op == expr_op::eq ? test : graph.negate(test);
  };
  auto is_query = [&](term_id x, ir::query_op what) {
    return graph.kind(x) == term_kind::query && static_cast<ir::query_op>(graph.at(x).op) == what;
  };
  // stride(x, -1) == 1
  if (is_query(a, ir::query_op::stride) && graph.is_integer(b) && graph.at(b).number == 1) {
    const term_id dim = graph.child(a, 1);
    const term_id x = graph.child(a, 0);
    // x.stride(x.dim() - 1) is the last as well
    const bool from_rank = graph.kind(dim) == term_kind::operation && graph.child(dim, 0) != no_term &&
                           (is_query(graph.child(dim, 0), ir::query_op::ndim) ||
                            is_query(graph.child(dim, 1), ir::query_op::ndim));
    if ((graph.is_integer(dim) && graph.at(dim).number == -1) || from_rank)
      return as_test(x, ir::predicate::inner_contiguous);
  }
  // stride(x, 0) == size(x, -1): rows follow each other without a gap
  for (int k = 0; k < 2; ++k) {
    const term_id stride = k == 0 ? a : b;
    const term_id size = k == 0 ? b : a;
    if (is_query(stride, ir::query_op::stride) && is_query(size, ir::query_op::size) &&
        graph.child(stride, 0) == graph.child(size, 0) && graph.is_integer(graph.child(stride, 1)) &&
        graph.is_integer(graph.child(size, 1))) {
      const std::int64_t d = graph.at(graph.child(stride, 1)).number;
      const std::int64_t e = graph.at(graph.child(size, 1)).number;
      if ((d == 0 && (e == -1 || e == 1)) || (d == -2 && e == -1))
        return as_test(graph.child(stride, 0), ir::predicate::contiguous);
    }
  }
  return formula;
}

namespace {

// Whether a test or query that `wanted` accepts stands anywhere in the boolean structure of a formula.
template <class Wanted>
bool any_of_formula(const term_graph& graph, term_id formula, Wanted wanted) {
  std::vector<term_id> stack{formula};
  for (int steps = 0; !stack.empty() && steps < 200; ++steps) {
    const term_id x = stack.back();
    stack.pop_back();
    const term& t = graph.at(x);
    if (t.kind == term_kind::test || t.kind == term_kind::query) {
      if (wanted(t)) return true;
    } else if (t.kind == term_kind::operation || t.kind == term_kind::conjunction ||
               t.kind == term_kind::one_of) {
      for (term_id c : graph.children(x)) stack.push_back(c);
    }
  }
  return false;
}

}  // namespace

bool mentions_layout(const term_graph& graph, term_id formula) {
  return any_of_formula(graph, formula, [](const term& t) {
    if (t.kind == term_kind::query) {
      const auto op = static_cast<ir::query_op>(t.op);
      return op == ir::query_op::stride || op == ir::query_op::stride_bytes || op == ir::query_op::strides;
    }
    switch (static_cast<ir::predicate>(t.op)) {
      case ir::predicate::contiguous:
      case ir::predicate::inner_contiguous:
      case ir::predicate::row_pitched:
      case ir::predicate::suffix_dense:
      case ir::predicate::permutation_dense:
        return true;
      default:
        return false;
    }
  });
}

bool mentions_tensor(const term_graph& graph, term_id formula) {
  return any_of_formula(graph, formula, [](const term& t) {
    return t.kind == term_kind::query || static_cast<ir::predicate>(t.op) != ir::predicate::is_capturing;
  });
}

}  // namespace stridelock::solve
