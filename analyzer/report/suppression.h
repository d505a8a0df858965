// Which findings a comment in the source silences.
//
// Promises:  `// NOLINT(stridelock-CHECK): reason` silences CHECK on its line only if the reason is given; a
// comment
//            without a reason, with an unknown check or a wildcard, or that silences nothing becomes a
//            finding.
// Does not:  call a comment useless if its check did not run or if a unit that includes its file was not
// analysed.
//            Does not find the comments: extract does.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analyzer/ir/ir.h"
#include "analyzer/report/finding.h"

namespace stridelock::report {

struct suppressed_finding {
  finding what;
  std::string reason;
  ir::location comment;
  bool operator==(const suppressed_finding&) const = default;
};

struct suppression_context {
  std::vector<ir::suppression> comments;  // of all units; repetitions are fine
  std::vector<std::string> known_checks;  // every check of this version
  std::vector<std::string> checks_run;
  std::function<bool(ir::name file)> fully_analysed;  // empty: no file is
};

struct suppression_outcome {
  std::vector<finding> shown;  // with the findings about comments; not sorted
  std::vector<suppressed_finding> suppressed;
};
suppression_outcome apply_suppressions(std::vector<finding> findings, const suppression_context& context);

}  // namespace stridelock::report
