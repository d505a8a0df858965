// The report for scripts. docs/command-line.md describes the schema; `version` changes when it does.
//
// Promises:  valid JSON and valid UTF-8 whatever the input holds; keys in a fixed order.
// Does not:  hold suppressed findings, only their number (SARIF holds them).
#pragma once

#include <string>

#include "analyzer/report/report.h"

namespace stridelock::report {

std::string to_json(const report_data& data);

}  // namespace stridelock::report
