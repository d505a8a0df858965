// model_set: every model file in force, and which row describes a call.
//
// Promises:  the built-in files always load; a later file wins over an earlier one for the same call; within a file the
//            first row that applies wins; a glob loses to a name. Lookup is a hash of the callee.
// Does not:  change IR (rewrite.h does), nor guess: what no row names is unknown.
//
// Example:
//     models::model_set set = models::model_set::builtin();
//     if (auto error = set.add(bytes, "stridelock-models.yaml")) return report(error->str());
//     auto statistics = models::rewrite(unit, set);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/models/model.h"

namespace stridelock::models {

// What a model asks of an argument; not an instruction of the IR.
struct requirement {
  std::string callee;  // qualified name; a trailing '*' stands for anything
  std::uint32_t param =
      0;             // counted as in ir::call::args and ir::function::params: 0 is the object of a method
  std::string text;  // as in STRIDELOCK_REQUIRES
  std::string file;  // the row
  std::uint32_t line = 0;
};

class model_set {
 public:
  model_set();
  // The models that come with Stridelock.
  static model_set builtin();

  // Adds a file that wins over all that came before. On an error the set is unchanged.
  std::optional<model_error> add(std::string_view yaml, std::string_view source_name);

  // The row for a call, or null. `has_body`: the program defines the callee, which only a row naming it overrides.
  const function_row* match(const ir::call& call, bool has_body = false) const;

  const std::vector<requirement>& requirements() const { return requirements_; }
  const std::vector<type_row>& types() const { return types_; }
  // The type of a tensor class, or null.
  const type_row* type(ir::name record) const;
  // Whether the spelling of a type names a tensor class, be it inside a container or optional.
  bool mentions_tensor(ir::name type) const;
  const field_row* field(ir::name record, ir::name field) const;
  bool has_fields() const { return !fields_.empty(); }

  // All files in the order added.
  const std::vector<std::shared_ptr<const model_file>>& files() const { return files_; }

 private:
  const function_row* match_name(std::string_view callee, const ir::call& call, bool only_named) const;

  std::vector<std::shared_ptr<const model_file>> files_;
  std::unordered_map<ir::name, std::vector<const function_row*>> by_name_;  // the winning row first
  std::vector<std::pair<std::string, const function_row*>> by_prefix_;      // the longest, then latest first
  std::unordered_map<ir::name, type_row> type_by_name_;
  std::unordered_map<ir::name, std::vector<std::pair<ir::name, field_row>>> field_by_name_;  // by field
  std::vector<type_row> types_;
  std::vector<field_row> fields_;
  std::vector<requirement> requirements_;
};

// Name and text of each file built into the library.
struct builtin_file {
  std::string_view name;
  std::string_view text;
};
const std::vector<builtin_file>& builtin_files();

}  // namespace stridelock::models
