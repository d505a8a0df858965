#include "analyzer/solve/term.h"

#include <algorithm>
#include <array>

namespace stridelock::solve {
namespace {

using ir::expr_op;

constexpr std::uint16_t deepest = 48;

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccdULL;
}

bool is_comparison(expr_op op) {
  switch (op) {
    case expr_op::lt:
    case expr_op::le:
    case expr_op::gt:
    case expr_op::ge:
    case expr_op::eq:
    case expr_op::ne:
      return true;
    default:
      return false;
  }
}

expr_op swapped(expr_op op) {
  switch (op) {
    case expr_op::lt:
      return expr_op::gt;
    case expr_op::le:
      return expr_op::ge;
    case expr_op::gt:
      return expr_op::lt;
    case expr_op::ge:
      return expr_op::le;
    default:
      return op;
  }
}

expr_op inverted(expr_op op) {
  switch (op) {
    case expr_op::lt:
      return expr_op::ge;
    case expr_op::le:
      return expr_op::gt;
    case expr_op::gt:
      return expr_op::le;
    case expr_op::ge:
      return expr_op::lt;
    case expr_op::eq:
      return expr_op::ne;
    case expr_op::ne:
      return expr_op::eq;
    default:
      return op;
  }
}

bool fold(expr_op op, std::int64_t a, std::int64_t b, std::int64_t& out) {
  switch (op) {
    case expr_op::add:
      return !__builtin_add_overflow(a, b, &out);
    case expr_op::sub:
      return !__builtin_sub_overflow(a, b, &out);
    case expr_op::mul:
      return !__builtin_mul_overflow(a, b, &out);
    case expr_op::div:
      if (b == 0 || (b == -1 && a == INT64_MIN)) return false;
      out = a / b;
      return true;
    case expr_op::rem:
      if (b == 0 || (b == -1 && a == INT64_MIN)) return false;
      out = a % b;
      return true;
    case expr_op::lt:
      out = a < b;
      return true;
    case expr_op::le:
      out = a <= b;
      return true;
    case expr_op::gt:
      out = a > b;
      return true;
    case expr_op::ge:
      out = a >= b;
      return true;
    case expr_op::eq:
      out = a == b;
      return true;
    case expr_op::ne:
      out = a != b;
      return true;
    case expr_op::bit_and:
      out = a & b;
      return true;
    case expr_op::bit_or:
      out = a | b;
      return true;
    case expr_op::logical_and:
      out = a && b;
      return true;
    case expr_op::logical_or:
      out = a || b;
      return true;
    default:
      return false;
  }
}

}  // namespace

term_graph::term_graph() {
  terms_.push_back({});  // no_term
  hashes_.push_back(0);
  index_.assign(1024, no_term);
}

term_id term_graph::make(term t, std::span<const term_id> children) {
  std::uint16_t depth = 0;
  for (term_id c : children) depth = std::max(depth, terms_[c].depth);
  t.depth = static_cast<std::uint16_t>(depth + 1);
  std::uint64_t h = mix(static_cast<std::uint64_t>(t.kind), t.op);
  h = mix(h, static_cast<std::uint64_t>(t.number));
  h = mix(h, std::hash<ir::name>()(t.first));
  h = mix(h, std::hash<ir::name>()(t.second));
  h = mix(h, std::hash<ir::name>()(t.where.file));
  h = mix(h, (std::uint64_t{t.where.line} << 32) | t.where.column);
  for (term_id c : children) h = mix(h, c);
  if (depth >= deepest && t.kind != term_kind::conjunction) return cut("expression too deep", h);
  std::size_t slot = h & (index_.size() - 1);
  for (; index_[slot] != no_term; slot = (slot + 1) & (index_.size() - 1)) {
    const term_id id = index_[slot];
    if (hashes_[id] != h) continue;
    const term& o = terms_[id];
    if (o.kind != t.kind || o.op != t.op || o.number != t.number || o.first != t.first ||
        o.second != t.second || !(o.where == t.where) || o.child_count != children.size())
      continue;
    if (std::equal(children.begin(), children.end(), children_.begin() + o.first_child)) return id;
  }
  t.first_child = static_cast<std::uint32_t>(children_.size());
  t.child_count = static_cast<std::uint32_t>(children.size());
  // `children` may be part of children_: growing first keeps them readable.
  const std::ptrdiff_t inside = children.data() - children_.data();
  const bool aliased =
      !children.empty() && inside >= 0 && inside < static_cast<std::ptrdiff_t>(children_.size());
  if (children_.size() + children.size() > children_.capacity())
    children_.reserve(2 * (children_.size() + children.size()));
  const term_id* from = aliased ? children_.data() + inside : children.data();
  for (std::size_t k = 0; k < t.child_count; ++k) children_.push_back(from[k]);
  const auto id = static_cast<term_id>(terms_.size());
  terms_.push_back(t);
  hashes_.push_back(h);
  index_[slot] = id;
  if (terms_.size() * 2 > index_.size()) grow_index();
  return id;
}

void term_graph::grow_index() {
  index_.assign(index_.size() * 2, no_term);
  for (term_id id = 1; id < terms_.size(); ++id) {
    std::size_t slot = hashes_[id] & (index_.size() - 1);
    while (index_[slot] != no_term) slot = (slot + 1) & (index_.size() - 1);
    index_[slot] = id;
  }
}

term_id term_graph::make(term_kind kind, std::uint8_t op, std::span<const term_id> children) {
  term t;
  t.kind = kind;
  t.op = op;
  return make(t, children);
}

// Unknown, but the same unknown for the same cause: a fixpoint must not see something new at every visit.
term_id term_graph::cut(ir::name reason, std::uint64_t cause) {
  term t;
  t.kind = term_kind::unknown;
  t.number = -static_cast<std::int64_t>(cause >> 2) - 1;
  t.first = reason;
  return make(t, {});
}

term_id term_graph::fresh(ir::name reason) {
  term t;
  t.kind = term_kind::unknown;
  t.number = ++next_fresh_;
  t.first = reason;
  return make(t, {});
}

term_id term_graph::integer(std::int64_t number) {
  term t;
  t.kind = term_kind::integer;
  t.number = number;
  return make(t, {});
}

term_id term_graph::literal(ir::name content) {
  term t;
  t.kind = term_kind::literal;
  t.first = content;
  return make(t, {});
}

term_id term_graph::function(ir::name symbol) {
  term t;
  t.kind = term_kind::function;
  t.first = symbol;
  return make(t, {});
}

term_id term_graph::parameter(std::uint32_t index) {
  term t;
  t.kind = term_kind::parameter;
  t.number = index;
  return make(t, {});
}

term_id term_graph::global(ir::name symbol) {
  term t;
  t.kind = term_kind::global;
  t.first = symbol;
  return make(t, {});
}

term_id term_graph::step(const ir::step& s) {
  term t;
  t.kind = term_kind::step;
  t.op = static_cast<std::uint8_t>(s.kind);
  t.first = s.record;
  t.second = s.field;
  t.number = s.index;
  return make(t, {});
}

term_id term_graph::local_location(std::uint32_t index) {
  term t;
  t.kind = term_kind::location;
  t.op = static_cast<std::uint8_t>(location_kind::local);
  t.number = index;
  return make(t, {});
}

term_id term_graph::parameter_location(std::uint32_t index) {
  term t;
  t.kind = term_kind::location;
  t.op = static_cast<std::uint8_t>(location_kind::parameter);
  t.number = index;
  return make(t, {});
}

term_id term_graph::global_location(ir::name symbol) {
  term t;
  t.kind = term_kind::location;
  t.op = static_cast<std::uint8_t>(location_kind::global);
  t.first = symbol;
  return make(t, {});
}

term_id term_graph::pointee_location(term_id pointer) {
  const term_id p = strip(pointer);
  if (kind(p) == term_kind::address) return child(p, 0);
  const std::array<term_id, 1> c{p};
  return make(term_kind::location, static_cast<std::uint8_t>(location_kind::pointee), c);
}

term_id term_graph::part_location(term_id whole, term_id step) {
  if (static_cast<ir::step_kind>(at(step).op) == ir::step_kind::deref) return whole;
  const std::array<term_id, 2> c{whole, step};
  return make(term_kind::location, static_cast<std::uint8_t>(location_kind::part), c);
}

term_id term_graph::address(term_id location) {
  const term& l = at(location);
  if (static_cast<location_kind>(l.op) == location_kind::pointee) return child(location, 0);
  const std::array<term_id, 1> c{location};
  return make(term_kind::address, 0, c);
}

term_id term_graph::deref(term_id pointer) {
  const std::array<term_id, 1> c{strip(pointer)};
  return make(term_kind::deref, 0, c);
}

term_id term_graph::project(term_id whole, term_id step) {
  const term_id base = strip(whole);
  switch (kind(base)) {
    case term_kind::aggregate:
    case term_kind::closure: {
      const auto c = children(base);
      const std::size_t begin = kind(base) == term_kind::aggregate ? 1 : 0;
      for (std::size_t i = begin; i + 1 < c.size(); i += 2)
        if (c[i] == step) return c[i + 1];
      if (kind(base) == term_kind::aggregate && c[0] != no_term) return project(c[0], step);
      return cut("member not set", mix(base, step));
    }
    case term_kind::one_of: {
      std::vector<alternative> parts;
      for (const alternative& a : alternatives(base)) parts.push_back({project(a.value, step), a.guard});
      return one_of(std::move(parts));
    }
    case term_kind::view: {
      // An element of a list of views (split, chunk, unbind) is told apart by its index.
      break;
    }
    default:
      break;
  }
  if (static_cast<ir::step_kind>(at(step).op) == ir::step_kind::deref) return deref(base);
  const std::array<term_id, 2> c{base, step};
  return make(term_kind::project, 0, c);
}

term_id term_graph::aggregate(term_id base, std::span<const term_id> pairs) {
  // Keep pairs sorted by step id, the last of equal steps winning.
  std::vector<std::pair<term_id, term_id>> sorted;
  term_id below = strip(base);
  if (kind(below) == term_kind::aggregate) {
    const auto c = children(below);
    for (std::size_t i = 1; i + 1 < c.size(); i += 2) sorted.emplace_back(c[i], c[i + 1]);
    below = c[0];
  }
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    auto it = std::find_if(sorted.begin(), sorted.end(), [&](const auto& p) { return p.first == pairs[i]; });
    if (it != sorted.end())
      it->second = pairs[i + 1];
    else
      sorted.emplace_back(pairs[i], pairs[i + 1]);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<term_id> c{below};
  for (const auto& [s, v] : sorted) {
    c.push_back(s);
    c.push_back(v);
  }
  return make(term_kind::aggregate, 0, c);
}

term_id term_graph::closure(ir::name symbol, std::span<const term_id> pairs) {
  term t;
  t.kind = term_kind::closure;
  t.first = symbol;
  return make(t, pairs);
}

term_id term_graph::operation(expr_op op, std::initializer_list<term_id> operands) {
  return operation(op, std::span<const term_id>(operands.begin(), operands.size()));
}

term_id term_graph::operation(expr_op op, std::span<const term_id> operands) {
  std::vector<term_id> c;
  c.reserve(operands.size());
  for (term_id o : operands) c.push_back(strip(o));
  if (op == expr_op::cast) return c.empty() ? cut("cast of nothing", 0) : c[0];
  if (op == expr_op::logical_not && c.size() == 1) return negate(c[0]);
  if (op == expr_op::neg && c.size() == 1 && is_integer(c[0]) && at(c[0]).number != INT64_MIN)
    return integer(-at(c[0]).number);
  if (c.size() == 2) {
    std::int64_t folded = 0;
    if (is_integer(c[0]) && is_integer(c[1]) && fold(op, at(c[0]).number, at(c[1]).number, folded))
      return integer(folded);
    if (op == expr_op::logical_and || op == expr_op::logical_or) {
      const bool is_and = op == expr_op::logical_and;
      for (int i = 0; i < 2; ++i)
        if (is_integer(c[i])) {
          const bool truth = at(c[i]).number != 0;
          if (truth == is_and) return c[1 - i];
          return integer(truth ? 1 : 0);
        }
    }
    if (is_comparison(op)) {
      // `condition != 0` is the condition.
      const bool right_zero = is_integer(c[1]) && at(c[1]).number == 0;
      const bool left_is_condition =
          kind(c[0]) == term_kind::test ||
          (kind(c[0]) == term_kind::operation && (is_comparison(static_cast<expr_op>(at(c[0]).op)) ||
                                                  static_cast<expr_op>(at(c[0]).op) == expr_op::logical_and ||
                                                  static_cast<expr_op>(at(c[0]).op) == expr_op::logical_or ||
                                                  static_cast<expr_op>(at(c[0]).op) == expr_op::logical_not));
      if (right_zero && left_is_condition && op == expr_op::ne) return c[0];
      if (right_zero && left_is_condition && op == expr_op::eq) return negate(c[0]);
      const bool swap = is_integer(c[0])                           ? !is_integer(c[1])
                        : is_integer(c[1])                         ? false
                        : (op == expr_op::eq || op == expr_op::ne) ? c[1] < c[0]
                                                                   : op == expr_op::gt || op == expr_op::ge;
      if (swap) {
        std::swap(c[0], c[1]);
        op = swapped(op);
      }
      if (c[0] == c[1] && kind(c[0]) != term_kind::unknown)
        return integer(op == expr_op::eq || op == expr_op::le || op == expr_op::ge ? 1 : 0);
    }
    if (op == expr_op::add || op == expr_op::mul) {
      if (c[1] < c[0]) std::swap(c[0], c[1]);
      for (int i = 0; i < 2; ++i)
        if (is_integer(c[i]) && at(c[i]).number == (op == expr_op::add ? 0 : 1)) return c[1 - i];
    }
    if (op == expr_op::sub && is_integer(c[1]) && at(c[1]).number == 0) return c[0];
  }
  return make(term_kind::operation, static_cast<std::uint8_t>(op), c);
}

term_id term_graph::negate(term_id condition) {
  const term_id c = strip(condition);
  const term& t = at(c);
  if (t.kind == term_kind::integer) return integer(t.number == 0 ? 1 : 0);
  if (t.kind == term_kind::conjunction && t.child_count == 1) return negate(child(c, 0));
  if (t.kind == term_kind::conjunction && t.child_count == 0) return integer(0);
  if (t.kind == term_kind::operation) {
    const auto op = static_cast<expr_op>(t.op);
    if (op == expr_op::logical_not) return child(c, 0);
    if (is_comparison(op)) {
      const std::array<term_id, 2> k{child(c, 0), child(c, 1)};
      return operation(inverted(op), k);
    }
    if (op == expr_op::logical_and || op == expr_op::logical_or) {
      const std::array<term_id, 2> k{negate(child(c, 0)), negate(child(c, 1))};
      return operation(op == expr_op::logical_and ? expr_op::logical_or : expr_op::logical_and, k);
    }
  }
  const std::array<term_id, 1> k{c};
  return make(term_kind::operation, static_cast<std::uint8_t>(expr_op::logical_not), k);
}

term_id term_graph::conjunction(std::vector<term_id> atoms) {
  std::vector<term_id> flat;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const term_id a = atoms[i];
    if (a == no_term) continue;
    const term& t = at(a);
    if (t.kind == term_kind::conjunction) {
      const auto c = children(a);
      flat.insert(flat.end(), c.begin(), c.end());
    } else if (t.kind == term_kind::operation && static_cast<expr_op>(t.op) == expr_op::logical_and) {
      atoms.push_back(child(a, 0));
      atoms.push_back(child(a, 1));
    } else if (t.kind == term_kind::integer && t.number != 0) {
      continue;
    } else {
      flat.push_back(a);
    }
  }
  std::sort(flat.begin(), flat.end());
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  return make(term_kind::conjunction, 0, flat);
}

term_id term_graph::conjunction_of(term_id a, term_id b) {
  return conjunction({a, b});
}

std::vector<term_graph::alternative> term_graph::alternatives(term_id id) const {
  std::vector<alternative> out;
  const term_id base = strip(id);
  if (kind(base) != term_kind::one_of) {
    out.push_back({id, no_term});
    return out;
  }
  const auto c = children(base);
  for (std::size_t i = 0; i + 1 < c.size(); i += 2) out.push_back({c[i], c[i + 1]});
  return out;
}

term_id term_graph::one_of(std::vector<alternative> given, std::size_t most) {
  std::vector<alternative> flat;
  for (const alternative& a : given) {
    for (const alternative& inner : alternatives(a.value))
      flat.push_back({inner.value, conjunction_of(a.guard, inner.guard)});
  }
  // The same value under two guards holds under what both say.
  std::vector<alternative> merged;
  for (const alternative& a : flat) {
    auto it =
        std::find_if(merged.begin(), merged.end(), [&](const alternative& m) { return m.value == a.value; });
    if (it == merged.end()) {
      merged.push_back(a);
      continue;
    }
    std::vector<term_id> common;
    const auto x = children(it->guard);
    const auto y = children(a.guard);
    std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(common));
    it->guard = conjunction(std::move(common));
  }
  if (merged.empty()) return cut("no value", 0);
  if (merged.size() == 1) return merged[0].value;
  if (merged.size() > most) {
    std::uint64_t h = 0;
    for (const alternative& a : merged) h = mix(mix(h, a.value), a.guard);
    return cut("too many alternatives", h);
  }
  std::sort(merged.begin(), merged.end(), [](const alternative& a, const alternative& b) {
    return a.value != b.value ? a.value < b.value : a.guard < b.guard;
  });
  std::vector<term_id> c;
  for (const alternative& a : merged) {
    c.push_back(a.value);
    c.push_back(a.guard);
  }
  return make(term_kind::one_of, 0, c);
}

term_id term_graph::view(ir::view_op op, term_id base, std::span<const term_id> args,
                         const ir::location& where, ir::name spelling, ir::name label) {
  term t;
  t.kind = term_kind::view;
  t.op = static_cast<std::uint8_t>(op);
  t.where = where;
  t.spelling = spelling;
  t.first = label;
  std::vector<term_id> c{base};
  for (term_id a : args) c.push_back(strip(a));
  return make(t, c);
}

term_id term_graph::copy(ir::copy_op op, term_id base, const ir::location& where, ir::name spelling,
                         ir::name label) {
  term t;
  t.kind = term_kind::copy;
  t.op = static_cast<std::uint8_t>(op);
  t.where = where;
  t.spelling = spelling;
  t.first = label;
  const std::array<term_id, 1> c{base};
  return make(t, c);
}

term_id term_graph::allocation(term_id shape, term_id like, const ir::location& where, ir::name label) {
  term t;
  t.kind = term_kind::allocation;
  t.where = where;
  t.first = label;
  const std::array<term_id, 2> c{shape, like};
  return make(t, c);
}

term_id term_graph::pointer(term_id tensor) {
  if (kind(strip(tensor)) == term_kind::one_of) {
    std::vector<alternative> parts;
    for (const alternative& a : alternatives(tensor)) parts.push_back({pointer(a.value), a.guard});
    return one_of(std::move(parts));
  }
  const std::array<term_id, 1> c{tensor};
  return make(term_kind::pointer, 0, c);
}

term_id term_graph::query(ir::query_op op, term_id tensor, term_id dimension) {
  const term_id base = strip(tensor);
  const term_id dim = dimension == no_term ? no_term : strip(dimension);
  const bool by_dimension = op == ir::query_op::size || op == ir::query_op::stride;
  // Sizes and strides pass through views that do not touch them.
  if (by_dimension && is_integer(dim)) {
    const term& t = at(base);
    if (t.kind == term_kind::view && static_cast<ir::view_op>(t.op) == ir::view_op::narrow) {
      const term_id narrowed = child(base, 1);
      if (is_integer(narrowed)) {
        if (op == ir::query_op::size && narrowed == dim) return child(base, 3);
        const bool both_counted_alike = (at(narrowed).number < 0) == (at(dim).number < 0);
        if (op == ir::query_op::stride || (narrowed != dim && both_counted_alike))
          return query(op, child(base, 0), dim);
      }
    }
    if (op == ir::query_op::size && t.kind == term_kind::view && at(dim).number >= 0 && at(dim).number < 8) {
      // Extents pass through views that rearrange dimensions.
      const std::int64_t d = at(dim).number;
      const term_id first = child(base, 1);
      const term_id source = child(base, 0);
      const bool constant = is_integer(first) && at(first).number >= 0;
      auto listed = [&](term_id list) {
        return kind(list) == term_kind::operation && static_cast<expr_op>(at(list).op) == expr_op::list &&
                       static_cast<std::size_t>(d) < at(list).child_count
                   ? strip(child(list, static_cast<std::size_t>(d)))
                   : no_term;
      };
      switch (static_cast<ir::view_op>(t.op)) {
        case ir::view_op::unsqueeze:
          if (constant)
            return at(first).number == d ? integer(1)
                                         : query(op, source, integer(at(first).number < d ? d - 1 : d));
          break;
        case ir::view_op::select:
          if (constant) return query(op, source, integer(at(first).number <= d ? d + 1 : d));
          break;
        case ir::view_op::transpose: {
          const term_id second = child(base, 2);
          if (constant && is_integer(second) && at(second).number >= 0) {
            const std::int64_t from = at(first).number == d    ? at(second).number
                                      : at(second).number == d ? at(first).number
                                                               : d;
            return query(op, source, integer(from));
          }
          break;
        }
        case ir::view_op::permute:
          if (const term_id from = listed(first); from != no_term && is_integer(from) && at(from).number >= 0)
            return query(op, source, from);
          break;
        case ir::view_op::view:
          if (const term_id extent = listed(first);
              extent != no_term && !(is_integer(extent) && at(extent).number < 0))
            return extent;
          break;
        case ir::view_op::rows:
        case ir::view_op::columns:
        case ir::view_op::slice:
        default:
          break;
      }
    }
    if (op == ir::query_op::size && t.kind == term_kind::allocation && at(dim).number >= 0) {
      const term_id shape = child(base, 0);
      if (kind(shape) == term_kind::operation && static_cast<expr_op>(at(shape).op) == expr_op::list &&
          static_cast<std::size_t>(at(dim).number) < at(shape).child_count)
        return child(shape, static_cast<std::size_t>(at(dim).number));
    }
    if (t.kind == term_kind::copy && op == ir::query_op::size &&
        static_cast<ir::copy_op>(t.op) != ir::copy_op::reshape)
      return query(op, child(base, 0), dim);
  }
  if (kind(base) == term_kind::one_of) {
    std::vector<alternative> parts;
    for (const alternative& a : alternatives(base)) parts.push_back({query(op, a.value, dim), a.guard});
    return one_of(std::move(parts));
  }
  const std::array<term_id, 2> c{base, dim};
  return make(term_kind::query, static_cast<std::uint8_t>(op), c);
}

term_id term_graph::test(ir::predicate what, std::span<const term_id> operands) {
  std::vector<term_id> c;
  for (term_id o : operands) {
    // The layout of a pointer is that of the tensor it was taken from.
    term_id x = strip(o);
    while (what != ir::predicate::present && kind(x) == term_kind::pointer) x = strip(child(x, 0));
    c.push_back(x);
  }
  if (c.size() == 1 && kind(c[0]) == term_kind::one_of) {
    std::vector<alternative> parts;
    for (const alternative& a : alternatives(c[0])) {
      const std::array<term_id, 1> k{a.value};
      parts.push_back({test(what, k), a.guard});
    }
    return one_of(std::move(parts));
  }
  return make(term_kind::test, static_cast<std::uint8_t>(what), c);
}

term_id term_graph::result(ir::name callee, std::span<const term_id> arguments) {
  term t;
  t.kind = term_kind::result;
  t.first = callee;
  std::vector<term_id> c;
  for (term_id a : arguments) c.push_back(strip(a));
  return make(t, c);
}

term_id term_graph::via(term_id value, ir::name text, const ir::location& where) {
  term t;
  t.kind = term_kind::via;
  t.first = text;
  t.where = where;
  const std::array<term_id, 1> c{value};
  return make(t, c);
}

term_id term_graph::strip(term_id id) const {
  while (terms_[id].kind == term_kind::via) id = children_[terms_[id].first_child];
  return id;
}

term_id term_graph::substitute(term_id id, substitution& with) {
  if (id == no_term) return no_term;
  if (auto it = with.done.find(id); it != with.done.end()) return it->second;
  const term t = at(id);  // by value: the graph grows below
  std::vector<term_id> c(children(id).begin(), children(id).end());
  auto each = [&] {
    for (term_id& k : c) k = substitute(k, with);
  };
  term_id out = id;
  switch (t.kind) {
    case term_kind::nothing:
    case term_kind::unknown:
    case term_kind::integer:
    case term_kind::literal:
    case term_kind::function:
    case term_kind::step:
      break;
    case term_kind::global:
      out = with.read(global_location(t.first));
      break;
    case term_kind::parameter:
      out = with.parameter_value(static_cast<std::uint32_t>(t.number));
      break;
    case term_kind::location:
      switch (static_cast<location_kind>(t.op)) {
        case location_kind::parameter:
          out = with.parameter_address(static_cast<std::uint32_t>(t.number));
          break;
        case location_kind::pointee:
          each();
          out = pointee_location(c[0]);
          break;
        case location_kind::part:
          each();
          out = c[0] == no_term ? no_term : part_location(c[0], c[1]);
          break;
        case location_kind::local:  // of the callee: means nothing to the caller
          out = no_term;
          break;
        case location_kind::global:
          break;
      }
      break;
    case term_kind::address:
      each();
      out = c[0] == no_term ? cut("address of a callee's local", id) : address(c[0]);
      break;
    case term_kind::deref: {
      each();
      const term_id p = strip(c[0]);
      out = kind(p) == term_kind::address   ? with.read(child(p, 0))
            : kind(p) == term_kind::unknown ? with.read(pointee_location(p))
                                            : with.read(pointee_location(p));
      break;
    }
    case term_kind::project:
      each();
      out = project(c[0], c[1]);
      break;
    case term_kind::operation:
      each();
      out = static_cast<expr_op>(t.op) == expr_op::list ? make(term_kind::operation, t.op, c)
                                                        : operation(static_cast<expr_op>(t.op), c);
      break;
    case term_kind::aggregate:
      each();
      out = aggregate(c[0], std::span<const term_id>(c).subspan(1));
      break;
    case term_kind::one_of: {
      each();
      std::vector<alternative> parts;
      for (std::size_t i = 0; i + 1 < c.size(); i += 2) parts.push_back({c[i], c[i + 1]});
      out = one_of(std::move(parts));
      break;
    }
    case term_kind::conjunction:
      each();
      out = conjunction(std::move(c));
      break;
    case term_kind::closure:
      each();
      out = closure(t.first, c);
      break;
    case term_kind::view:
      each();
      out = view(static_cast<ir::view_op>(t.op), c[0], std::span<const term_id>(c).subspan(1), t.where,
                 t.spelling, t.first);
      break;
    case term_kind::copy:
      each();
      out = copy(static_cast<ir::copy_op>(t.op), c[0], t.where, t.spelling, t.first);
      break;
    case term_kind::allocation:
      each();
      out = allocation(c[0], c[1], t.where, t.first);
      break;
    case term_kind::pointer:
      each();
      out = pointer(c[0]);
      break;
    case term_kind::query:
      each();
      out = query(static_cast<ir::query_op>(t.op), c[0], c[1]);
      break;
    case term_kind::test:
      each();
      out = test(static_cast<ir::predicate>(t.op), c);
      break;
    case term_kind::result:
      each();
      out = result(t.first, c);
      break;
    case term_kind::via:
      each();
      out = via(c[0], t.first, t.where);
      break;
  }
  with.done.emplace(id, out);
  return out;
}

}  // namespace stridelock::solve
