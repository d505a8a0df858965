// All compile commands of a run, each parsed in a child process or taken from the cache.
//
// Promises:  the units come in the order of the commands, one for each, whatever happened to its child; they are the
//            same for any number of children and any state of the cache.
// Does not:  throw because of what a file holds or what a child does.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analyzer/extract/extract.h"
#include "analyzer/ir/ir.h"
#include "analyzer/tool/cache.h"

namespace stridelock::tool {

struct parsed_unit {
  ir::unit unit;                // state failed and nothing else if the child ended without one
  std::string child_failed;     // why there is no unit; empty: there is one
  std::vector<ir::name> files;  // what it read, as the IR names files; empty: not known
};

struct parse_settings {
  extract::extract_options options;
  unsigned at_once = 1;
  std::string executable;  // this tool
  // After each file: how many are done, from the cache, without a unit.
  std::function<void(std::size_t done, std::size_t cached, std::size_t failed)> progressed;
};

// Throws failure if no folder for temporary files can be made.
std::vector<parsed_unit> parse_units(const std::vector<extract::compile_command>& commands,
                                     const parse_settings& settings, unit_cache& cache);

// The name of a file in the IR: relative to the project where it lies inside.
ir::name file_name_in_ir(const std::string& path, const std::string& folder, const std::string& project_root);

}  // namespace stridelock::tool
