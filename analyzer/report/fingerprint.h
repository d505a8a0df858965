// The name of a finding that survives edits elsewhere in the file.
//
// Promises:  plain text without line numbers, absolute paths, mangled names; the same code moved to another
// line,
//            or reformatted, has the same fingerprint; equal findings are told apart by an ordinal in source
//            order.
// Does not:  survive a renamed function or a rewritten expression: that is another finding.
//
//   fingerprint({.check = "narrowed-view", .function = "engine::run(int)", .callee = "sparse_mla",
//                .parameter = "extra_indices", .expression = "idx.narrow(1, 0, n)"})
//     == "narrowed-view|engine::run(int)|sparse_mla|extra_indices|idx.narrow(1,0,n)"
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/report/finding.h"

namespace stridelock::report {

struct fingerprint_parts {
  std::string_view check = {};
  std::string_view function = {};  // signature of the enclosing named function
  std::string_view callee =
      {};  // qualified name of the function whose requirement breaks; empty if there is none
  std::string_view parameter = {};   // the argument's parameter
  std::string_view expression = {};  // source text of the argument
};
std::string fingerprint(const fingerprint_parts& parts);

// White space is dropped where dropping it cannot join two words.
std::string normalised_expression(std::string_view source);

// Appends |#2, |#3, … to findings that share a fingerprint, in the order given: sort first. A finding without
// a fingerprint gets one from its check, function and message.
void number_equal_fingerprints(std::vector<finding>& sorted);

}  // namespace stridelock::report
