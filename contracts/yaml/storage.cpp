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
  for (const argument& a : arguments)
    if (a.reader == reads::bounded && !a.lengths_outside && find_argument(a.bounded_by) < 0 && error.empty())
      error = "argument '" + std::string(a.name) + "' is bounded_by '" + std::string(a.bounded_by) +
              "', which is no argument; write bounded_outside for lengths that the contract does not declare";
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

// Every struct is taken apart, so that a member that is added later stops the build here, where its text would have to be copied.

basis contract_storage::keep(basis why) {
  [[maybe_unused]] auto& [how, where] = why;
  where = keep(where);
  return why;
}

expression contract_storage::keep(expression e) {
  [[maybe_unused]] auto& [kind, index, multiple, rounded_to, added, name] = e;
  name = keep(name);
  return e;
}

condition contract_storage::keep(condition c) {
  [[maybe_unused]] auto& [kind, how, left, right, argument_name, argument_index, tuple, tuple_width, rows,
                          tuple_count, singles, pairs, triples, lowest, highest, why] = c;
  left = keep(left);
  right = keep(right);
  argument_name = keep(argument_name);
  for (int i = 0; i < tuple_width; ++i) tuple[i] = keep(tuple[i]);
  if (rows != nullptr) rows = keep(rows, static_cast<std::size_t>(tuple_count) * tuple_width);
  singles = nullptr;  // the same table, typed: only for the compiler
  pairs = nullptr;
  triples = nullptr;
  why = keep(why);
  return c;
}

shape_pattern contract_storage::keep(shape_pattern s) {
  [[maybe_unused]] auto& [rank, extents, strides, has_strides] = s;
  for (int d = 0; d < rank; ++d) {
    extents[d] = keep(extents[d]);
    strides[d] = keep(strides[d]);
  }
  return s;
}

requirement contract_storage::keep(requirement r) {
  [[maybe_unused]] auto& [what, detail, second, why] = r;
  why = keep(why);
  return r;
}

dimension_basis contract_storage::keep(dimension_basis d) {
  [[maybe_unused]] auto& [rank, dim, of_stride, why] = d;
  why = keep(why);
  return d;
}

sharing_rule contract_storage::keep(sharing_rule r) {
  [[maybe_unused]] auto& [what, with, index, why] = r;
  with = keep(with);
  why = keep(why);
  return r;
}

argument contract_storage::keep(argument a) {
  [[maybe_unused]] auto& [name, types, type_count, type_why, shapes, shape_count, ranks, shape_why,
                          dimension_why, dimension_why_count, requirements, requirement_count, descriptor,
                          sharing_rules, sharing_count, is_optional, presence_why, on_device, device_why,
                          reader, stale, tile, reader_why, bounded_by, cost, lengths_outside] = a;
  name = keep(name);
  type_why = keep(type_why);
  shape_why = keep(shape_why);
  for (int s = 0; s < shape_count; ++s) shapes[s] = keep(shapes[s]);
  for (int i = 0; i < requirement_count; ++i) requirements[i] = keep(requirements[i]);
  for (int i = 0; i < dimension_why_count; ++i) dimension_why[i] = keep(dimension_why[i]);
  for (int i = 0; i < sharing_count; ++i) sharing_rules[i] = keep(sharing_rules[i]);
  presence_why = keep(presence_why);
  device_why = keep(device_why);
  reader_why = keep(reader_why);
  bounded_by = keep(bounded_by);
  cost = keep(cost);
  // These have no text: they are copied whole.
  [[maybe_unused]] const auto& [code, bits, lanes, means] = types[0];
  [[maybe_unused]] const auto& [element_bytes, interleaved, swizzled, packed, has_box, box, element_strides] =
      descriptor;
  return a;
}

library_parameter contract_storage::keep(library_parameter p) {
  [[maybe_unused]] auto& [name, values, value_count, library, version, where] = p;
  name = keep(name);
  library = keep(library);
  version = keep(version);
  where = keep(where);
  return p;
}

stored_branch contract_storage::keep(const contract_view& branch) {
  const auto& [kernel, kind, arguments, argument_count, symbols, symbol_count, conditions, condition_count,
               guards, guard_count] = branch;
  stored_branch b;
  b.kernel = keep(kernel);
  b.kind = kind;
  for (int i = 0; i < argument_count; ++i) b.arguments.push_back(keep(arguments[i]));
  for (int i = 0; i < symbol_count; ++i) {
    const auto& [name, by_extent] = symbols[i];
    b.symbols.push_back({keep(name), by_extent});
  }
  for (int i = 0; i < condition_count; ++i) b.conditions.push_back(keep(conditions[i]));
  for (int i = 0; i < guard_count; ++i) b.guards.push_back(keep(guards[i]));
  return b;
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
