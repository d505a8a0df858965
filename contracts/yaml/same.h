// Do two contracts say the same? Every field but what an index or a number of a wildcard happens to be.
//
// Promises:  the first difference by name, or nothing. Texts and tables are compared by content.
#pragma once

#include <string>

#include "stridelock/contract.h"
#include "stridelock/contract_file.h"

namespace stridelock::yaml {

std::string difference(const dispatch_view& a, const dispatch_view& b);
// Wherever they stood.
bool same_function(const function_requirement& a, const function_requirement& b);

}  // namespace stridelock::yaml
