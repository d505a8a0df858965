#include "contracts/yaml/storage.h"

namespace stridelock {
inline namespace v1 {
namespace detail {
namespace {

int find_symbol(const std::vector<symbol>& symbols, std::string_view name) {
  for (std::size_t i = 0; i < symbols.size(); ++i)
    if (symbols[i].name == name) return static_cast<int>(i);
  return -1;
}

void collect(std::vector<symbol>& symbols, const expression& e, bool is_extent) {
  if (!e.is_bare_symbol()) return;
  int at = find_symbol(symbols, e.name);
  if (at < 0) {
    at = static_cast<int>(symbols.size());
    symbols.push_back({e.name, false});
  }
  symbol& s = symbols[static_cast<std::size_t>(at)];
  s.by_extent = s.by_extent || is_extent;
}

std::string resolve(const std::vector<symbol>& symbols, expression& e) {
  if (e.kind != expression_kind::symbol) return {};
  const int at = find_symbol(symbols, e.name);
  if (at < 0)
    return "symbol '" + std::string(e.name) + "' is bound by no extent or stride; write $" +
           std::string(e.name) + " for a library parameter";
  e.index = static_cast<std::int8_t>(at);
  return {};
}

}  // namespace

std::string stored_branch::resolve() {
  for (argument& a : arguments)
    for (int s = 0; s < a.shape_count; ++s)
      for (int d = 0; d < a.shapes[s].rank; ++d) {
        collect(symbols, a.shapes[s].extents[d], true);
        collect(symbols, a.shapes[s].strides[d], false);
      }
  if (symbols.size() > most_symbols_of_a_branch)
    return "expected at most " + std::to_string(most_symbols_of_a_branch) + " symbols in a branch, found " +
           std::to_string(symbols.size());
  std::string error;
  const auto resolve_one = [&](expression& e) {
    if (error.empty()) error = detail::resolve(symbols, e);
  };
  for (argument& a : arguments)
    for (int s = 0; s < a.shape_count; ++s)
      for (int d = 0; d < a.shapes[s].rank; ++d) {
        resolve_one(a.shapes[s].extents[d]);
        resolve_one(a.shapes[s].strides[d]);
      }
  const auto find_argument = [&](std::string_view name) {
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].name == name) return static_cast<int>(i);
    return -1;
  };
  for (argument& a : arguments)
    for (int i = 0; i < a.sharing_count; ++i) {
      sharing_rule& rule = a.sharing_rules[i];
      rule.index = static_cast<std::int8_t>(find_argument(rule.with));
      if ((rule.index < 0 || rule.with == a.name) && error.empty())
        error = "argument '" + std::string(a.name) + "' cannot share memory with '" + std::string(rule.with) +
                "'";
    }
  for (std::vector<condition>* list : {&conditions, &guards}) {
    for (condition& c : *list) {
      resolve_one(c.left);
      resolve_one(c.right);
      for (int i = 0; i < c.tuple_width; ++i) resolve_one(c.tuple[i]);
      if (c.kind != condition_kind::present && c.kind != condition_kind::absent) continue;
      const int at = find_argument(c.argument_name);
      if (at < 0 && error.empty()) error = "there is no argument '" + std::string(c.argument_name) + "'";
      c.argument_index = static_cast<std::int8_t>(at);
    }
  }
  return error;
}

void stored_contract::close() {
  views.clear();
  for (const stored_branch& b : branches) views.push_back(b.view());
  view.name = name;
  view.branches = views.data();
  view.branch_count = static_cast<int>(views.size());
  view.parameters = parameters.data();
  view.parameter_count = static_cast<int>(parameters.size());
}

basis contract_storage::keep(basis why) {
  why.where = keep(why.where);
  return why;
}

expression contract_storage::keep(expression e) {
  e.name = keep(e.name);
  return e;
}

condition contract_storage::keep(condition c) {
  c.left = keep(c.left);
  c.right = keep(c.right);
  c.argument_name = keep(c.argument_name);
  for (int i = 0; i < c.tuple_width; ++i) c.tuple[i] = keep(c.tuple[i]);
  if (c.tuples != nullptr) c.tuples = keep(c.tuples, static_cast<std::size_t>(c.tuple_count) * c.tuple_width);
  c.singles = nullptr;  // the same table, typed: only for the compiler
  c.pairs = nullptr;
  c.triples = nullptr;
  c.why = keep(c.why);
  return c;
}

argument contract_storage::keep(argument a) {
  a.name = keep(a.name);
  a.type_why = keep(a.type_why);
  a.shape_why = keep(a.shape_why);
  for (int s = 0; s < a.shape_count; ++s)
    for (int d = 0; d < a.shapes[s].rank; ++d) {
      a.shapes[s].extents[d] = keep(a.shapes[s].extents[d]);
      a.shapes[s].strides[d] = keep(a.shapes[s].strides[d]);
    }
  for (int i = 0; i < a.requirement_count; ++i) a.requirements[i].why = keep(a.requirements[i].why);
  for (int i = 0; i < a.dimension_why_count; ++i) a.dimension_why[i].why = keep(a.dimension_why[i].why);
  for (int i = 0; i < a.sharing_count; ++i) {
    a.sharing_rules[i].with = keep(a.sharing_rules[i].with);
    a.sharing_rules[i].why = keep(a.sharing_rules[i].why);
  }
  a.presence_why = keep(a.presence_why);
  a.device_why = keep(a.device_why);
  a.reader_why = keep(a.reader_why);
  a.bounded_by = keep(a.bounded_by);
  a.cost = keep(a.cost);
  return a;
}

library_parameter contract_storage::keep(library_parameter p) {
  p.name = keep(p.name);
  p.library = keep(p.library);
  p.version = keep(p.version);
  p.where = keep(p.where);
  return p;
}

stored_branch contract_storage::keep(const contract_view& branch) {
  stored_branch b;
  b.kernel = keep(branch.kernel);
  b.kind = branch.kind;
  for (int i = 0; i < branch.argument_count; ++i) b.arguments.push_back(keep(branch.arguments[i]));
  for (int i = 0; i < branch.symbol_count; ++i)
    b.symbols.push_back({keep(branch.symbols[i].name), branch.symbols[i].by_extent});
  for (int i = 0; i < branch.condition_count; ++i) b.conditions.push_back(keep(branch.conditions[i]));
  for (int i = 0; i < branch.guard_count; ++i) b.guards.push_back(keep(branch.guards[i]));
  return b;
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
