// The subcommands. Each reads its own arguments, throws failure if it cannot do its job, and returns the exit code.
#pragma once

#include <string>
#include <vector>

namespace stridelock::tool {

struct invocation {
  std::string executable;              // this program, absolute: children are started with it
  std::vector<std::string> arguments;  // behind the subcommand
};

int check_command(const invocation& given);
int extract_command(const invocation& given);
int link_command(const invocation& given);
int explain_command(const invocation& given);
int preflight_command(const invocation& given);
int graph_command(const invocation& given);

}  // namespace stridelock::tool
