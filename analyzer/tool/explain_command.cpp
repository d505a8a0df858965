#include "analyzer/checks/checks.h"
#include "analyzer/report/rule.h"
#include "analyzer/tool/command_line.h"
#include "analyzer/tool/commands.h"
#include "analyzer/tool/failure.h"
#include "analyzer/tool/nearest.h"
#include "analyzer/tool/output_file.h"

namespace stridelock::tool {

int explain_command(const invocation& given) {
  std::string asked;
  command c("explain", "[CHECK]",
            "Say what a check finds, why it matters and how to fix it; without CHECK, list all.");
  c.positional([&](const std::string& name) {
    if (!asked.empty())
      throw failure("explain: expected one check, found '" + asked + "' and '" + name + "'");
    asked = name;
  });
  if (!c.parse(given.arguments)) {
    write_output("-", c.help());
    return 0;
  }

  std::vector<report::rule> rules;
  for (const checks::check_info& check : checks::all_checks()) {
    rules.push_back({check.name, check.summary, check.page, check.usual});
  }
  if (asked.empty()) {
    std::string out;
    for (const report::rule& r : rules) out += r.name + "\n    " + r.summary + "\n";
    out += "\nAbout comments and configuration:\n";
    for (const report::rule& r : report::own_rules()) out += r.name + "\n    " + r.summary + "\n";
    write_output("-", out);
    return 0;
  }

  rules.insert(rules.end(), report::own_rules().begin(), report::own_rules().end());
  if (asked.rfind("stridelock-", 0) == 0) asked.erase(0, 11);
  std::vector<std::string> names;
  for (const report::rule& r : rules) {
    names.push_back(r.name);
    if (r.name != asked) continue;
    std::string page = r.help.empty() ? r.summary + "\n" : r.help;
    if (page.front() != '#') page = "# " + r.name + "\n\n" + r.summary + ".\n\n" + page;
    if (page.back() != '\n') page += '\n';
    write_output("-", page);
    return 0;
  }
  throw failure("there is no check '" + asked + "'" + did_you_mean(names, asked) +
                " (`stridelock explain` lists all)");
}

}  // namespace stridelock::tool
