// The exact evaluator: chooses the branch, over every value of the library's parameters, and collects everything.
#include "stridelock/evaluate.h"

#include <exception>
#include <memory>

#include "branch_choice.h"
#include "branch_judge.h"
#include "first_look.h"
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
      r.fits = e.is_representable();
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
  return value_at(e, base);
}

capability capability_of(const argument_value* arguments, int count,
                         const evaluation_context& context) noexcept {
  if (context.device_capability.known()) return context.device_capability;
  std::int32_t ordinal = every_device;
  for (int i = 0; i < count; ++i) {
    if (!arguments[i].is_present || arguments[i].tensor.where.kind != device_kind::cuda) continue;
    ordinal = arguments[i].tensor.where.ordinal;
    break;
  }
  const capability overridden = overridden_capability(ordinal);
  if (overridden.known() || ordinal == every_device) return overridden;
  for (int i = 0; i < context.device_count; ++i)
    if (context.devices[i].ordinal == ordinal) return context.devices[i].value;
  return {};
}

namespace {

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
    for (const library_parameter& p : data_->parameters)  // names of the contract, which outlive the context
      for (int i = 0; i < context.parameter_count; ++i)
        if (context.parameters[i].name == p.name)
          data_->given_parameters.push_back({p.name, context.parameters[i].value});
    data_->without_data = context.without_data;
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
    return capability_of(originals_, static_cast<int>(data_->arguments.size()), context_);
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
    const branch_choice choice = choose_branch(data_->branches, [&](std::size_t b, int& undecided_condition) {
      branch_judge candidate = judge_of(b);
      const tri answer = candidate.applies();
      undecided_condition = candidate.undecided_condition;
      return answer;
    });
    violation v;
    if (choice.what == branch_choice::ambiguous || choice.what == branch_choice::uncovered) {
      const bool ambiguous = choice.what == branch_choice::ambiguous;
      v.kind = ambiguous ? violation_kind::ambiguous : violation_kind::uncovered;
      if (ambiguous) v.found = choice.taken, v.needed = choice.second;
      data_->violations.push_back(v);
      take_most_symbols();
      look_at_other_branches(data_->branches.size());
      return ambiguous ? verdict::refused : verdict::no_kernel;
    }

    const auto taken = static_cast<std::size_t>(choice.taken);
    data_->branch = static_cast<int>(taken);
    branch_judge judge = judge_of(taken);
    judge.check();
    // What cannot be decided usually follows from another fault, such as a wrong rank; only alone it is one itself.
    if (choice.what == branch_choice::undecided && judge.violations.empty()) {
      v.kind = violation_kind::undecided;
      v.index = static_cast<std::int8_t>(choice.undecided_condition);
      judge.violations.push_back(v);
    }
    const verdict result = judge.worst();
    data_->violations = judge.violations;
    data_->unevaluated = judge.unevaluated;
    take_symbols(judge);
    if (data_->branches[taken].kind == branch_kind::otherwise) take_most_symbols();
    if (result != verdict::ok) look_at_other_branches(taken);
    return result;
  }

  void take_symbols(const branch_judge& judge) {
    data_->symbols = judge.symbols;
    data_->symbol_count = 0;
    for (const symbol_value& s : judge.symbols)
      if (!s.name.empty()) ++data_->symbol_count;
  }

  // Where no branch is at fault the message shows the values of the branch that names most of them.
  void take_most_symbols() {
    int most = -1;
    for (std::size_t b = 0; b < data_->branches.size(); ++b) {
      const branch_judge judge = judge_of(b);
      int bound = 0;
      for (const symbol_value& s : judge.symbols) bound += s.bound ? 1 : 0;
      if (bound > most) {
        most = bound;
        take_symbols(judge);
      }
    }
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
      for (int i = 0; i < data_->branches[b].condition_count; ++i) {
        if (judge.condition_holds(i) == tri::yes) continue;
        if (i < 32) other.failing |= std::uint32_t{1} << i;
        ++other.failing_count;
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

report detail::evaluate_in_full(const dispatch_view& what, const argument_value* arguments, int count,
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

report evaluate(const dispatch_view& what, const argument_value* arguments, int count,
                const evaluation_context& context) noexcept {
  if (detail::is_fine_at_first_look(what, arguments, count, context)) return {};
  return detail::evaluate_in_full(what, arguments, count, context);
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
