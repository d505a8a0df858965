// The exact evaluator: bind in one pass, check in a second, collect everything (docs/semantics.md, "Symbols").
#include "stridelock/evaluate.h"

#include <algorithm>
#include <exception>
#include <memory>

#include "report_data.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

expression_value value_of(const expression& e, const symbol_value* symbols, int symbol_count,
                          const std::vector<library_parameter>& parameters,
                          const std::vector<index_t>& values) {
  expression_value r;
  index_t base = 0;
  switch (e.kind) {
    case expression_kind::any:
      return r;
    case expression_kind::constant:
      r.known = true;
      r.value = e.added;
      return r;
    case expression_kind::symbol:
      if (e.index < 0 || e.index >= symbol_count || !symbols[e.index].bound) return r;
      base = symbols[e.index].value;
      break;
    case expression_kind::parameter: {
      std::size_t at = 0;
      while (at < parameters.size() && parameters[at].name != e.name) ++at;
      if (at == parameters.size()) return r;
      base = values[at];
      break;
    }
  }
  checked result = checked(base) * checked(e.multiple) + checked(e.added);
  if (e.rounded_to != 1) result = round_up(result, e.rounded_to);
  r.known = true;
  r.fits = result.ok;
  r.value = result.value;
  return r;
}

namespace {

constexpr verdict verdict_of(const violation& v) {
  if (v.kind == violation_kind::no_kernel || v.kind == violation_kind::uncovered) return verdict::no_kernel;
  return v.how == evidence::unchecked ? verdict::silent : verdict::refused;
}

// Judges one branch. Everything it needs is borrowed for the time of the call.
class branch_judge {
 public:
  branch_judge(const contract_view& branch, const std::vector<argument_copy>& arguments,
               const argument_value* originals, const std::vector<library_parameter>& parameters,
               const std::vector<index_t>& values, capability device_capability,
               const evaluation_context& context)
      : branch_(branch),
        arguments_(arguments),
        originals_(originals),
        parameters_(parameters),
        values_(values),
        capability_(device_capability),
        context_(context) {
    for (int i = 0; i < branch.symbol_count; ++i)
      symbols[static_cast<std::size_t>(i)].name = branch.symbols[i].name;
    bind();
  }

  // Does the branch apply? Unknown if a condition cannot be decided; `undecided_condition` is then the first of them.
  tri applies() {
    tri all = tri::yes;
    for (int i = 0; i < branch_.condition_count; ++i) {
      const tri one = holds(branch_.conditions[i]);
      if (one == tri::no) return tri::no;
      if (one == tri::unknown && all == tri::yes) {
        all = tri::unknown;
        undecided_condition = i;
      }
    }
    return all;
  }

  void check() {
    if (branch_.kind != branch_kind::kernel) {
      violation v;
      v.kind = violation_kind::no_kernel;
      add(v, {});
      return;
    }
    int first_tensor = -1;
    for (int i = 0; i < branch_.argument_count; ++i) {
      const argument& wanted = branch_.arguments[i];
      const argument_copy& given = arguments_[static_cast<std::size_t>(i)];
      if (!given.is_present) {
        if (!wanted.is_optional) add(at(violation_kind::missing, i), {});
        continue;
      }
      check_argument(i, wanted, given, first_tensor);
    }
    for (int i = 0; i < branch_.guard_count; ++i) {
      if (holds(branch_.guards[i]) != tri::no) continue;
      violation v;
      v.kind = violation_kind::guard;
      v.index = static_cast<std::int8_t>(i);
      if (branch_.guards[i].left.kind == expression_kind::symbol) v.symbol = branch_.guards[i].left.index;
      add(v, branch_.guards[i].why);
    }
  }

  verdict worst() const {
    verdict result = verdict::ok;
    for (const violation& v : violations) result = std::max(result, verdict_of(v));
    return result;
  }

  std::vector<violation> violations;
  std::array<symbol_value, 16> symbols{};
  int undecided_condition = -1;
  int unevaluated = 0;

 private:
  // ---- pass one ----------------------------------------------------------------------------------------------

  static const shape_pattern* shape_for(const argument& wanted, const tensor_desc& tensor) {
    for (int s = 0; s < wanted.shape_count; ++s)
      if (wanted.shapes[s].rank == tensor.rank()) return &wanted.shapes[s];
    return nullptr;
  }

  void bind() {
    for (int i = 0; i < branch_.argument_count; ++i) {
      const argument_copy& given = arguments_[static_cast<std::size_t>(i)];
      if (!given.is_present || !given.tensor.valid()) continue;
      const shape_pattern* pattern = shape_for(branch_.arguments[i], given.tensor);
      if (pattern == nullptr) continue;
      for (int d = 0; d < pattern->rank; ++d)
        if (given.tensor.extent(d) >= 0) bind_to(pattern->extents[d], i, d, false, given.tensor.extent(d));
    }
    // Strides after all extents, so that an extent is the better origin of a symbol used for both.
    for (int i = 0; i < branch_.argument_count; ++i) {
      const argument_copy& given = arguments_[static_cast<std::size_t>(i)];
      if (!given.is_present || !given.tensor.valid() || is_empty(given.tensor.layout())) continue;
      const shape_pattern* pattern = shape_for(branch_.arguments[i], given.tensor);
      if (pattern == nullptr || !pattern->has_strides) continue;
      for (int d = 0; d < pattern->rank; ++d)
        if (given.tensor.extent(d) > 1) bind_to(pattern->strides[d], i, d, true, given.tensor.stride(d));
    }
  }

  void bind_to(const expression& e, int argument_index, int dim, bool by_stride, index_t value) {
    if (!e.is_bare_symbol()) return;
    symbol_value& s = symbols[static_cast<std::size_t>(e.index)];
    if (s.bound) return;
    s.bound = true;
    s.by_stride = by_stride;
    s.argument = static_cast<std::int8_t>(argument_index);
    s.dim = static_cast<std::int8_t>(dim);
    s.value = value;
  }

  // ---- conditions --------------------------------------------------------------------------------------------

  expression_value value(const expression& e) const {
    return value_of(e, symbols.data(), branch_.symbol_count, parameters_, values_);
  }

  tri holds(const condition& c) const {
    switch (c.kind) {
      case condition_kind::compare: {
        const expression_value a = value(c.left), b = value(c.right);
        if (!a.known || !b.known) return tri::unknown;
        if (!a.fits || !b.fits) return tri::no;
        switch (c.how) {
          case comparison::lt:
            return to_tri(a.value < b.value);
          case comparison::le:
            return to_tri(a.value <= b.value);
          case comparison::gt:
            return to_tri(a.value > b.value);
          case comparison::ge:
            return to_tri(a.value >= b.value);
          case comparison::eq:
            return to_tri(a.value == b.value);
          case comparison::ne:
            return to_tri(a.value != b.value);
        }
        return tri::unknown;
      }
      case condition_kind::divisible: {
        const expression_value a = value(c.left);
        if (!a.known) return tri::unknown;
        return to_tri(a.fits && c.right.added > 0 && a.value % c.right.added == 0);
      }
      case condition_kind::present:
      case condition_kind::absent: {
        const bool is_present = arguments_[static_cast<std::size_t>(c.argument_index)].is_present;
        return to_tri(is_present == (c.kind == condition_kind::present));
      }
      case condition_kind::one_of:
      case condition_kind::none_of: {
        index_t wanted[3] = {};
        for (int i = 0; i < c.tuple_width; ++i) {
          const expression_value v = value(c.tuple[i]);
          if (!v.known) return tri::unknown;
          if (!v.fits) return tri::no;
          wanted[i] = v.value;
        }
        bool found = false;
        for (int row = 0; row < c.tuple_count && !found; ++row)
          found = std::equal(wanted, wanted + c.tuple_width, c.tuples + row * c.tuple_width);
        return to_tri(found == (c.kind == condition_kind::one_of));
      }
      case condition_kind::capability_between:
        if (!capability_.known()) return tri::unknown;
        return to_tri(!(capability_ < c.lowest) && !(c.highest < capability_));
    }
    return tri::unknown;
  }

  // ---- pass two ----------------------------------------------------------------------------------------------

  static violation at(violation_kind kind, int argument_index, int dim = -1, index_t found = 0,
                      index_t needed = 0) {
    violation v;
    v.kind = kind;
    v.argument = static_cast<std::int8_t>(argument_index);
    v.dim = static_cast<std::int8_t>(dim);
    v.found = found;
    v.needed = needed;
    return v;
  }

  void add(violation v, const basis& why) {
    v.how = why.how;
    v.where = why.where;
    violations.push_back(v);
  }

  void check_argument(int i, const argument& wanted, const argument_copy& given, int& first_tensor) {
    const tensor_desc& t = given.tensor;
    if (given.rank_given < 0 || given.rank_given > max_rank || (!t.valid() && t.rank() != given.rank_given)) {
      add(at(violation_kind::malformed, i, -1, given.rank_given, max_rank), {});
      return;
    }

    bool type_ok = wanted.type_count == 0;
    for (int k = 0; k < wanted.type_count; ++k) type_ok = type_ok || accepts(wanted.types[k], t.type());
    if (!type_ok) add(at(violation_kind::type, i), wanted.type_why);

    if (wanted.on_device != device_kind::none) {
      if (t.where().kind != wanted.on_device) add(at(violation_kind::device, i), {});
    } else if (first_tensor < 0) {
      first_tensor = i;
    } else if (t.where() != arguments_[static_cast<std::size_t>(first_tensor)].tensor.where()) {
      violation v = at(violation_kind::device, i);
      v.other = static_cast<std::int8_t>(first_tensor);
      add(v, {});
    }

    for (int d = 0; d < t.rank(); ++d) {
      if (t.extent(d) < 0) {
        add(at(violation_kind::negative_extent, i, d, t.extent(d)), {});
        return;
      }
    }
    if (!t.valid() || !is_addressable(t.layout())) {
      add(at(violation_kind::not_addressable, i), {});
      return;
    }

    if (wanted.ranks != 0 && ((wanted.ranks >> t.rank()) & 1u) == 0) {
      add(at(violation_kind::rank, i, -1, t.rank()), wanted.shape_why);
    } else if (const shape_pattern* pattern = shape_for(wanted, t)) {
      check_shape(i, *pattern, t, wanted.shape_why);
    }

    const bool empty = is_empty(t.layout());
    if (!empty && t.data() == nullptr && has_addresses(t.where()) && !context_.without_data) {
      add(at(violation_kind::null_data, i), {});
    }
    if (!empty && t.type().is_sub_byte() && t.rank() > 0 && t.extent(t.rank() - 1) > 1 &&
        t.stride(t.rank() - 1) != 1) {
      add(at(violation_kind::packed_stride, i, t.rank() - 1, t.stride(t.rank() - 1), 1), {});
    }
    for (int k = 0; k < wanted.requirement_count; ++k) check_requirement(i, wanted.requirements[k], t, empty);
  }

  void check_shape(int i, const shape_pattern& pattern, const tensor_desc& t, const basis& why) {
    for (int d = 0; d < pattern.rank; ++d)
      compare(violation_kind::extent, i, d, pattern.extents[d], t.extent(d), why);
    if (!pattern.has_strides || is_empty(t.layout())) return;
    for (int d = 0; d < pattern.rank; ++d)
      if (t.extent(d) > 1) compare(violation_kind::stride, i, d, pattern.strides[d], t.stride(d), why);
  }

  void compare(violation_kind kind, int i, int dim, const expression& wanted, index_t found,
               const basis& why) {
    const expression_value needed = value(wanted);
    if (!needed.known || (needed.fits && needed.value == found)) return;
    violation v = at(needed.fits ? kind : violation_kind::overflow, i, dim, found, needed.value);
    if (wanted.kind == expression_kind::symbol) {
      v.symbol = wanted.index;
      v.other = symbols[static_cast<std::size_t>(wanted.index)].argument;
      bool& violated = symbol_violated_[static_cast<std::size_t>(wanted.index)];
      v.is_consequence = violated;
      violated = true;
    }
    add(v, why);
  }

  void check_requirement(int i, const requirement& r, const tensor_desc& t, bool empty) {
    const layout_ref l = t.layout();
    violation v = at(violation_kind::layout, i);
    v.what = r.what;
    switch (r.what) {
      case notion::dense:
        if (is_dense(l)) return;
        if (is_row_pitched(l) && l.rank >= 2 && row_pitch(l).has_pitch) {
          v.kind = violation_kind::row_pitch;
          v.dim = static_cast<std::int8_t>(row_pitch(l).dim);
          v.found = row_pitch(l).pitch;
          v.needed = l.extents[l.rank - 1];
        } else {
          blame_suffix(v, l, l.rank);
        }
        break;
      case notion::suffix_dense:
        if (is_suffix_dense(l, r.detail)) return;
        if (r.detail > l.rank)
          v.kind = violation_kind::rank, v.found = l.rank, v.needed = r.detail;
        else
          blame_suffix(v, l, r.detail);
        break;
      case notion::canonical:
        if (is_canonical(l)) return;
        for (int d = l.rank - 1; d >= 0; --d) {
          const checked expected = canonical_stride(l, d);
          if (l.strides[d] != expected.value) {
            blame(v, d, l.strides[d], expected.value);
            break;
          }
        }
        break;
      case notion::inner_contiguous:
        if (is_inner_contiguous(l)) return;
        blame(v, l.rank - 1, l.strides[l.rank - 1], 1);
        break;
      case notion::row_pitched:
        if (is_row_pitched(l)) return;
        if (!is_inner_contiguous(l)) {
          blame(v, l.rank - 1, l.strides[l.rank - 1], 1);
        } else if (!is_collapsible(l, 0, l.rank - 2)) {
          blame_collapsible(v, l, 0, l.rank - 2);
        } else {
          v.kind = violation_kind::row_overlap;
          blame(v, row_pitch(l).dim, row_pitch(l).pitch, l.extents[l.rank - 1]);
        }
        break;
      case notion::collapsible:
        if (is_collapsible(l, r.detail, r.second)) return;
        if (r.second >= l.rank)
          v.kind = violation_kind::rank, v.found = l.rank, v.needed = r.second + 1;
        else
          blame_collapsible(v, l, r.detail, r.second);
        break;
      case notion::permutation_dense: {
        if (is_permutation_dense(l)) return;
        const reach offsets = offsets_of(l);
        v.kind = violation_kind::permutation;
        v.found = offsets.high - offsets.low + 1;
        v.needed = element_count(l).value;
        break;
      }
      case notion::non_overlapping: {
        const tri unique = injectivity(l);
        if (unique == tri::yes) return;
        v.kind = unique == tri::no ? violation_kind::overlap : violation_kind::overlap_unknown;
        for (int d = 0; d < l.rank; ++d)
          if (l.extents[d] > 1 && l.strides[d] == 0) blame(v, d, 0, 1);
        break;
      }
      case notion::aligned: {
        if (empty || context_.without_data) return;
        const std::uint64_t address =
            has_addresses(t.where()) ? reinterpret_cast<std::uintptr_t>(t.data()) : 0;
        const auto bytes = static_cast<std::uint64_t>(r.detail);
        if (is_aligned(address, t.byte_offset(), bytes)) return;
        v.kind = violation_kind::aligned;
        v.found = static_cast<index_t>((address % bytes + t.byte_offset() % bytes) % bytes);
        v.needed = r.detail;
        break;
      }
      case notion::aligned_rows: {
        if (empty || !row_pitch(l).has_pitch) return;
        const checked bits = checked(row_pitch(l).pitch) * checked(t.type().element_bits());
        if (bits.ok && bits.value % (index_t{8} * r.detail) == 0) return;
        v.kind = violation_kind::aligned_rows;
        blame(v, row_pitch(l).dim, bits.ok ? bits.value / 8 : checked::highest, r.detail);
        break;
      }
      case notion::index_bits: {
        if (fits_index_bits(l, r.detail)) return;
        const reach offsets = offsets_of(l);
        v.kind = violation_kind::index_bits;
        v.found = offsets.high - offsets.low;
        v.needed = r.detail;
        break;
      }
      case notion::stable: {
        const tri inside = context_.is_stable == nullptr
                               ? tri::unknown
                               : context_.is_stable(originals_[i].tensor, context_.stable_state);
        if (inside == tri::yes || empty) return;
        if (inside == tri::unknown) {
          ++unevaluated;
          return;
        }
        v.kind = violation_kind::stable;
        break;
      }
      case notion::writable:
        if (t.read_only() != tri::yes) return;
        v.kind = violation_kind::read_only;
        break;
    }
    add(v, r.why);
  }

  static void blame(violation& v, int dim, index_t found, index_t needed) {
    v.dim = static_cast<std::int8_t>(dim);
    v.found = found;
    v.needed = needed;
  }
  static void blame_suffix(violation& v, const layout_ref& l, int count) {
    index_t expected = 1;  // cannot overflow: the layout is addressable
    for (int d = l.rank - 1; d >= l.rank - count; --d) {
      if (l.extents[d] == 1) continue;
      if (l.strides[d] != expected) return blame(v, d, l.strides[d], expected);
      expected *= l.extents[d];
    }
  }
  static void blame_collapsible(violation& v, const layout_ref& l, int first, int last) {
    int inner = -1;
    for (int d = last; d >= first; --d) {
      if (l.extents[d] == 1) continue;
      if (inner >= 0) {
        const checked expected = checked(l.strides[inner]) * checked(l.extents[inner]);
        if (!expected.ok || l.strides[d] != expected.value) return blame(v, d, l.strides[d], expected.value);
      }
      inner = d;
    }
  }

  const contract_view& branch_;
  const std::vector<argument_copy>& arguments_;
  const argument_value* originals_;
  const std::vector<library_parameter>& parameters_;
  const std::vector<index_t>& values_;
  capability capability_;
  const evaluation_context& context_;
  std::array<bool, 16> symbol_violated_{};
};

class evaluation {
 public:
  evaluation(const dispatch_view& what, const argument_value* arguments, int count,
             const evaluation_context& context)
      : originals_(arguments), context_(context), data_(std::make_unique<report_data>()) {
    data_->name = what.name;
    data_->branches.assign(what.branches, what.branches + what.branch_count);
    data_->parameters.assign(what.parameters, what.parameters + what.parameter_count);
    // The `otherwise` branch has no arguments of its own.
    for (contract_view& b : data_->branches)
      if (b.kind == branch_kind::otherwise) b.argument_count = 0;
    data_->arguments.resize(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      argument_copy& copy = data_->arguments[static_cast<std::size_t>(i)];
      copy.is_present = arguments[i].is_present;
      if (!copy.is_present) continue;
      copy.rank_given = arguments[i].tensor.rank;
      copy.tensor = tensor_desc::copy_of(arguments[i].tensor);
    }
    data_->device_capability = known_capability();
  }

  report run(int expected_count) {
    if (expected_count != static_cast<int>(data_->arguments.size())) {
      violation v;
      v.kind = violation_kind::argument_count;
      v.found = static_cast<index_t>(data_->arguments.size());
      v.needed = expected_count;
      data_->violations.push_back(v);
      return finish(verdict::refused);
    }
    return judge_all_parameter_values();
  }

 private:
  capability known_capability() const {
    if (context_.device_capability.known()) return context_.device_capability;
    for (const argument_copy& a : data_->arguments)
      if (a.is_present && a.tensor.where().kind == device_kind::cuda) {
        return overridden_capability(a.tensor.where().ordinal);
      }
    return overridden_capability(every_device);
  }

  // Worst verdict over every combination of parameter values, the first of its kind.
  report judge_all_parameter_values() {
    const std::size_t n = data_->parameters.size();
    std::vector<std::vector<index_t>> choices(n);
    for (std::size_t p = 0; p < n; ++p) {
      const library_parameter& declared_parameter = data_->parameters[p];
      choices[p].assign(declared_parameter.values,
                        declared_parameter.values + declared_parameter.value_count);
      for (int k = 0; k < context_.parameter_count; ++k)
        if (context_.parameters[k].name == declared_parameter.name)
          choices[p] = {context_.parameters[k].value};
    }
    std::vector<std::size_t> digit(n, 0);
    std::unique_ptr<report_data> worst;
    verdict worst_verdict = verdict::ok;
    bool first = true, differs = false;
    while (true) {
      data_->parameter_values.resize(n);
      for (std::size_t p = 0; p < n; ++p)
        data_->parameter_values[p] = choices[p].empty() ? 0 : choices[p][digit[p]];
      data_->violations.clear();
      data_->others.clear();
      data_->branch = -1;
      const verdict now = judge();
      differs = differs || (!first && now != worst_verdict);
      if (first || now > worst_verdict) {
        worst_verdict = now;
        worst = std::make_unique<report_data>(*data_);
      }
      first = false;
      std::size_t p = 0;
      for (; p < n; ++p) {
        if (++digit[p] < choices[p].size()) break;
        digit[p] = 0;
      }
      if (p == n) break;
    }
    data_ = std::move(worst);
    data_->depends_on_parameter = differs;
    return finish(worst_verdict);
  }

  branch_judge judge_of(std::size_t branch) {
    return branch_judge(data_->branches[branch], data_->arguments, originals_, data_->parameters,
                        data_->parameter_values, data_->device_capability, context_);
  }

  verdict judge() {
    std::vector<std::size_t> applying, undecided;
    std::size_t otherwise = data_->branches.size();
    int undecided_condition = -1;
    for (std::size_t b = 0; b < data_->branches.size(); ++b) {
      if (data_->branches[b].kind == branch_kind::otherwise) {
        otherwise = b;
        continue;
      }
      branch_judge candidate = judge_of(b);
      switch (candidate.applies()) {
        case tri::yes:
          applying.push_back(b);
          break;
        case tri::unknown:
          if (undecided.empty()) undecided_condition = candidate.undecided_condition;
          undecided.push_back(b);
          break;
        case tri::no:
          break;
      }
    }

    violation v;
    if (applying.size() > 1) {
      v.kind = violation_kind::ambiguous;
      v.found = static_cast<index_t>(applying[0]);
      v.needed = static_cast<index_t>(applying[1]);
      data_->violations.push_back(v);
      take_symbols(judge_of(applying[0]));
      return verdict::refused;
    }
    if (applying.empty() && undecided.empty() && otherwise == data_->branches.size()) {
      v.kind = violation_kind::uncovered;
      data_->violations.push_back(v);
      if (!data_->branches.empty()) take_symbols(judge_of(0));
      return verdict::no_kernel;
    }

    std::size_t taken = !applying.empty() ? applying[0] : !undecided.empty() ? undecided[0] : otherwise;
    data_->branch = static_cast<int>(taken);
    branch_judge judge = judge_of(taken);
    judge.check();
    // What cannot be decided usually follows from another fault, such as a wrong rank; only alone it is one itself.
    if (applying.empty() && !undecided.empty() && judge.violations.empty()) {
      v.kind = violation_kind::undecided;
      v.index = static_cast<std::int8_t>(undecided_condition);
      judge.violations.push_back(v);
    }
    const verdict result = judge.worst();
    data_->violations = judge.violations;
    data_->unevaluated = judge.unevaluated;
    take_symbols(judge);
    if (result != verdict::ok) look_at_other_branches(taken);
    return result;
  }

  void take_symbols(const branch_judge& judge) {
    data_->symbols = judge.symbols;
    data_->symbol_count = 0;
    for (const symbol_value& s : judge.symbols)
      if (!s.name.empty()) ++data_->symbol_count;
  }

  void look_at_other_branches(std::size_t taken) {
    for (std::size_t b = 0; b < data_->branches.size(); ++b) {
      if (b == taken || data_->branches[b].kind == branch_kind::otherwise) continue;
      branch_judge judge = judge_of(b);
      judge.check();
      other_branch other;
      other.branch = static_cast<int>(b);
      other.result = judge.worst();
      for (const violation& v : judge.violations) {
        if (verdict_of(v) == other.result) {
          other.first = v;
          break;
        }
      }
      data_->others.push_back(other);
    }
  }

  report finish(verdict result) {
    report r;
    if (result != verdict::ok || data_->unevaluated > 0 || data_->depends_on_parameter) {
      for (std::size_t i = 0; i < data_->violations.size(); ++i) {
        if (verdict_of(data_->violations[i]) == result) {
          data_->headline = static_cast<int>(i);
          break;
        }
      }
      report_data::attach(r, data_.release(), result);
    }
    return r;
  }

  const argument_value* originals_;
  const evaluation_context& context_;
  std::unique_ptr<report_data> data_;
};

}  // namespace
}  // namespace detail

report evaluate(const dispatch_view& what, const argument_value* arguments, int count,
                const evaluation_context& context) noexcept {
  try {
    detail::evaluation e(what, arguments, count, context);
    return e.run(what.branch_count > 0 ? what.branches[0].argument_count : count);
  } catch (const std::exception&) {  // out of memory: fail closed
    report r;
    detail::report_data::attach_incomplete(r, verdict::refused);
    return r;
  }
}

report evaluate(const contract_view& what, const argument_value* arguments, int count,
                const evaluation_context& context) noexcept {
  dispatch_view one;
  one.name = what.kernel;
  one.branches = &what;
  one.branch_count = 1;
  return evaluate(one, arguments, count, context);
}

}  // namespace v1
}  // namespace stridelock
