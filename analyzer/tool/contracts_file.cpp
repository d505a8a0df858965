#include "analyzer/tool/contracts_file.h"

#include "analyzer/tool/failure.h"
#include "stridelock/contract_file.h"

namespace stridelock::tool {

std::vector<solve::requirement_row> parse_contracts(std::string_view bytes, const std::string& file) {
  const contract_file_result read = read_contract_file(bytes, file);
  if (!read.ok) throw failure::of_line(read.error.str());
  std::vector<solve::requirement_row> rows;
  for (const function_requirement& asked : read.file.functions) {
    solve::requirement_row row;
    row.callee = asked.function;
    row.argument = asked.param;
    row.text = asked.layout;
    row.source = file + ":" + std::to_string(asked.line);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace stridelock::tool
