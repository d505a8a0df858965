#include <charconv>
#include <filesystem>

#include "analyzer/tool/command_line.h"
#include "analyzer/tool/commands.h"
#include "analyzer/tool/failure.h"
#include "analyzer/tool/files.h"
#include "analyzer/tool/output_file.h"
#include "analyzer/tool/plan_file.h"
#include "analyzer/tool/preflight_json.h"
#include "stridelock/contract_file.h"

namespace stridelock::tool {
namespace {

// NAME=VALUE[,VALUE...]
plan_parameter parameter_of(const std::string& text) {
  const std::string expected = "preflight: --parameter: expected NAME=VALUE,VALUE, found '" + text + "'";
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) throw failure(expected);
  plan_parameter out{text.substr(0, equals), {}};
  const char* at = text.data() + equals + 1;
  const char* end = text.data() + text.size();
  while (true) {
    index_t value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc()) throw failure(expected);
    out.values.push_back(value);
    if (stop == end) return out;
    if (*stop != ',') throw failure(expected);
    at = stop + 1;
  }
}

}  // namespace

int preflight_command(const invocation& given) {
  std::string file, output = "-", format = "text", version;
  std::vector<std::string> contract_files;
  std::vector<plan_parameter> parameters;
  command c("preflight", "PLAN.yaml",
            "Judge a dispatch over all sizes that a deployment plans, without a GPU: what breaks, from which "
            "size on,\n"
            "and how far the plan is from each threshold.");
  c.value("--contracts", "FILE", "use these contracts instead of the plan's; may be repeated",
          [&](const std::string& v) { contract_files.push_back(v); });
  c.value("--library-version", "VERSION", "the version that will run, instead of the plan's",
          [&](const std::string& v) { version = v; });
  c.value("--parameter", "NAME=V,V", "values of a library parameter, instead of the plan's; may be repeated",
          [&](const std::string& v) { parameters.push_back(parameter_of(v)); });
  c.value("--format", "FORMAT", "text or json", [&](const std::string& v) {
    if (v != "text" && v != "json")
      throw failure("preflight: --format: expected text or json, found '" + v + "'");
    format = v;
  });
  c.value("-o", "FILE", "write there instead of to standard output",
          [&](const std::string& v) { output = v; });
  c.positional([&](const std::string& v) {
    if (!file.empty()) throw failure("preflight: expected one plan, found '" + file + "' and '" + v + "'");
    file = v;
  });
  c.epilogue(
      "Exit code: 0 every planned cell is ok whatever the parameters, 1 a cell breaks, is not covered or "
      "depends on a\n"
      "parameter, 2 the job could not be done. docs/preflight.md describes the plan.");
  if (!c.parse(given.arguments)) {
    write_output("-", c.help());
    return 0;
  }
  if (file.empty()) throw failure("preflight: expected a plan (see `stridelock preflight --help`)");

  plan_file read = parse_plan(read_file(file), file);
  if (!version.empty()) read.plan.version = version;
  for (const plan_parameter& p : parameters) {
    std::erase_if(read.plan.parameters, [&](const plan_parameter& other) { return other.name == p.name; });
    read.plan.parameters.push_back(p);
  }
  if (contract_files.empty())
    for (const std::string& name : read.contracts)
      contract_files.push_back((std::filesystem::path(file).parent_path() / name).string());

  std::vector<contract_file> files;
  preflight_contracts contracts;
  for (const std::string& name : contract_files) {
    contract_file_result one = read_contract_file(read_file(name), name);
    if (!one.ok) throw failure::of_line(one.error.str());
    const library_identity& identity = one.file.library;
    if (!files.empty() && (identity.name != contracts.library || identity.version != contracts.version))
      throw failure(name, 0, 0,
                    "expected contracts of " + contracts.library + " " + contracts.version + " as in '" +
                        contract_files.front() + "', found " + identity.name + " " + identity.version);
    contracts.library = identity.name;
    contracts.version = identity.version;
    for (int i = 0; i < one.file.size(); ++i) {
      for (const dispatch_view& other : contracts.dispatches)
        if (other.name == one.file[i].name)
          throw failure(name, one.file.line(i), 1,
                        "expected each contract once, found a second '" + std::string(other.name) + "'");
      contracts.dispatches.push_back(one.file[i]);
    }
    files.push_back(std::move(one.file));
  }

  if (const plan_fault fault = check_plan(read.plan, contracts); !fault.error.empty()) read.refuse(fault);
  const preflight_report report = preflight(read.plan, contracts);
  if (!report.fault.error.empty()) read.refuse(report.fault);
  write_output(output, format == "json" ? to_json(report) : text(report));
  return report.ok() ? 0 : 1;
}

}  // namespace stridelock::tool
