// Fixed findings for the renderers' tests: the issue's own example, small.
#pragma once

#include "analyzer/report/report.h"

namespace stridelock::report::testing {

inline finding narrowed_view() {
  finding f;
  f.check = "narrowed-view";
  f.level = severity::error;
  f.where = {"engine/run.cpp", 2, 14};
  f.function = "engine::run(const engine::batch &)";
  f.message = "'idx' is not dense: its row pitch is 1024, 'extra_indices' of sparse_mla needs 256";
  f.fingerprint = "narrowed-view|engine::run(const engine::batch &)|sparse_mla|extra_indices|idx";
  f.trace = {{{"engine/metadata.cpp", 3, 14}, "columns [0, k) taken here keep the pitch of 'buffer'"},
             {{"engine/metadata.cpp", 4, 3}, "stored in engine::batch::idx"}};
  return f;
}

inline finding copy_in_capture() {
  finding f;
  f.check = "copy-in-capture";
  f.level = severity::warning;
  f.where = {"engine/run.cpp", 4, 9};
  f.function = "engine::prepare(at::Tensor)";
  f.message = "contiguous() may copy while a graph is captured";
  f.fingerprint = "copy-in-capture|engine::prepare(at::Tensor)|at::Tensor::contiguous||x";
  return f;
}

// A name and a message that try to break out of every format.
inline finding hostile() {
  finding f;
  f.check = "narrowed-view";
  f.level = severity::note;
  f.where = {"dir with space/100%\"q\".cpp", 7, 1};
  f.function = "f<\"x\">(int)";
  f.message = "quote \" backslash \\ line\nbreak\r tab\t esc\x1b[31m ::error::x {0} [a](b) \xff\xfe end";
  f.fingerprint = "narrowed-view|\xc3\x28";
  f.trace = {{{"a\nb.cpp", 1, 1}, "step \"\n\xed\xa0\x80"}};
  return f;
}

inline coverage all_analysed() {
  coverage c;
  c.units_asked = 2;
  c.units_analysed = 2;
  c.functions = 31;
  return c;
}

inline suppression_context no_comments() {
  suppression_context context;
  context.known_checks = {"copy-in-capture", "narrowed-view"};
  context.checks_run = context.known_checks;
  context.fully_analysed = [](ir::name) { return true; };
  return context;
}

}  // namespace stridelock::report::testing
