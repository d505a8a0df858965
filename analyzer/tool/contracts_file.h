// --contracts=FILE: what functions ask of their arguments, for code that carries no annotation.
//
//   schema: 1
//   contracts:
//     - function: sparse_mla::run          # qualified name; a trailing '*' stands for anything
//       requires:
//         - {param: 3, layout: contiguous} # position as in a call, 0 is the object of a method
//
// A contract file may also hold dispatches and kernels (contract_file.h): they are read and checked, and not used here.
//
// Promises:  an unknown key or a wrong kind of value is a failure with file, line and column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/solve/program.h"

namespace stridelock::tool {

// `file` is for messages and for requirement_row::source. Throws failure.
std::vector<solve::requirement_row> parse_contracts(std::string_view bytes, const std::string& file);

}  // namespace stridelock::tool
