// The report in GitLab's code-quality format, for `artifacts: reports: codequality`.
//
// Promises:  a JSON array with one object for each finding; its fingerprint is a digest of ours, so a finding that only
//            moved is not shown as new.
// Does not:  carry the path or the coverage: the format has no place for them.
#pragma once

#include <string>

#include "analyzer/report/report.h"

namespace stridelock::report {

std::string to_gitlab(const report_data& data);

}  // namespace stridelock::report
