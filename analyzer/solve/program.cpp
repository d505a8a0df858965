#include "analyzer/solve/program.h"

#include <algorithm>
#include <cstdlib>

#include "stridelock/requirement_text.h"

namespace stridelock::solve {

std::string contract_error(std::string_view text) {
  const stridelock::requirement_text_result read = stridelock::parse_requirement_text(text);
  if (read.ok) return {};
  std::string out = "contract \"" + std::string(text) + "\": ";
  if (!read.at.empty()) out += "'" + std::string(read.at) + "' ";
  return out + std::string(read.error);
}

ir::location place_of(const requirement_row& row) {
  ir::location where;
  const std::size_t colon = row.source.rfind(':');
  if (colon == std::string::npos) return {ir::name(row.source), 0, 0};
  where.file = std::string_view(row.source).substr(0, colon);
  where.line = static_cast<std::uint32_t>(std::strtoul(row.source.c_str() + colon + 1, nullptr, 10));
  where.column = 1;
  return where;
}

void program::add(ir::unit unit) {
  // No check reads device bodies yet, and no host path enters one: they are counted and dropped, since in a CUDA
  // project they are most of the program.
  for (ir::function& f : unit.functions) {
    if ((!f.is_kernel && !f.is_device) || f.blocks.empty()) continue;
    ++device_bodies_;
    f.blocks = {};
    f.locals = {};
  }
  units_.push_back(std::move(unit));
}

void program::add_requirement(requirement_row row) {
  requirements_.push_back(std::move(row));
}

void program::finish() {
  unit_bodies_.resize(units_.size());
  for (std::uint32_t u = 0; u < units_.size(); ++u) {
    for (const ir::function& f : units_[u].functions) {
      auto [declared, fresh] = declarations_.emplace(f.symbol, &f);
      if (!fresh && declared->second->blocks.empty() && !f.blocks.empty()) declared->second = &f;
      for (ir::name base : f.overrides) {
        auto& list = overridden_by_[base];
        if (std::find(list.begin(), list.end(), f.symbol) == list.end()) list.push_back(f.symbol);
      }
      if (f.blocks.empty()) continue;
      auto& bodies = by_symbol_[f.symbol];
      auto same =
          std::find_if(bodies.begin(), bodies.end(), [&](function_index i) { return *functions_[i] == f; });
      function_index index = 0;
      if (same != bodies.end()) {
        index = *same;
      } else {
        index = static_cast<function_index>(functions_.size());
        functions_.push_back(&f);
        function_units_.push_back(u);
        bodies.push_back(index);
      }
      unit_bodies_[u].emplace(f.symbol, index);
    }
  }
  for (std::size_t i = 0; i < requirements_.size(); ++i) {
    const std::string& callee = requirements_[i].callee;
    if (!callee.empty() && callee.back() == '*')
      prefix_requirements_.push_back(i);
    else
      exact_requirements_[callee].push_back(i);
  }
}

std::vector<function_index> program::bodies(ir::name symbol, std::uint32_t unit) const {
  if (unit < unit_bodies_.size())
    if (auto own = unit_bodies_[unit].find(symbol); own != unit_bodies_[unit].end()) return {own->second};
  auto it = by_symbol_.find(symbol);
  return it == by_symbol_.end() ? std::vector<function_index>{} : it->second;
}

const ir::function* program::declaration(ir::name symbol) const {
  auto it = declarations_.find(symbol);
  return it == declarations_.end() ? nullptr : it->second;
}

std::vector<function_index> program::overriders(ir::name symbol, std::uint32_t unit) const {
  std::vector<function_index> out;
  std::vector<ir::name> pending{symbol};
  std::vector<ir::name> seen;
  while (!pending.empty()) {
    const ir::name s = pending.back();
    pending.pop_back();
    if (std::find(seen.begin(), seen.end(), s) != seen.end()) continue;
    seen.push_back(s);
    for (function_index f : bodies(s, unit)) out.push_back(f);
    if (auto it = overridden_by_.find(s); it != overridden_by_.end())
      pending.insert(pending.end(), it->second.begin(), it->second.end());
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<const requirement_row*> program::requirements_of(std::string_view callee) const {
  std::vector<const requirement_row*> out;
  if (auto it = exact_requirements_.find(callee); it != exact_requirements_.end())
    for (std::size_t i : it->second) out.push_back(&requirements_[i]);
  for (std::size_t i : prefix_requirements_) {
    const std::string& p = requirements_[i].callee;
    if (callee.substr(0, p.size() - 1) == std::string_view(p).substr(0, p.size() - 1))
      out.push_back(&requirements_[i]);
  }
  return out;
}

}  // namespace stridelock::solve
