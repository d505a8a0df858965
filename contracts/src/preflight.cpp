// Goes over all cells of a plan and summarises them.
#include "stridelock/preflight.h"

#include <algorithm>
#include <exception>
#include <map>
#include <memory_resource>
#include <set>

#include "planned_call.h"
#include "stridelock/message.h"

namespace stridelock {
inline namespace v1 {
namespace detail {
namespace {

constexpr std::size_t most_values = 1'000'000;  // of one variable at once
constexpr std::size_t most_calls = 256;
constexpr std::size_t most_conditions = 64;  // of `only`
constexpr std::size_t most_settings = 100'000;
constexpr std::size_t most_ranges = 100'000;
// How many combinations are looked at for each cell that is allowed: those that `only` leaves out, and parameter values.
constexpr std::int64_t looks_per_cell = 10;

struct variable_item {
  plan_expression first;
  plan_expression last;  // empty: a single value
  plan_expression step;
};

// The values of one variable, given those of the earlier ones.
class variable_set {
 public:
  variable_set(const plan_variable& v, const plan_names& earlier) : name_(v.name) {
    if (v.values.empty()) throw plan_error{"expected at least one value", v.name};
    for (const std::string& text : v.values) {
      try {
        add(text, earlier);
      } catch (plan_error& e) {  // of a part of it
        e.where = text;
        throw;
      }
    }
  }

  slot_mask slots_used() const { return used_; }

  // Why there are none: empty if there are.
  std::string values(const index_t* slots, std::vector<index_t>& out) const {
    out.clear();
    for (const variable_item& item : items_) {
      index_t first = 0, last = 0, step = 1;
      for (const auto& [e, to] :
           {std::pair{&item.first, &first}, std::pair{&item.last, &last}, std::pair{&item.step, &step}})
        if (!e->empty() && !e->value(slots, *to)) return e->reason(slots);
      if (item.last.empty()) last = first;
      if (step < 1) return "'" + item.step.text() + "' is no step";
      for (index_t v = first; v <= last; v += step) {
        if (out.size() == most_values) return "more than 1000000 values of '" + name_ + "'";
        out.push_back(v);
        if (v > checked::highest - step) break;
      }
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return {};
  }

 private:
  void add(const std::string& text, const plan_names& earlier) {
    variable_item item;
    const std::size_t dots = text.find("..");
    if (dots == std::string::npos) {
      item.first = plan_expression::compile(text, earlier);
    } else {
      std::string_view rest = std::string_view(text).substr(dots + 2);
      item.first = plan_expression::compile(std::string_view(text).substr(0, dots), earlier);
      item.last = plan_expression::compile_prefix(rest, text, earlier);
      if (rest.substr(0, 3) == "by ") {
        item.step = plan_expression::compile(rest.substr(3), earlier);
      } else if (!rest.empty()) {
        throw plan_error{"expected FIRST..LAST or FIRST..LAST by STEP", text};
      }
    }
    used_ |= item.first.slots_used() | item.last.slots_used() | item.step.slots_used();
    items_.push_back(std::move(item));
  }

  std::string name_;
  std::vector<variable_item> items_;
  slot_mask used_ = 0;
};

// What was found at one size of one setting.
struct size_outcome {
  cell_outcome worst;
  std::size_t combination = 0;  // of the worst
  bool differs = false;
  std::vector<cell_verdict> each;  // by combination, if they differ
  std::size_t cell = 0;            // its values, if it is not ok: see failed_cells_
};

struct threshold_slack {
  bool has_below = false, has_above = false;
  index_t below = 0, slack_below = 0, above = 0, slack_above = 0;
};

struct setting {
  explicit setting(std::pmr::memory_resource* memory) : sizes(memory) {}
  std::pmr::map<index_t, size_outcome> sizes;
  std::vector<threshold_slack> slack{};  // threshold * combinations + combination
};

bool same_outcome(const size_outcome& a, const size_outcome& b) {
  const violation &x = a.worst.first, &y = b.worst.first;
  return a.worst.verdict == b.worst.verdict && a.worst.branch == b.worst.branch && a.each == b.each &&
         a.worst.has_violation == b.worst.has_violation &&
         (!a.worst.has_violation || (x.kind == y.kind && x.argument == y.argument && x.how == y.how &&
                                     x.what == y.what && x.index == y.index && x.where == y.where));
}

// "1, 2, 4..8"
std::string listed(const std::set<index_t>& values, bool is_capability) {
  std::string out;
  for (auto at = values.begin(); at != values.end();) {
    auto end = at;
    std::size_t count = 0;
    for (index_t expected = *at; end != values.end() && *end == expected; ++end, ++expected) ++count;
    if (is_capability || count < 3) end = std::next(at), count = 1;
    out += out.empty() ? "" : ", ";
    const auto word = [&](index_t v) {
      const capability c = capability_of_slot(v);
      return is_capability ? std::to_string(c.major) + "." + std::to_string(c.minor) : std::to_string(v);
    };
    out += word(*at);
    if (count > 1) out += ".." + word(*std::prev(end));
    at = end;
  }
  return out;
}

class preflight_run {
 public:
  preflight_run(const preflight_plan& plan, const preflight_contracts& contracts)
      : plan_(plan), contracts_(contracts) {}

  preflight_report run(bool only_check) {
    compare_versions();
    const planned_world world(plan_);
    plan_names earlier;
    earlier.tables = &plan_.tables;
    earlier.has_capability = !plan_.capabilities.empty();
    earlier.slots.emplace_back("capability");
    for (const plan_variable& v : plan_.variables) {
      for (const std::string& known : earlier.slots)
        if (known == v.name) throw plan_error{"expected each variable once, found a second", v.name};
      variables_.emplace_back(v, earlier);
      earlier.slots.push_back(v.name);
    }
    if (plan_.only.size() > most_conditions) throw plan_error{"expected at most 64 conditions in `only`", ""};
    slot_mask seen = 0;
    for (const std::string& text : plan_.only) {
      plan_expression e = plan_expression::compile_condition(text, world.names);
      seen |= e.slots_used();
      only_.push_back({std::move(e), last_slot_of(seen)});
    }
    if (plan_.calls.empty()) throw plan_error{"expected at least one call", ""};
    if (plan_.calls.size() > most_calls) throw plan_error{"expected at most 256 calls", ""};
    for (const plan_parameter& p : plan_.parameters) check_parameter(p);
    for (const plan_call& call : plan_.calls) {
      const dispatch_view& dispatch = find_dispatch(call);
      planned_call compiled(plan_, world, call, dispatch);
      find_axes(call, world.names);
      if (only_check) continue;
      if (looked_at_ == 0) count_cells();
      const auto combinations = static_cast<std::int64_t>(compiled.combinations());
      planned_evaluations_ += cells_of_a_call_ * combinations;
      if (planned_evaluations_ > plan_.most_cells * looks_per_cell)
        throw plan_error{"expected at most " + std::to_string(plan_.most_cells * looks_per_cell) +
                             " evaluations: cells by combinations of parameter values",
                         call.name};
      judge(call, compiled, world.names);
    }
    if (report_.cells == 0 && !only_check)
      throw plan_error{"the plan has no cell: `only` leaves nothing",
                       plan_.only.empty() ? std::string() : plan_.only.front()};
    return std::move(report_);
  }

 private:
  void compare_versions() {
    report_.library = contracts_.library;
    report_.version = contracts_.version;
    if (!plan_.library.empty() && plan_.library != contracts_.library)
      throw plan_error{
          "the plan runs '" + plan_.library + "', the contracts are of '" + contracts_.library + "'",
          plan_.library};
    if (!plan_.version.empty() && plan_.version != contracts_.version)
      throw plan_error{"the plan runs " + contracts_.library + " " + plan_.version +
                           ", the contracts are of version '" + contracts_.version +
                           "': infer or write them for " + plan_.version,
                       plan_.version};
    for (const dispatch_view& d : contracts_.dispatches)
      for (int i = 0; i < d.parameter_count; ++i) {
        const library_parameter& p = d.parameters[i];
        const bool same_library = p.library.empty() || p.library == plan_.library;
        if (!plan_.version.empty() && same_library && !p.version.empty() && p.version != plan_.version)
          throw plan_error{"the plan runs " + plan_.library + " " + plan_.version + ", parameter '" +
                               std::string(p.name) + "' was read from version '" + std::string(p.version) +
                               "'",
                           plan_.version};
      }
  }

  void check_parameter(const plan_parameter& p) const {
    std::string known;
    for (const dispatch_view& d : contracts_.dispatches)
      for (int i = 0; i < d.parameter_count; ++i) {
        if (d.parameters[i].name == p.name) return;
        known += (known.empty() ? "" : ", ") + std::string(d.parameters[i].name);
      }
    throw plan_error{
        "unknown parameter '" + p.name + "'. The contracts have: " + (known.empty() ? "none" : known),
        p.name};
  }

  const dispatch_view& find_dispatch(const plan_call& call) const {
    std::string known;
    for (const dispatch_view& d : contracts_.dispatches) {
      if (d.name == call.dispatch && d.branch_count > 0) return d;
      known += (known.empty() ? "" : ", ") + std::string(d.name);
    }
    throw plan_error{
        "unknown dispatch '" + call.dispatch + "'. The contracts have: " + (known.empty() ? "none" : known),
        call.dispatch};
  }

  void find_axes(const plan_call& call, const plan_names& names) {
    over_ = 0;
    for (std::size_t i = 1; i < names.slots.size(); ++i)
      if (names.slots[i] == call.over) over_ = i;
    if (over_ == 0) throw plan_error{"expected a variable of the plan in `over`", call.over};
    by_.clear();
    if (call.by.empty()) {
      for (std::size_t i = 0; i < names.slots.size(); ++i)
        if (i != over_ && (i > 0 || !plan_.capabilities.empty())) by_.push_back(i);
      return;
    }
    for (const std::string& name : call.by) {
      std::size_t at = names.slots.size();
      for (std::size_t i = 0; i < names.slots.size(); ++i)
        if (names.slots[i] == name) at = i;
      if (at == names.slots.size() || at == over_)
        throw plan_error{"expected other variables of the plan in `by`", name};
      if (at == 0 && plan_.capabilities.empty())
        throw plan_error{"expected `capabilities` in the plan, which `by` names", name};
      by_.push_back(at);
    }
  }

  // ---- all cells -----------------------------------------------------------------------------------------------------

  // Before anything is judged: a plan that is too large is refused at once.
  void count_cells() {
    const std::int64_t most = plan_.most_cells / static_cast<std::int64_t>(plan_.calls.size());
    visit([&] {
      if (++cells_of_a_call_ > most) refuse_cells();
    });
  }
  [[noreturn]] void refuse_cells() const {
    throw plan_error{"expected at most " + std::to_string(plan_.most_cells) + " cells", ""};
  }

  void judge(const plan_call& call, planned_call& compiled, const plan_names& names) {
    settings_.clear();
    failed_cells_.clear();
    memory_.release();
    visit([&] { cell(compiled); });
    summarise(call, compiled, names);
  }

  // Every planned cell, its values in slots_.
  template <class Visit>
  void visit(Visit at_cell) {
    slots_.assign(variables_.size() + 1, 0);
    values_.assign(slots_.size(), {});
    looked_at_ = 1;
    if (plan_.capabilities.empty()) {
      if (is_planned(0)) descend(1, at_cell);
    } else {
      for (capability c : plan_.capabilities) {
        slots_[0] = slot_of(c);
        if (is_planned(0)) descend(1, at_cell);
      }
    }
  }

  template <class Visit>
  void descend(std::size_t slot, Visit& at_cell) {
    if (slot == slots_.size()) return at_cell();
    const variable_set& variable = variables_[slot - 1];
    // What depends on nothing is computed once.
    if (values_[slot].empty() || variable.slots_used() != 0) {
      const std::string why = variable.values(slots_.data(), values_[slot]);
      if (!why.empty())
        throw plan_error{"variable '" + plan_.variables[slot - 1].name + "': " + why + known_values(slot),
                         plan_.variables[slot - 1].name};
    }
    for (std::size_t i = 0; i < values_[slot].size(); ++i) {
      if (++looked_at_ > plan_.most_cells * looks_per_cell)
        throw plan_error{"expected at most " + std::to_string(plan_.most_cells * looks_per_cell) +
                             " combinations of values, with those that `only` leaves out",
                         ""};
      slots_[slot] = values_[slot][i];
      if (is_planned(slot)) descend(slot + 1, at_cell);
    }
  }

  static std::size_t last_slot_of(slot_mask used) {
    std::size_t slot = 0;
    for (std::size_t i = 1; i < most_slots; ++i)
      if ((used >> i) & 1u) slot = i;
    return slot;
  }

  // `only`, each condition as soon as it can be asked, and never before those in front of it.
  bool is_planned(std::size_t slot) const {
    for (const condition_of_cells& c : only_) {
      if (c.slot != slot) continue;
      index_t holds = 0;
      if (!c.holds.value(slots_.data(), holds))
        throw plan_error{"only: " + c.holds.reason(slots_.data()), c.holds.text()};
      if (holds == 0) return false;
    }
    return true;
  }

  std::string known_values(std::size_t before) const {
    std::string out;
    for (std::size_t i = 1; i < before; ++i)
      out +=
          (out.empty() ? " where " : ", ") + plan_.variables[i - 1].name + " = " + std::to_string(slots_[i]);
    return out;
  }

  void cell(planned_call& compiled) {
    if (++report_.cells > plan_.most_cells) refuse_cells();
    size_outcome now;
    const std::size_t combinations = compiled.combinations();
    setting& here = setting_of_cell();
    const index_t size = slots_[over_];
    if (!compiled.set(slots_.data())) {
      now.worst.verdict = cell_verdict::undefined;
    } else {
      verdicts_.clear();
      for (std::size_t c = 0; c < combinations; ++c) {
        const cell_outcome one = compiled.judge(c);
        ++report_.evaluations;
        verdicts_.push_back(one.verdict);
        now.differs = now.differs || one.verdict != verdicts_.front();
        if (c > 0 && one.verdict <= now.worst.verdict) continue;
        now.worst = one;
        now.combination = c;
      }
      find_slack(compiled, here, size);
    }
    ++report_.by_verdict[static_cast<int>(now.worst.verdict)];
    if (now.differs) ++report_.depending;
    const auto [at, is_new] = here.sizes.try_emplace(size);
    if (!is_new && now.worst.verdict <= at->second.worst.verdict) return;
    if (now.differs) now.each = verdicts_;
    if (now.worst.verdict != cell_verdict::ok) {
      now.cell = failed_cells_.size();
      failed_cells_.insert(failed_cells_.end(), slots_.begin(), slots_.end());
    }
    at->second = std::move(now);
  }

  setting& setting_of_cell() {
    key_.clear();
    for (std::size_t i : by_) key_.push_back(slots_[i]);
    const auto at = settings_.lower_bound(key_);
    if (at != settings_.end() && at->first == key_) return at->second;
    if (settings_.size() == most_settings)
      throw plan_error{"expected at most 100000 combinations of the variables in `by`: name fewer", ""};
    return settings_.try_emplace(at, key_, &memory_)->second;
  }
  const index_t* values_of(const size_outcome& o) const { return failed_cells_.data() + o.cell; }

  void find_slack(planned_call& compiled, setting& here, index_t size) const {
    const auto& thresholds = compiled.thresholds();
    here.slack.resize(thresholds.size() * compiled.combinations());
    for (std::size_t t = 0; t < thresholds.size(); ++t)
      for (std::size_t c = 0; c < compiled.combinations(); ++c) {
        const planned_call::threshold_value v = compiled.at(thresholds[t], c);
        if (!v.known) continue;
        threshold_slack& s = here.slack[t * compiled.combinations() + c];
        if (v.left <= v.bound) {
          const checked distance = checked(v.bound) - checked(v.left);
          if (distance.ok && (!s.has_below || distance.value <= s.slack_below))
            s.has_below = true, s.below = size, s.slack_below = distance.value;
        } else {
          const checked distance = checked(v.left) - checked(v.bound);
          if (distance.ok && (!s.has_above || distance.value < s.slack_above))
            s.has_above = true, s.above = size, s.slack_above = distance.value;
        }
      }
  }

  // ---- summary -------------------------------------------------------------------------------------------------------

  std::string combination_text(const planned_call& compiled, std::size_t c) const {
    std::string out;
    for (std::size_t p = 0; p < compiled.parameters().size(); ++p)
      out += (out.empty() ? "" : ", ") + std::string(compiled.parameters()[p].name) + " = " +
             std::to_string(compiled.combination(c)[p]);
    return out;
  }

  // The first line of the message, without the name of the dispatch.
  static std::string fact_of(const report& r, std::string_view dispatch) {
    std::string line = stridelock::text(r);
    // Several violations open with a table; the headline comes behind it.
    if (r.size() > 1) {
      const std::size_t at = line.find("\n" + std::string(dispatch) + ": ");
      if (at != std::string::npos) line.erase(0, at + 1);
    }
    line = line.substr(0, line.find('\n'));
    const std::string head = std::string(dispatch) + ": ";
    if (line.compare(0, head.size(), head) == 0) line.erase(0, head.size());
    return line;
  }

  preflight_range range_of(const planned_call& compiled, std::string_view dispatch, const size_outcome& o,
                           const contract_view* branches) const {
    preflight_range r;
    r.verdict = o.worst.verdict;
    if (o.worst.branch >= 0) r.branch = std::string(branches[o.worst.branch].kernel);
    if (o.worst.verdict == cell_verdict::undefined) {
      r.fact = compiled.reason(values_of(o));
    } else if (o.worst.verdict != cell_verdict::ok) {
      r.fact = fact_of(compiled.explain(values_of(o), o.combination), dispatch);
      const violation& v = o.worst.first;
      const bool has_evidence =
          o.worst.verdict == cell_verdict::refused || o.worst.verdict == cell_verdict::silent;
      if (has_evidence) r.evidence = std::string(to_string(v.how));
      if (has_evidence && !v.where.empty()) r.evidence += ", " + std::string(v.where);
    }
    for (std::size_t c = 0; c < o.each.size(); ++c)
      r.by_parameter.push_back(combination_text(compiled, c) + ": " + std::string(to_string(o.each[c])));
    return r;
  }

  preflight_row row_of(const plan_call& call, const planned_call& compiled, const dispatch_view& dispatch,
                       const setting& s) {
    preflight_row row;
    row.call = call.name;
    row.dispatch = call.dispatch;
    row.over = call.over;
    const size_outcome* previous = nullptr;
    const size_outcome* worst = nullptr;
    for (const auto& [size, outcome] : s.sizes) {
      if (previous == nullptr || !same_outcome(*previous, outcome)) {
        if (++range_count_ > most_ranges)
          throw plan_error{
              "expected at most 100000 ranges in the report: the verdict changes at nearly every size",
              call.name};
        row.ranges.push_back(range_of(compiled, dispatch.name, outcome, dispatch.branches));
        row.ranges.back().first = size;
      }
      row.ranges.back().last = size;
      ++row.ranges.back().sizes;
      previous = &outcome;
      if (worst == nullptr || outcome.worst.verdict > worst->worst.verdict) worst = &outcome;
      row.depends_on_parameter = row.depends_on_parameter || outcome.differs;
      if (outcome.worst.verdict == cell_verdict::ok) {
        row.has_pass = true;
        row.last_pass = size;
      } else if (!row.has_fail) {
        row.has_fail = true;
        row.first_fail = size;
      }
    }
    if (worst != nullptr && worst->worst.verdict != cell_verdict::ok &&
        worst->worst.verdict != cell_verdict::undefined)
      row.message = stridelock::text(compiled.explain(values_of(*worst), worst->combination));
    for (std::size_t p = 0; p < compiled.parameters().size(); ++p) {
      std::set<index_t> values;
      for (std::size_t c = 0; c < compiled.combinations(); ++c) values.insert(compiled.combination(c)[p]);
      row.parameters += (row.parameters.empty() ? "" : ", ") + std::string(compiled.parameters()[p].name);
      row.parameters +=
          values.size() == 1 ? " = " + listed(values, false) : " in {" + listed(values, false) + "}";
    }
    std::set<std::string> seen;
    for (std::size_t t = 0; t < compiled.thresholds().size(); ++t)
      for (std::size_t c = 0; c < compiled.combinations(); ++c) {
        const std::size_t at = t * compiled.combinations() + c;
        if (at >= s.slack.size() || !(s.slack[at].has_below || s.slack[at].has_above)) continue;
        const threshold_slack& slack = s.slack[at];
        preflight_threshold out;
        out.text = compiled.thresholds()[t].text;
        const expression& right = compiled.thresholds()[t].right;
        for (std::size_t p = 0; right.kind == expression_kind::parameter && p < compiled.parameters().size();
             ++p)
          if (compiled.parameters()[p].name == right.name)
            out.text += " = " + std::to_string(compiled.combination(c)[p]);
        if (!seen.insert(out.text).second) continue;
        out.has_below = slack.has_below;
        out.has_above = slack.has_above;
        out.below = slack.below;
        out.above = slack.above;
        out.slack_below = slack.slack_below;
        out.slack_above = slack.slack_above;
        row.thresholds.push_back(std::move(out));
      }
    return row;
  }

  // What two rows must agree in to be shown as one.
  static std::string signature(const preflight_row& row) {
    std::string out;
    for (const preflight_range& r : row.ranges) {
      out += std::to_string(r.first) + ".." + std::to_string(r.last) + "/" + std::to_string(r.sizes) +
             std::string(to_string(r.verdict)) + r.branch + "\n" + r.fact + "\n" + r.evidence + "\n";
      for (const std::string& p : r.by_parameter) out += p + "\n";
    }
    for (const preflight_threshold& t : row.thresholds)
      out += t.text + std::to_string(t.has_below ? t.below : -1) + " " + std::to_string(t.slack_below) + " " +
             std::to_string(t.has_above ? t.above : -1) + " " + std::to_string(t.slack_above) + "\n";
    return out;
  }

  struct group {
    std::string signature;
    std::vector<std::set<index_t>> values;
    preflight_row row;
  };

  void summarise(const plan_call& call, const planned_call& compiled, const plan_names& names) {
    const dispatch_view& dispatch = find_dispatch(call);
    std::vector<group> groups;
    for (const auto& [key, s] : settings_) {
      group g;
      g.row = row_of(call, compiled, dispatch, s);
      g.signature = signature(g.row);
      for (index_t v : key) g.values.push_back({v});
      groups.push_back(std::move(g));
    }
    for (std::size_t dim = by_.size(); dim-- > 0;) merge(groups, dim);
    for (group& g : groups) {
      for (std::size_t i = 0; i < by_.size(); ++i)
        g.row.settings.push_back({names.slots[by_[i]], listed(g.values[i], by_[i] == 0)});
      report_.rows.push_back(std::move(g.row));
    }
  }

  // Joins groups that differ only in one variable.
  static void merge(std::vector<group>& groups, std::size_t dim) {
    std::map<std::pair<std::string, std::vector<std::set<index_t>>>, std::size_t> seen;
    std::vector<group> out;
    for (group& g : groups) {
      std::vector<std::set<index_t>> others = g.values;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(dim));
      const auto [at, is_new] = seen.try_emplace({g.signature, std::move(others)}, out.size());
      if (is_new) {
        out.push_back(std::move(g));
      } else {
        out[at->second].values[dim].insert(g.values[dim].begin(), g.values[dim].end());
      }
    }
    groups = std::move(out);
  }

  const preflight_plan& plan_;
  const preflight_contracts& contracts_;
  preflight_report report_;
  std::vector<variable_set> variables_;
  struct condition_of_cells {
    plan_expression holds;
    std::size_t slot = 0;  // behind which it can be asked
  };
  std::vector<condition_of_cells> only_;
  std::int64_t looked_at_ = 0;
  std::int64_t cells_of_a_call_ = 0;
  std::int64_t planned_evaluations_ = 0;
  std::size_t range_count_ = 0;
  std::size_t over_ = 0;
  std::vector<std::size_t> by_;
  std::vector<index_t> slots_;
  std::vector<std::vector<index_t>> values_;  // by slot
  std::vector<index_t> key_;
  std::vector<cell_verdict> verdicts_;
  std::vector<index_t> failed_cells_;           // values of cells that are not ok, one behind the other
  std::pmr::monotonic_buffer_resource memory_;  // of what is kept for each size
  std::map<std::vector<index_t>, setting> settings_;
};

}  // namespace
}  // namespace detail

preflight_report preflight(const preflight_plan& plan, const preflight_contracts& contracts) {
  try {
    return detail::preflight_run(plan, contracts).run(false);
  } catch (const detail::plan_error& e) {
    preflight_report r;
    r.fault = {e.message, e.where};
    r.error = e.where.empty() || e.message.find(e.where) != std::string::npos
                  ? e.message
                  : "'" + e.where + "': " + e.message;
    return r;
  }
}

plan_fault check_plan(const preflight_plan& plan, const preflight_contracts& contracts) {
  try {
    detail::preflight_run(plan, contracts).run(true);
    return {};
  } catch (const detail::plan_error& e) {
    return {e.message, e.where};
  }
}

}  // namespace v1
}  // namespace stridelock
