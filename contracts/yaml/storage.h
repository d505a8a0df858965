// What a contract file owns. Addresses stay what they are for its whole life.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "stridelock/contract_file.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

struct stored_branch {
  std::string_view kernel{};
  branch_kind kind = branch_kind::kernel;
  std::vector<argument> arguments{};
  std::vector<symbol> symbols{};
  std::vector<condition> conditions{};
  std::vector<condition> guards{};

  contract_view view() const {
    const auto count = [](const auto& list) { return static_cast<int>(list.size()); };
    return {kernel,         kind,           arguments.data(),  count(arguments),
            symbols.data(), count(symbols), conditions.data(), count(conditions),
            guards.data(),  count(guards)};
  }

  // Numbers the symbols and finds where they bind, as contract::resolve_symbols does. Empty, or what is wrong.
  std::string resolve();
};

struct stored_contract {
  std::string_view name{};
  bool is_single = false;
  std::uint32_t line = 0;
  std::vector<stored_branch> branches{};
  std::vector<library_parameter> parameters{};
  std::vector<contract_view> views{};
  dispatch_view view{};

  // Call once nothing is added any more.
  void close();
};

struct contract_storage {
  std::deque<std::string> texts{};
  std::deque<std::vector<index_t>> tuples{};
  std::deque<stored_contract> contracts{};

  std::string_view keep(std::string_view text) {
    if (text.empty()) return {};
    return texts.emplace_back(text);
  }
  const index_t* keep(const index_t* rows, std::size_t count) {
    return tuples.emplace_back(rows, rows + count).data();
  }

  // Copies of everything they refer to.
  basis keep(basis why);
  expression keep(expression e);
  condition keep(condition c);
  shape_pattern keep(shape_pattern s);
  requirement keep(requirement r);
  dimension_basis keep(dimension_basis d);
  sharing_rule keep(sharing_rule r);
  argument keep(argument a);
  library_parameter keep(library_parameter p);
  stored_branch keep(const contract_view& branch);
};

// The evaluator's tables hold this many symbols.
inline constexpr std::size_t most_symbols_of_a_branch = 16;

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
