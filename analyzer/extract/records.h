// Class hierarchy and fields of the project's classes.
#pragma once

#include <vector>

#include "analyzer/extract/collect.h"
#include "analyzer/extract/identity.h"
#include "analyzer/extract/types.h"
#include "analyzer/ir/ir.h"

namespace stridelock::extract {

// Sorted by name; of several instantiations of one template the first is kept.
std::vector<ir::record> lower_records(const collected& code, identity& names, const type_names& types);

}  // namespace stridelock::extract
