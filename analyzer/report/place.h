// file:line:column as compilers print it.
#pragma once

#include <string>

#include "analyzer/ir/ir.h"

namespace stridelock::report {

// Leaves out what is unknown: "a.cpp:3", "a.cpp"; "stridelock" without a file. Never holds a control
// character.
std::string place_text(const ir::location& where);

}  // namespace stridelock::report
