#include "stridelock/capability.h"

namespace stridelock {
inline namespace v1 {
namespace {

// Scopes of one thread are a stack, linked through the objects themselves.
const scoped_capability*& innermost() noexcept {
  thread_local const scoped_capability* scope = nullptr;
  return scope;
}

}  // namespace

scoped_capability::scoped_capability(capability pretended, std::int32_t device_ordinal) noexcept
    : pretended_(pretended), ordinal_(device_ordinal), outer_(innermost()) {
  innermost() = this;
}

scoped_capability::~scoped_capability() {
  innermost() = outer_;
}

capability overridden_capability(std::int32_t device_ordinal) noexcept {
  for (const scoped_capability* scope = innermost(); scope != nullptr; scope = scope->outer_)
    if (scope->ordinal_ == every_device || scope->ordinal_ == device_ordinal) return scope->pretended_;
  return {};
}

}  // namespace v1
}  // namespace stridelock
