// Which compile commands a run is about.
//
// Promises:  sorted by file, then by command; no command twice; a file or folder that was named and has none is a
//            failure. Never empty.
#pragma once

#include <string>
#include <vector>

#include "analyzer/extract/compile_command.h"

namespace stridelock::tool {

struct command_request {
  std::string build;  // -p: a folder with compile_commands.json, or that file; empty: searched upward
  std::vector<std::string> files;  // files or folders; empty: everything in the database
  bool has_flags = false;          // `--` was given: no database, `flags` for each file
  std::vector<std::string> flags;
};

struct selected_commands {
  std::vector<extract::compile_command> commands;
  std::vector<std::string> sources;  // main files of all known commands, absolute, links resolved
  bool whole = false;                // nothing that is known was left out
};

// Throws failure.
selected_commands select_commands(const command_request& request);

// compile_commands.json in `folder`, its `build` folder, or the nearest folder above; empty if there is none.
std::string find_compile_database(const std::string& folder);

}  // namespace stridelock::tool
