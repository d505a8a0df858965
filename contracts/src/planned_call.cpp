#include "planned_call.h"

#include <algorithm>
#include <charconv>

#include "text.h"

namespace stridelock {
inline namespace v1 {
namespace detail {
namespace {

constexpr std::size_t most_buffers = 4096;
constexpr std::size_t most_views = 4096;
constexpr std::size_t most_steps = 32;
constexpr std::size_t most_choices = 64;
constexpr std::size_t most_combinations = 4096;
constexpr int address_bits = 44;  // 16 TiB for each buffer

const void* address_of(std::size_t buffer, index_t alignment) {
  const std::uintptr_t base = (static_cast<std::uintptr_t>(buffer) + 1) << address_bits;
  return reinterpret_cast<const void*>(base + static_cast<std::uintptr_t>(alignment));
}

source_line line_of(const std::string& at) {
  const std::size_t colon = at.rfind(':');
  int line = 0;
  if (colon != std::string::npos) std::from_chars(at.data() + colon + 1, at.data() + at.size(), line);
  return at.empty() ? source_line() : source_line(std::string_view(at).substr(0, colon), line);
}

struct stale_word {
  std::string_view word;
  stale_content what;
};
constexpr stale_word stale_words[] = {{"cleared", stale_content::cleared},
                                      {"earlier_step", stale_content::earlier_step},
                                      {"unknown", stale_content::unknown}};

struct step_word {
  std::string_view word;
  planned_step::kind what;
  int fewest;
  int most;
};
constexpr step_word step_words[] = {{"rows", planned_step::rows, 2, 2},
                                    {"columns", planned_step::columns, 2, 2},
                                    {"slice", planned_step::slice, 3, 4},
                                    {"select", planned_step::select, 2, 2},
                                    {"transpose", planned_step::transpose, 2, 2},
                                    {"active", planned_step::active, 2, 2},
                                    {"stale_holds", planned_step::stale_holds, 0, 0}};

tri stable_by_address(const tensor_ref& tensor, void* state) noexcept {
  const auto& buffers = *static_cast<const std::vector<planned_buffer>*>(state);
  const std::uintptr_t number = reinterpret_cast<std::uintptr_t>(tensor.data) >> address_bits;
  if (number < 1 || number > buffers.size()) return tri::unknown;
  return to_tri(buffers[number - 1].is_stable);
}

bool fits_int(index_t value) {
  return value >= -1 && value <= max_rank;
}

}  // namespace

capability capability_of_slot(index_t value) {
  return {static_cast<std::int32_t>(value / 10), static_cast<std::int32_t>(value % 10)};
}
index_t slot_of(capability c) {
  return index_t{c.major} * 10 + c.minor;
}

planned_world::planned_world(const preflight_plan& plan) {
  names.tables = &plan.tables;
  names.has_capability = !plan.capabilities.empty();
  names.slots.emplace_back("capability");
  if (plan.variables.size() >= most_slots) throw plan_error{"expected at most 63 variables", ""};
  for (const plan_variable& v : plan.variables) names.slots.push_back(v.name);
  if (plan.buffers.size() > most_buffers) throw plan_error{"expected at most 4096 buffers", ""};
  for (const plan_buffer& b : plan.buffers) {
    planned_buffer out;
    out.name = b.name;
    out.type = b.type;
    for (const planned_buffer& other : buffers)
      if (other.name == b.name) throw plan_error{"expected each buffer once, found a second", b.name};
    if (b.extents.size() > static_cast<std::size_t>(max_rank) ||
        (!b.strides.empty() && b.strides.size() != b.extents.size()))
      throw plan_error{"expected at most 8 extents, and as many strides", b.name};
    if (b.alignment < 1 || (b.alignment & (b.alignment - 1)) != 0 || b.alignment > (index_t{1} << 40))
      throw plan_error{"expected a power of two as alignment", b.name};
    for (const std::string& e : b.extents) out.extents.push_back(plan_expression::compile(e, names));
    for (const std::string& e : b.strides) out.strides.push_back(plan_expression::compile(e, names));
    out.where = b.where;
    out.address = address_of(buffers.size(), b.alignment);
    out.is_stable = b.is_stable;
    buffers.push_back(std::move(out));
  }
  if (plan.views.size() > most_views) throw plan_error{"expected at most 4096 views", ""};
  for (const plan_view& v : plan.views) {
    for (const planned_buffer& b : buffers)
      if (b.name == v.name) throw plan_error{"expected another name: a buffer has it", v.name};
    for (const auto& [name, unused] : views)
      if (name == v.name) throw plan_error{"expected each view once, found a second", v.name};
    views.emplace_back(v.name, cut(v.cut, v.at));
  }
}

planned_view planned_world::cut(const std::string& text, const std::string& at) const {
  planned_view view;
  std::string_view rest = text;
  const std::size_t dot = rest.find('.');
  const std::string_view base = rest.substr(0, dot);
  rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot);
  for (const auto& [name, known] : views)
    if (name == base) view = known;
  for (std::size_t b = 0; b < buffers.size() && view.buffer < 0; ++b)
    if (buffers[b].name == base) view.buffer = static_cast<int>(b);
  if (view.buffer < 0) {
    std::string list;
    for (const planned_buffer& b : buffers) list += (list.empty() ? "" : ", ") + b.name;
    for (const auto& [name, unused] : views) list += (list.empty() ? "" : ", ") + name;
    throw plan_error{"unknown buffer or view '" + std::string(base) + "'. Known: " + list, text};
  }
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::size_t open = rest.find('(');
    const std::string_view word = rest.substr(0, open);
    const step_word* known = nullptr;
    for (const step_word& w : step_words)
      if (w.word == word) known = &w;
    if (known == nullptr || open == std::string_view::npos)
      throw plan_error{
          "expected rows(a, b), columns(a, b), slice(dim, a, b), select(dim, i), transpose(a, b), "
          "active(dim, count) or stale_holds(word) at '" +
              std::string(rest.substr(0, 40)) + "'",
          text};
    planned_step step;
    step.what = known->what;
    step.at = line_of(at);
    rest.remove_prefix(open + 1);
    int count = 0;
    if (step.what == planned_step::stale_holds) {
      const std::string_view content = rest.substr(0, rest.find(')'));
      const auto* found = std::find_if(std::begin(stale_words), std::end(stale_words),
                                       [&](const stale_word& w) { return w.word == content; });
      if (found == std::end(stale_words))
        throw plan_error{"expected cleared, earlier_step or unknown in stale_holds, found '" +
                             std::string(content.substr(0, 40)) + "'",
                         text};
      step.stale = found->what;
      rest.remove_prefix(content.size());
    }
    while (step.what != planned_step::stale_holds) {
      if (count == known->most)
        throw plan_error{
            "expected at most " + std::to_string(known->most) + " numbers in " + std::string(word), text};
      step.numbers[count++] = plan_expression::compile_prefix(rest, text, names);
      if (!rest.empty() && rest.front() == ',') {
        rest.remove_prefix(1);
        continue;
      }
      break;
    }
    if (rest.empty() || rest.front() != ')' || count < known->fewest)
      throw plan_error{
          "expected ')' behind " + std::to_string(known->fewest) + " numbers of " + std::string(word), text};
    rest.remove_prefix(1);
    if (!rest.empty() && rest.front() != '.')
      throw plan_error{"expected '.' or the end at '" + std::string(rest.substr(0, 40)) + "'", text};
    view.steps.push_back(std::move(step));
    if (view.steps.size() > most_steps) throw plan_error{"expected at most 32 steps in a view", text};
  }
  return view;
}

planned_call::planned_call(const preflight_plan& plan, const planned_world& world, const plan_call& call,
                           const dispatch_view& dispatch)
    : world_(world), dispatch_(dispatch) {
  branches_.assign(dispatch.branches, dispatch.branches + dispatch.branch_count);
  for (contract_view& b : branches_)
    if (b.kind == branch_kind::otherwise) b.argument_count = 0;
  parameters_.assign(dispatch.parameters, dispatch.parameters + dispatch.parameter_count);

  std::vector<std::vector<index_t>> choices;
  for (const library_parameter& p : parameters_) {
    choices.emplace_back(p.values, p.values + p.value_count);
    for (const plan_parameter& replaced : plan.parameters)
      if (replaced.name == p.name) choices.back() = replaced.values;
    if (choices.back().empty())
      throw plan_error{"expected at least one value of the parameter", std::string(p.name)};
  }
  combinations_.emplace_back();
  for (const std::vector<index_t>& values : choices) {
    if (values.size() > most_combinations / combinations_.size())
      throw plan_error{"expected at most 4096 combinations of parameter values", call.name};
    std::vector<std::vector<index_t>> longer;
    for (const std::vector<index_t>& c : combinations_)
      for (index_t v : values) {
        longer.push_back(c);
        longer.back().push_back(v);
      }
    combinations_ = std::move(longer);
  }

  const contract_view& first = branches_.front();
  arguments_.resize(static_cast<std::size_t>(first.argument_count));
  for (const plan_argument& a : call.arguments) {
    int at = -1;
    std::string known;
    for (int i = 0; i < first.argument_count; ++i) {
      if (first.arguments[i].name == a.name) at = i;
      known += (known.empty() ? "" : ", ") + std::string(first.arguments[i].name);
    }
    if (at < 0)
      throw plan_error{
          "'" + std::string(dispatch.name) + "' has no argument '" + a.name + "'. It has: " + known, a.name};
    if (a.choices.size() > most_choices) throw plan_error{"expected at most 64 choices", a.name};
    for (const plan_choice& c : a.choices) {
      planned_choice out;
      if (!c.when.empty()) out.when = plan_expression::compile_condition(c.when, world.names);
      out.view = world.cut(c.cut, c.at);
      arguments_[static_cast<std::size_t>(at)].push_back(std::move(out));
    }
  }
  tensors_.resize(arguments_.size());
  originals_.resize(arguments_.size());
  context_.is_stable = stable_by_address;
  context_.stable_state = const_cast<std::vector<planned_buffer>*>(&world.buffers);
  find_thresholds();

  const auto used_by = [&](const planned_choice& c) {
    slot_mask used = c.when.slots_used();
    const planned_buffer& buffer = world.buffers[static_cast<std::size_t>(c.view.buffer)];
    for (const plan_expression& e : buffer.extents) used |= e.slots_used();
    for (const plan_expression& e : buffer.strides) used |= e.slots_used();
    for (const planned_step& s : c.view.steps)
      for (const plan_expression& e : s.numbers) used |= e.slots_used();
    return used;
  };
  for (const std::vector<planned_choice>& list : arguments_) {
    used_.push_back(0);
    for (const planned_choice& c : list) used_.back() |= used_by(c);
  }
  last_slots_.resize(world.names.slots.size());
  values_ = combinations_.front();
  planned_.reserve(branches_.size());
  for (const contract_view& b : branches_) {
    planned_.push_back(
        {judge_type(b, tensors_, originals_.data(), parameters_, values_, capability_, context_)});
    planned_.back().kept.resize(static_cast<std::size_t>(b.argument_count));
  }
  find_dependents();
}

// Judged anew when this argument was cut: its own answers, and the answers about memory shared with it.
void planned_call::find_dependents() {
  answers_about_.resize(arguments_.size());
  for (std::size_t b = 0; b < branches_.size(); ++b) {
    std::vector<kept_answer>& kept = planned_[b].kept;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (i < answers_about_.size()) answers_about_[i].push_back(&kept[i]);
      const argument& a = branches_[b].arguments[i];
      for (int s = 0; s < a.shape_count; ++s)
        for (int d = 0; d < a.shapes[s].rank; ++d)
          for (const expression* e : {&a.shapes[s].extents[d], &a.shapes[s].strides[d]}) {
            if (e->kind == expression_kind::symbol && e->index >= 0)
              kept[i].symbols |= std::uint32_t{1} << e->index;
            kept[i].uses_parameters = kept[i].uses_parameters || e->kind == expression_kind::parameter;
          }
      for (int k = 0; k < a.sharing_count; ++k) {
        const auto other = static_cast<std::size_t>(a.sharing_rules[k].index);
        if (other < answers_about_.size()) answers_about_[other].push_back(&kept[i]);
      }
    }
  }
}

template <class Tensor>
bool planned_call::cut(const planned_view& view, const index_t* slots, Tensor& out) const {
  const planned_buffer& buffer = world_.buffers[static_cast<std::size_t>(view.buffer)];
  index_t extents[max_rank], strides[max_rank];
  for (std::size_t d = 0; d < buffer.extents.size(); ++d)
    if (!buffer.extents[d].value(slots, extents[d]) || extents[d] < 0) return false;
  for (std::size_t d = 0; d < buffer.strides.size(); ++d)
    if (!buffer.strides[d].value(slots, strides[d])) return false;
  tensor_ref whole;
  whole.data = buffer.address;
  whole.type = buffer.type;
  whole.rank = static_cast<std::int32_t>(buffer.extents.size());
  whole.where = buffer.where;
  whole.extents = extents;
  whole.strides = buffer.strides.empty() ? nullptr : strides;
  out = Tensor::copy_of(whole);
  if constexpr (std::is_same_v<Tensor, tensor_desc>) {
    provenance from;
    from.root = std::string_view(buffer.name);
    from.root_rank = out.rank();
    for (int d = 0; d < out.rank(); ++d) {
      from.root_extents[d] = out.extent(d);
      from.root_strides[d] = out.stride(d);
    }
    whole.from = &from;
    out = Tensor::copy_of(whole);
  }
  for (const planned_step& s : view.steps) {
    index_t n[4] = {0, 0, 0, 1};
    for (int i = 0; i < 4 && !s.numbers[i].empty(); ++i)
      if (!s.numbers[i].value(slots, n[i])) return false;
    switch (s.what) {
      case planned_step::rows:
        out = out.rows(n[0], n[1], s.at);
        break;
      case planned_step::columns:
        out = out.columns(n[0], n[1], s.at);
        break;
      case planned_step::slice:
        out =
            fits_int(n[0]) ? out.slice(static_cast<int>(n[0]), n[1], n[2], n[3], s.at) : out.slice(-1, 0, 0);
        break;
      case planned_step::select:
        out = out.select(fits_int(n[0]) ? static_cast<int>(n[0]) : -1, n[1], s.at);
        break;
      case planned_step::transpose:
        out = out.transpose(fits_int(n[0]) ? static_cast<int>(n[0]) : -1,
                            fits_int(n[1]) ? static_cast<int>(n[1]) : -1, s.at);
        break;
      case planned_step::active:
        out = out.activated(fits_int(n[0]) ? static_cast<int>(n[0]) : -1, n[1]);
        break;
      case planned_step::stale_holds:
        out = out.stale_holds(s.stale);
        break;
    }
    if (!out.valid()) return false;
  }
  return out.valid();
}

// False: the plan has no value there.
bool planned_call::cut_argument(std::size_t i, const index_t* slots) {
  planned_tensor& t = tensors_[i];
  const bool was_present = t.is_present;
  const int had_rank = t.tensor.rank();
  const device was_on = t.tensor.where();
  t.is_present = false;
  for (const planned_choice& c : arguments_[i]) {
    index_t holds = 1;
    if (!c.when.empty() && !c.when.value(slots, holds)) return false;
    if (holds == 0) continue;
    if (!cut(c.view, slots, t.tensor)) return false;
    t.is_present = true;
    t.rank_given = t.tensor.rank();
    break;
  }
  originals_[i].is_present = t.is_present;
  if (t.is_present) originals_[i].tensor = t.tensor.ref();
  forget(i);
  if (t.is_present != was_present || t.tensor.rank() != had_rank)
    for (planned_branch& b : planned_) b.same_places = false;
  // Who is there, and where, is asked by the judgement of other arguments too.
  if (t.is_present != was_present || (t.is_present && t.tensor.where() != was_on))
    for (std::size_t other = 0; other < arguments_.size(); ++other) forget(other);
  return true;
}

void planned_call::forget(std::size_t argument) {
  for (kept_answer* answer : answers_about_[argument]) answer->is_current = false;
}

bool planned_call::set(const index_t* slots) {
  capability_ = slots[0] > 0 ? capability_of_slot(slots[0]) : overridden_capability(every_device);
  slot_mask changed = 0;
  for (std::size_t i = 0; i < last_slots_.size(); ++i)
    if (last_slots_[i] != slots[i]) changed |= slot_mask{1} << i;
  if (!is_set_) changed = ~slot_mask{0};
  for (planned_branch& b : planned_) b.is_bound = false;
  const bool is_first = !is_set_;
  if (is_first)
    for (planned_branch& b : planned_) b.same_places = false;
  is_set_ = false;
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    if ((is_first || (used_[i] & changed) != 0) && !cut_argument(i, slots)) return false;
  std::copy(slots, slots + last_slots_.size(), last_slots_.begin());
  is_set_ = true;
  return true;
}

std::string planned_call::reason(const index_t* slots) const {
  for (const std::vector<planned_choice>& choices : arguments_)
    for (const planned_choice& c : choices) {
      index_t holds = 1;
      if (!c.when.empty() && !c.when.value(slots, holds)) return c.when.reason(slots);
      if (holds == 0) continue;
      const planned_buffer& buffer = world_.buffers[static_cast<std::size_t>(c.view.buffer)];
      for (const auto* list : {&buffer.extents, &buffer.strides})
        for (const plan_expression& e : *list)
          if (const std::string why = e.reason(slots); !why.empty()) return why;
      for (const planned_step& s : c.view.steps)
        for (const plan_expression& e : s.numbers)
          if (const std::string why = e.empty() ? std::string() : e.reason(slots); !why.empty()) return why;
      tensor_desc out;
      if (!cut(c.view, slots, out)) {
        index_t extents[max_rank]{};
        for (std::size_t d = 0; d < buffer.extents.size(); ++d) buffer.extents[d].value(slots, extents[d]);
        const std::string shape =
            quoted(buffer.name) + " " +
            tuple(static_cast<int>(buffer.extents.size()), [&](int d) { return extents[d]; });
        const std::string why = refusal_text(out.from());
        if (why.empty()) return shape + ": its sizes are negative or beyond 64 bits";
        return "a view does not fit into " + shape + ": " + why;
      }
      break;
    }
  return "has no value";
}

// A condition that needs no symbol says no: nothing has to be bound to know that the branch does not apply.
bool planned_call::is_ruled_out(const contract_view& branch) const {
  for (int i = 0; i < branch.condition_count; ++i) {
    const condition& c = branch.conditions[i];
    if (c.kind == condition_kind::capability_between && capability_.known() &&
        (capability_ < c.lowest || c.highest < capability_))
      return true;
    if (c.kind == condition_kind::present || c.kind == condition_kind::absent) {
      const bool is_present = tensors_[static_cast<std::size_t>(c.argument_index)].is_present;
      if (is_present != (c.kind == condition_kind::present)) return true;
    }
  }
  return false;
}

// The judge of a branch, its symbols bound to the arguments of this cell.
planned_call::judge_type& planned_call::bound_judge(std::size_t branch) {
  planned_branch& b = planned_[branch];
  if (b.is_bound) return b.judge;
  b.judge.bind_again(capability_, b.same_places);
  b.is_bound = b.same_places = true;
  return b.judge;
}

// As check() of the judge, with the answers that are still good.
void planned_call::check(planned_branch& branch) {
  judge_type& judge = branch.judge;
  const std::size_t count = branch.kept.size();
  const int first = judge.first_tensor();
  worst_violation all;
  for (std::size_t a = 0; a < count; ++a) {
    const int i = static_cast<int>(a);
    kept_answer& kept = branch.kept[a];
    const bool same_shape =
        kept.is_current && (kept.symbols & judge.changed_symbols) == 0 && !kept.uses_parameters;
    if (!kept.is_current) judge_anew(judge, i, first, kept);
    if (!same_shape && kept.is_well_formed) {
      judge.violations.clear();
      judge.check_shape(i);
      kept.shape = judge.violations;
    }
    all.push_back(kept.form);
    if (!kept.is_well_formed) continue;
    all.push_back(kept.shape);
    all.push_back(kept.facts);
  }
  judge.changed_symbols = 0;
  for (const kept_answer& kept : branch.kept) all.push_back(kept.sharing);
  judge.violations = all;
  judge.check_guards();
}

void planned_call::judge_anew(judge_type& judge, int argument, int first, kept_answer& kept) {
  judge.violations.clear();
  kept.is_well_formed = judge.check_form(argument, first);
  kept.form = judge.violations;
  judge.violations.clear();
  if (kept.is_well_formed) judge.check_facts(argument);
  kept.facts = judge.violations;
  judge.violations.clear();
  judge.check_sharing(argument);
  kept.sharing = judge.violations;
  kept.is_current = true;
}

cell_outcome planned_call::judge(std::size_t combination) {
  values_.assign(combinations_[combination].begin(), combinations_[combination].end());
  const branch_choice choice = choose_branch(branches_, [&](std::size_t b, int& undecided_condition) {
    if (is_ruled_out(branches_[b])) return tri::no;
    judge_type& candidate = bound_judge(b);
    candidate.clear();
    const tri answer = candidate.applies();
    undecided_condition = candidate.undecided_condition;
    return answer;
  });
  cell_outcome out;
  if (choice.what == branch_choice::ambiguous || choice.what == branch_choice::uncovered) {
    out.verdict = cell_verdict::uncovered;
    out.has_violation = true;
    const bool ambiguous = choice.what == branch_choice::ambiguous;
    out.first.kind = ambiguous ? violation_kind::ambiguous : violation_kind::uncovered;
    if (ambiguous) {
      out.first.found = choice.taken;
      out.first.needed = choice.second;
    }
    return out;
  }
  out.branch = static_cast<std::int8_t>(choice.taken);
  const auto taken = static_cast<std::size_t>(choice.taken);
  judge_type& judge = bound_judge(taken);
  judge.clear();
  if (branches_[taken].kind != branch_kind::kernel)
    judge.check_refusal();
  else
    check(planned_[taken]);
  if (choice.what == branch_choice::undecided && judge.violations.empty()) {
    violation v;
    v.kind = violation_kind::undecided;
    v.index = static_cast<std::int8_t>(choice.undecided_condition);
    judge.violations.push_back(v);
  }
  if (judge.violations.empty()) return out;
  out.has_violation = true;
  out.first = *judge.violations.begin();
  switch (verdict_of(out.first)) {
    case verdict::ok:
      break;
    case verdict::no_kernel:
      out.verdict = cell_verdict::no_kernel;
      break;
    case verdict::refused:
      out.verdict = cell_verdict::refused;
      break;
    case verdict::silent:
      out.verdict = cell_verdict::silent;
      break;
  }
  return out;
}

report planned_call::explain(const index_t* slots, std::size_t combination) const {
  std::vector<tensor_desc> tensors(arguments_.size());
  std::vector<argument_value> values(arguments_.size());
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    for (const planned_choice& c : arguments_[i]) {
      index_t holds = 1;
      if (!c.when.empty() && !c.when.value(slots, holds)) break;
      if (holds == 0) continue;
      if (cut(c.view, slots, tensors[i])) values[i] = argument_value(tensors[i].ref());
      break;
    }
  std::vector<parameter_value> parameters;
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    parameters.push_back({parameters_[p].name, combinations_[combination][p]});
  evaluation_context context = context_;
  context.device_capability = slots[0] > 0 ? capability_of_slot(slots[0]) : capability{};
  context.parameters = parameters.data();
  context.parameter_count = static_cast<int>(parameters.size());
  return evaluate(dispatch_, values.data(), static_cast<int>(values.size()), context);
}

void planned_call::find_thresholds() {
  const auto formula = [](const expression& e) {
    if (e.kind == expression_kind::constant) return std::to_string(e.added);
    std::string out(e.name);
    if (e.multiple != 1) out = std::to_string(e.multiple) + "*" + out;
    if (e.added != 0) out += (e.added > 0 ? " + " : " - ") + std::to_string(e.added > 0 ? e.added : -e.added);
    return e.rounded_to == 1 ? out : "round_up(" + out + ", " + std::to_string(e.rounded_to) + ")";
  };
  for (std::size_t b = 0; b < branches_.size(); ++b)
    for (int i = 0; i < branches_[b].condition_count; ++i) {
      const condition& c = branches_[b].conditions[i];
      if (c.kind != condition_kind::compare || c.how == comparison::eq || c.how == comparison::ne) continue;
      const bool swapped = c.left.kind != expression_kind::symbol;
      threshold t;
      t.branch = static_cast<int>(b);
      t.left = swapped ? c.right : c.left;
      t.right = swapped ? c.left : c.right;
      if (t.left.kind != expression_kind::symbol) continue;
      // left <= right and left > right change at the same place; left < right and left >= right one before.
      t.inclusive = swapped ? (c.how == comparison::ge || c.how == comparison::lt)
                            : (c.how == comparison::le || c.how == comparison::gt);
      t.text = formula(t.left) + (t.inclusive ? " <= " : " < ") + formula(t.right);
      bool is_known = false;
      for (const threshold& other : thresholds_) is_known = is_known || other.text == t.text;
      if (!is_known) thresholds_.push_back(std::move(t));
    }
}

planned_call::threshold_value planned_call::at(const threshold& t, std::size_t combination) {
  const judge_type& judge = bound_judge(static_cast<std::size_t>(t.branch));
  const int count = branches_[static_cast<std::size_t>(t.branch)].symbol_count;
  const expression_value left =
      value_of(t.left, judge.symbols.data(), count, parameters_, combinations_[combination]);
  const expression_value right =
      value_of(t.right, judge.symbols.data(), count, parameters_, combinations_[combination]);
  if (!left.known || !right.known || !left.fits || !right.fits) return {};
  if (!t.inclusive && right.value == checked::lowest) return {};
  return {true, left.value, t.inclusive ? right.value : right.value - 1};
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
