#include "analyzer/report/rule.h"

#include <algorithm>

namespace stridelock::report {

const std::vector<rule>& own_rules() {
  static const std::vector<rule> rules = {
      {unreasoned_suppression, "A suppression comment gives no reason, so it does not silence anything",
       "Write why the finding does not matter here:\n\n"
       "```cpp\n// NOLINT(stridelock-narrowed-view): rows are padded to 128 by the loader\n```\n\n"
       "Without a reason the finding stays and the comment is reported.",
       severity::error},
      {unknown_suppression, "A suppression comment names a check that does not exist",
       "Name one check in full. Wildcards do not count: a comment that silences every check also silences "
       "those that "
       "are added later. `stridelock explain` lists the checks.",
       severity::warning},
      {unused_suppression, "A suppression comment silences nothing",
       "The check ran, every unit that includes the file was analysed, and the line has no such finding. "
       "Remove the comment, so that it does not hide the next one.",
       severity::warning},
      {unmatched_suppression, "A region of suppression has no begin or no end, so it silences nothing",
       "Every `NOLINTBEGIN(stridelock-CHECK): reason` needs a `NOLINTEND(stridelock-CHECK)` below it in the "
       "same file.",
       severity::error},
      {needless_unparsed, "A file listed under `unparsed:` parses",
       "Remove the entry from the configuration: as long as it stands, a file that stops parsing goes "
       "unnoticed.",
       severity::warning},
      {malformed_contract, "A contract cannot be read, so nothing is checked against it",
       "The text of STRIDELOCK_REQUIRES or of a `requires:` row is a list of facts separated by `;`, for "
       "example\n"
       "`\"contiguous; int32; rank 2|3; aligned 16\"`. docs/contracts.md lists the words.",
       severity::error},
  };
  return rules;
}

bool is_about_the_run(std::string_view check) {
  const std::vector<rule>& own = own_rules();
  return std::any_of(own.begin(), own.end(), [&](const rule& r) { return r.name == check; });
}

}  // namespace stridelock::report
