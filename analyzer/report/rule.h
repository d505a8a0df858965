// What a report says about a check itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/report/finding.h"

namespace stridelock::report {

struct rule {
  std::string name;     // without prefix
  std::string summary;  // one line
  std::string help;     // the check's page, Markdown
  severity usual = severity::warning;
};

// The findings that the reporter makes itself: about suppressions, the configuration and contracts. They cannot be
// suppressed.
inline constexpr const char* unreasoned_suppression = "unreasoned-suppression";
inline constexpr const char* unknown_suppression = "unknown-suppression";
inline constexpr const char* unused_suppression = "unused-suppression";
inline constexpr const char* unmatched_suppression = "unmatched-suppression";
inline constexpr const char* needless_unparsed = "needless-unparsed";
inline constexpr const char* malformed_contract = "malformed-contract";
const std::vector<rule>& own_rules();
bool is_about_the_run(std::string_view check);  // one of the above

}  // namespace stridelock::report
