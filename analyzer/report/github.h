// The report as workflow commands of GitHub Actions: each finding becomes an annotation at its line.
//
//   ::error file=engine/run.cpp,line=88,col=14,title=stridelock-narrowed-view::'idx' is not dense: …%0A%0Aengine/metadata.cpp:41:18: …
//
// Promises:  one line a finding, the gravest first, so that the service's limit of ten annotations of a kind for a step
//            cuts the mildest; a notice says so when there are more. The coverage line is the last line, plain.
//            Nothing from the input can start or end a command.
// Does not:  carry excerpts; the service shows the line itself.
#pragma once

#include <string>

#include "analyzer/report/report.h"

namespace stridelock::report {

std::string to_github(const report_data& data);

}  // namespace stridelock::report
