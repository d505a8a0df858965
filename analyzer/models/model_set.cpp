#include "analyzer/models/model_set.h"

#include <algorithm>
#include <stdexcept>

#include "analyzer/ir/text_words.h"
#include "analyzer/models/schema.h"

namespace stridelock::models {
namespace {

bool is_glob(std::string_view call) {
  return call.ends_with('*') && !call.ends_with("operator*");
}

bool holds(const condition& c, const ir::call& call) {
  if (c.argument >= call.args.size()) return false;
  const ir::argument& a = call.args[c.argument];
  if (const auto* i = std::get_if<ir::integer>(&a.what)) {
    for (const std::string& e : c.enumerators)
      if (i->enumerator.view() == e) return true;
    for (std::int64_t v : c.values)
      if (i->number == v) return true;
  }
  const std::string_view record = ir::detail::facts_of(a.type.view()).record;
  for (const std::string& t : c.types)
    if (a.type.view() == t || record == t) return true;
  return false;
}

bool applies(const function_row& row, const ir::call& call) {
  if (call.args.size() < row.min_args || call.args.size() > row.max_args) return false;
  for (const condition& c : row.conditions)
    if (!holds(c, call)) return false;
  return true;
}

std::string_view last_component(std::string_view qualified) {
  const std::size_t at = qualified.rfind("::");
  return at == std::string_view::npos ? qualified : qualified.substr(at + 2);
}

}  // namespace

model_set::model_set() = default;

model_set model_set::builtin() {
  model_set set;
  for (const builtin_file& file : builtin_files())
    if (auto error = set.add(file.text, file.name))
      throw std::logic_error(error->str());  // a test loads them all
  return set;
}

std::optional<model_error> model_set::add(std::string_view yaml, std::string_view source_name) {
  auto read = read_model_file(yaml, source_name);
  if (auto* error = std::get_if<model_error>(&read)) return std::move(*error);
  const auto file = std::make_shared<const model_file>(std::get<model_file>(std::move(read)));
  files_.push_back(file);

  std::unordered_map<ir::name, std::vector<const function_row*>> rows;
  std::vector<std::pair<std::string, const function_row*>> globs;
  for (const function_row& row : file->functions)
    for (const std::string& call : row.calls) {
      if (is_glob(call))
        globs.emplace_back(call.substr(0, call.size() - 1), &row);
      else
        rows[call].push_back(&row);
      for (const requirement_row& r : row.requirements)
        requirements_.push_back({call, r.param, r.text, row.file, row.line});
    }
  for (auto& [call, added] : rows) {
    auto& before = by_name_[call];
    before.insert(before.begin(), added.begin(), added.end());
  }
  by_prefix_.insert(by_prefix_.begin(), globs.begin(), globs.end());
  std::stable_sort(by_prefix_.begin(), by_prefix_.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });

  for (const type_row& t : file->types) {
    types_.push_back(t);
    type_by_name_.insert_or_assign(ir::name(t.type), t);
  }
  for (const field_row& f : file->fields) {
    fields_.push_back(f);
    auto& same_field = field_by_name_[f.field];
    same_field.insert(same_field.begin(), {ir::name(f.record), f});
  }
  return std::nullopt;
}

const function_row* model_set::match_name(std::string_view callee, const ir::call& call,
                                          bool only_named) const {
  if (callee.empty()) return nullptr;
  if (const auto found = by_name_.find(callee); found != by_name_.end())
    for (const function_row* row : found->second)
      if (applies(*row, call)) return row;
  if (!only_named)
    for (const auto& [prefix, row] : by_prefix_)
      if (callee.starts_with(prefix) && applies(*row, call)) return row;
  return nullptr;
}

const function_row* model_set::match(const ir::call& call, bool has_body) const {
  if (const function_row* row = match_name(call.callee.view(), call, has_body)) return row;
  // A method is named by the class that declares it; a row may name the class of the object, or one of its bases.
  if (call.record.empty() || has_body) return nullptr;
  const std::string method = "::" + std::string(last_component(call.callee.view()));
  const std::string record = call.record.str();
  if (const function_row* row = match_name(record + method, call, has_body)) return row;
  if (const type_row* t = type(call.record))
    for (const std::string& base : t->bases)
      if (const function_row* row = match_name(base + method, call, has_body)) return row;
  return nullptr;
}

const type_row* model_set::type(ir::name record) const {
  const auto found = type_by_name_.find(record);
  return found == type_by_name_.end() ? nullptr : &found->second;
}

bool model_set::mentions_tensor(ir::name type) const {
  std::string_view text = type.view();
  while (!text.empty()) {
    if (!ir::detail::is_identifier_start(text[0])) {
      text.remove_prefix(1);
      continue;
    }
    std::size_t end = 0;
    while (end < text.size() && (ir::detail::is_identifier_char(text[end]) || text[end] == ':')) ++end;
    if (type_by_name_.contains(ir::name(text.substr(0, end)))) return true;
    text.remove_prefix(end);
  }
  return false;
}

const field_row* model_set::field(ir::name record, ir::name field) const {
  const auto found = field_by_name_.find(field);
  if (found == field_by_name_.end()) return nullptr;
  for (const auto& [owner, row] : found->second)
    if (owner == record) return &row;
  return nullptr;
}

}  // namespace stridelock::models
