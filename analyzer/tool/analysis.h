// The second half of a run: units in, report and exit code out.
//
// Promises:  the report depends on the units, the settings and nothing else; every output file is written complete
//            or not at all.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analyzer/tool/parse_units.h"
#include "analyzer/tool/settings.h"

namespace stridelock::tool {

struct analysis_input {
  std::vector<parsed_unit> units;
  std::string project_root;
  // No unit of the program is missing: only then can a suppression be called useless.
  bool whole_program = false;
  std::function<void()> before_output;  // clears the progress line; may be empty
};

// Returns the exit code. Throws failure.
int analyse(analysis_input input, settings how);

}  // namespace stridelock::tool
