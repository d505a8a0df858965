#include <variant>

#include "analyzer/ir/text.h"
#include "analyzer/tool/analysis.h"
#include "analyzer/tool/command_line.h"
#include "analyzer/tool/commands.h"
#include "analyzer/tool/failure.h"
#include "analyzer/tool/files.h"
#include "analyzer/tool/output_file.h"
#include "analyzer/tool/roots.h"

namespace stridelock::tool {

int link_command(const invocation& given) {
  common_options options;
  std::vector<std::string> files;
  command c("link", "FILES.lir...",
            "Analyse units that `stridelock extract` wrote: the link-like half of `check`.");
  add_common_options(c, options);
  c.positional([&](const std::string& v) { files.push_back(v); });
  if (!c.parse(given.arguments)) {
    write_output("-", c.help());
    return 0;
  }
  if (files.empty()) throw failure("link: no units; give the files that `stridelock extract` wrote");

  const std::string here = current_folder();
  settings how = make_settings(options, here);
  analysis_input input;
  // Units name their files relative to the project, which lies where the build runs unless told.
  input.project_root = root_options({here + "/."}, options.project_root, {}).project_root;
  input.whole_program = true;
  for (const std::string& file : files) {
    auto parsed = ir::parse(read_file(file), file);
    if (const auto* error = std::get_if<ir::parse_error>(&parsed)) throw failure::of_line(error->str());
    // What a unit that did not parse would have read is not known in the terms of other units.
    input.units.push_back({std::move(std::get<ir::unit>(parsed)), "", {}});
  }
  return analyse(std::move(input), std::move(how));
}

}  // namespace stridelock::tool
