// The report for people: like the compiler's, so that editors and CI logs already understand it.
//
//   engine/run.cpp:88:14: warning: 'idx' … [stridelock-narrowed-view]
//      88 |   sparse_mla(q, kv, idx);
//         |                     ^
//     engine/metadata.cpp:41:18: note: columns [0, k) taken here; the pitch stays 1024
//        41 |   auto idx = buffer.narrow(1, 0, k);
//           |              ^
//   stridelock: analysed 2 of 2 files, 31 functions, 0 limits hit; 1 warning
//
// Promises:  one line per message and note, the coverage line last, no control character from the input.
#pragma once

#include <string>

#include "analyzer/report/report.h"
#include "analyzer/report/source_text.h"

namespace stridelock::report {

// Without `lines` there are no excerpts.
std::string to_text(const report_data& data, const line_source& lines);

}  // namespace stridelock::report
