// A first look at a call: is there nothing to report at all? Private to the library.
//
// Promises:  true only if the evaluation in full gives an empty report (a property test compares the two). Borrows
//            everything, allocates nothing, reads no name of a contract without library parameters.
// Does not:  say what is wrong, or mean a violation when it is false: it also gives up where numbers are absurd, where a
//            library parameter has several values, and where stale columns would have to be weighed.
// Cost:      one loop over the extents of each argument, whatever the contract asks of its layout.
#pragma once

#include "stridelock/evaluate.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

bool is_fine_at_first_look(const dispatch_view& what, const argument_value* arguments, int count,
                           const evaluation_context& context) noexcept;

// What evaluate() does when the first look is not enough.
report evaluate_in_full(const dispatch_view& what, const argument_value* arguments, int count,
                        const evaluation_context& context) noexcept;

// Of the device of the first argument that is on one.
capability capability_of(const argument_value* arguments, int count,
                         const evaluation_context& context) noexcept;

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
