// audit_memory.h: what registry and ledger know, in the form that the graph audit asks for.
//
// Promises:  a copy of the moment: every live buffer and private range with its generation; for a ledger the addresses with
//            their owners, the integer scalars and the by-value structs of its boundaries.
// Does not:  stay current. Take it right before the audit.
//
//   known_memory known = known_memory_of(registry::process());
//   add_captured(known, captured.book());
//   const audit_result result = audit(snapshot, known);
#pragma once

#include "stridelock/graph_audit.h"
#include "stridelock/ledger.h"
#include "stridelock/registry.h"

namespace stridelock {
inline namespace v1 {

known_memory known_memory_of(const registry& from);
void add_captured(known_memory& to, const ledger& book);

}  // namespace v1
}  // namespace stridelock
