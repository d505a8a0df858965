// Reads compile_commands.json.
//
// Promises:  never throws and never overflows the stack, whatever the file holds; says where it is wrong. Keeps the
//            order of the file, and every entry: one file may be compiled several times.
// Does not:  open response files (translate_command does), nor check that the named files exist.
//
//   compile_database database = read_compile_database("build");
//   if (!database.error.empty()) …   // "build/compile_commands.json:3:7: expected …"
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/extract/compile_command.h"

namespace stridelock::extract {

struct compile_database {
  std::string path;
  std::vector<compile_command> commands;
  std::string error;  // empty: none
};

// `path`: the JSON file, or the build folder that holds it.
compile_database read_compile_database(const std::string& path);
compile_database parse_compile_database(std::string_view text, const std::string& path);

// Splits a command line as a POSIX shell would, without expansion.
std::vector<std::string> split_command_line(std::string_view line);

}  // namespace stridelock::extract
