// From a command for nvcc, GCC or Clang to one that this Clang parses: the host pass of a CUDA file, nothing written.
//
// Promises:  keeps what changes the meaning of the source (-D, -U, -I, -isystem, -include, -std, …), in order; says of
//            every other option what became of it and why. Never throws.
// Does not:  run anything. Response files are read, a toolkit is looked for; nothing else touches the disk.
//
// An option that no table knows and Clang does not know either is kept and listed, so that Clang's own error names it,
// unless it can only concern code generation (-f…, -m…, --param), where it is dropped and listed.
#pragma once

#include <string>
#include <vector>

#include "analyzer/extract/compile_command.h"

namespace stridelock::extract {

struct option_change {
  std::string option;   // as given, with its value
  std::string outcome;  // "dropped", "kept", "became -x …", "added"
  std::string reason;
  bool operator==(const option_change&) const = default;
};

struct translate_options {
  std::string resource_dir;  // Clang's own headers
  std::string cuda_path;     // toolkit; empty: from the command, else the usual places
};

struct translated_command {
  std::vector<std::string> arguments;  // arguments[0] is a Clang driver
  std::vector<option_change> changes;
  std::string main_file;  // absolute
  bool is_cuda = false;
  std::string error;  // non-empty: cannot be parsed at all, and why
};

translated_command translate(const compile_command& command, const translate_options& options);

// What `--explain-command` prints: one line for each change, then the resulting command.
std::string explain(const translated_command& command);

}  // namespace stridelock::extract
