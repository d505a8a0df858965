// The report for code-scanning services: SARIF 2.1.0.
//
// Promises:  every result names a rule that is listed with its help; the path is a code flow; suppressed
// findings are
//            results with their justification; a unit that was not analysed is a notification and makes the
//            invocation unsuccessful; paths inside the project are relative to %SRCROOT%; no time and no host
//            name, so that equal runs give equal bytes.
// Does not:  say where %SRCROOT% lies unless told: that differs from machine to machine. Columns count code
// points
//            where the line can be read, else bytes.
#pragma once

#include <string>
#include <vector>

#include "analyzer/report/report.h"
#include "analyzer/report/rule.h"
#include "analyzer/report/source_text.h"

namespace stridelock::report {

struct sarif_options {
  std::string version;      // of stridelock
  std::vector<rule> rules;  // all checks; the reporter's own are added
  std::string
      help_uri_base;  // "https://…/checks/": the check's name is appended; empty: no URI, only the text
  std::string information_uri;  // the project's page; may be empty
  std::string root_uri;         // "file:///…/" for %SRCROOT%; may be empty
  int exit_code = 0;
  line_source lines;  // for columns; may be empty
};
std::string to_sarif(const report_data& data, const sarif_options& options);

// Percent-encodes a path. Bytes that are no UTF-8 survive the way back.
std::string uri_of(std::string_view path);

}  // namespace stridelock::report
