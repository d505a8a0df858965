// A developer's window into extract: prints the translated command, the IR and some counts.
//   extract_probe ROOT FILE -- COMPILER ARGUMENTS...
#include <chrono>
#include <cstdio>
#include <cstring>

#include "analyzer/extract/extract.h"
#include "analyzer/extract/translate_command.h"
#include "analyzer/ir/text.h"

int main(int count, char** arguments) {
  using namespace stridelock;
  if (count < 5) {
    std::fprintf(stderr, "usage: extract_probe ROOT FILE -- COMPILER ARGUMENTS...\n");
    return 2;
  }
  extract::extract_options options;
  options.project_root = arguments[1];
  extract::compile_command command;
  command.directory = arguments[1];
  command.file = arguments[2];
  bool after = false;
  for (int i = 3; i < count; ++i) {
    if (after) command.arguments.emplace_back(arguments[i]);
    if (std::strcmp(arguments[i], "--") == 0) after = true;
  }
  std::fputs(extract::explain(extract::translate(command, {options.resource_dir, options.cuda_path})).c_str(),
             stderr);
  const auto begin = std::chrono::steady_clock::now();
  const ir::unit unit = extract::extract(command, options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::size_t instructions = 0, unknowns = 0, bodies = 0;
  for (const ir::function& function : unit.functions) {
    bodies += function.blocks.empty() ? 0 : 1;
    for (const ir::block& block : function.blocks) {
      for (const ir::instruction& one : block.body) {
        ++instructions;
        if (const auto* unknown = std::get_if<ir::unknown>(&one.what)) {
          ++unknowns;
          std::fprintf(stderr, "unknown: %s: %s:%u\n", unknown->reason.str().c_str(),
                       one.where.file.str().c_str(), one.where.line);
        }
      }
    }
  }
  for (const ir::diagnostic& one : unit.diagnostics) {
    std::fprintf(stderr, "%s:%u:%u: error: %s\n", one.where.file.str().c_str(), one.where.line,
                 one.where.column, one.message.str().c_str());
  }
  std::fputs(ir::print(unit).c_str(), stdout);
  std::fprintf(
      stderr,
      "state %d, %u errors, %zu bodies of %zu functions, %zu instructions, %zu unknown, %zu records, "
      "%zu dependencies, %.2f s\n",
      static_cast<int>(unit.state), unit.error_count, bodies, unit.functions.size(), instructions, unknowns,
      unit.records.size(), unit.dependencies.size(), seconds);
  return unit.state == ir::unit_state::failed ? 2 : 0;
}
