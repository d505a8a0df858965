// Boundaries in an object file that was built with -fno-exceptions.
#pragma once

#include "stridelock/evaluate.h"

namespace stridelock::without_exceptions {

bool require_dense(const tensor_ref& x);
bool require_dense_in(const evaluation_context& context, const tensor_ref& x);
bool layout_is_empty_after_refusal(int* data);

}  // namespace stridelock::without_exceptions
