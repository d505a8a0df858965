// Reads a model file: YAML tree to rows, or one error that names the place, what was expected and what was found.
//
// Promises:  an unknown key, an unknown word, a wrong kind of value and a missing key are errors; a misspelt one names
//            the nearest known. A row that an earlier row of the same file hides is an error.
// Does not:  know any library, nor look at IR.
#pragma once

#include <string_view>
#include <variant>

#include "analyzer/models/model.h"

namespace stridelock::models {

std::variant<model_file, model_error> read_model_file(std::string_view text, std::string_view source_name);

inline constexpr int model_schema_version = 1;

}  // namespace stridelock::models
