#include "analyzer/tool/explain_translation.h"

#include "analyzer/extract/translate_command.h"
#include "analyzer/tool/parse_units.h"

namespace stridelock::tool {

std::string explain_translation(const std::vector<extract::compile_command>& commands,
                                const extract::extract_options& options) {
  std::string out;
  for (const extract::compile_command& command : commands) {
    if (!out.empty()) out += '\n';
    out += file_name_in_ir(command.file, command.directory, options.project_root).str() + ":\n";
    out += extract::explain(extract::translate(command, {options.resource_dir, options.cuda_path}));
    if (out.back() != '\n') out += '\n';
  }
  return out;
}

}  // namespace stridelock::tool
