// copy-in-capture: a layout copy inside a capture region.
//
// Who owns the capture decides. Under a framework's graph the copy comes from the graph's own pool: legal, one more
// node in every replay (a note; a warning if the source is known not to be dense, so that the copy is certain). In a
// raw stream capture the allocation behind it is refused (an error if the copy is certain, else a warning).
#include "analyzer/checks/checks.h"
#include "analyzer/checks/history.h"
#include "analyzer/report/fingerprint.h"

namespace stridelock::checks {

using report::finding;
using report::severity;
using solve::capture_effect;
using solve::capture_hit;
using stridelock::tri;

void copy_in_capture(const solve::solution& solved, std::vector<finding>& out) {
  for (const capture_hit& hit : solved.capture_hits) {
    const capture_effect& e = hit.effect;
    if (e.what != capture_effect::kind::copy) continue;
    const solve::term_graph& graph = solved.graph;
    // `contiguous` of a dense tensor, `reshape` of a dense tensor: nothing is copied.
    ir::copy_op op = ir::copy_op::contiguous;
    for (const auto& a : graph.alternatives(e.copy_term)) {
      const solve::term_id c = graph.strip(a.value);
      if (graph.kind(c) == solve::term_kind::copy) op = static_cast<ir::copy_op>(graph.at(c).op);
    }
    const bool always = op == ir::copy_op::clone || op == ir::copy_op::copy;
    if (!always && hit.source_dense == tri::yes) continue;
    if (op == ir::copy_op::reshape && hit.source_dense != tri::no) continue;
    const bool certain = always || hit.source_dense == tri::no;
    const bool raw = hit.region.owner == ir::capture_owner::raw;

    finding f;
    f.check = "copy-in-capture";
    if (raw)
      f.level = certain ? severity::error : severity::warning;
    else
      f.level = (certain && !always) || hit.escapes ? severity::warning : severity::note;
    if ((hit.may || !hit.when.empty()) && f.level == severity::error) f.level = severity::warning;
    f.where = e.where;
    f.function = e.function;
    f.message =
        "'" + e.spelling + "' " + (certain ? "copies" : "may copy") + " inside a capture region: " +
        (raw ? "the allocation behind it is refused while a stream is captured"
             : "the copy is repeated by every replay, and its address is valid only inside this graph");
    if (hit.escapes && !raw) f.message += ", yet it leaves the region";
    if (!hit.when.empty()) f.message += ", when " + hit.when;
    for (const report::trace_step& s : hit.region.opened_by) f.trace.push_back(s);
    f.trace.push_back(
        {hit.region.where, "the capture region begins here ('" + hit.region.label.str() + "')"});
    for (const report::trace_step& s : e.path) f.trace.push_back(s);
    if (hit.culprit != solve::no_term && graph.kind(hit.culprit) == solve::term_kind::view)
      for (const report::trace_step& s : history(graph, e.subject, hit.culprit, hit.context))
        f.trace.push_back(s);
    f.trace.push_back(
        {e.where, raw ? "pack it before the capture into a buffer that outlives the graph, or hand the "
                        "strides to the kernel"
                      : "hand the strides to the kernel, or pack it once before the capture"});
    f.fingerprint = report::fingerprint({.check = f.check,
                                         .function = f.function,
                                         .callee = e.label,
                                         .parameter = "",
                                         .expression = e.spelling});
    out.push_back(std::move(f));
  }
}

}  // namespace stridelock::checks
