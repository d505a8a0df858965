#include "stridelock/failure.h"

#include <atomic>
#include <new>
#include <string>
#include <utility>

#include "stridelock/message.h"

namespace stridelock {
inline namespace v1 {
namespace {

// Scopes of one thread are a stack, linked through the objects themselves.
const scoped_failure_hook*& innermost() noexcept {
  thread_local const scoped_failure_hook* scope = nullptr;
  return scope;
}

}  // namespace

struct contract_violation::content {
  report what;
  std::string message;
  std::atomic<long> owners{1};
};

contract_violation::contract_violation(report what) : content_(new content) {
  content_->what = std::move(what);
  try {
    content_->message = text(content_->what);
  } catch (const std::bad_alloc&) {  // the report is complete; only its text is missing
  }
}
contract_violation::contract_violation(const contract_violation& other) noexcept
    : std::exception(other), content_(other.content_) {
  content_->owners.fetch_add(1, std::memory_order_relaxed);
}
contract_violation& contract_violation::operator=(const contract_violation& other) noexcept {
  contract_violation copy(other);
  std::swap(content_, copy.content_);
  return *this;
}
contract_violation::~contract_violation() {
  if (content_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete content_;
}

const char* contract_violation::what() const noexcept {
  return content_->message.empty() ? "a contract is broken; memory ran out before the message was written"
                                   : content_->message.c_str();
}
const report& contract_violation::violations() const noexcept {
  return content_->what;
}

scoped_failure_hook::scoped_failure_hook(failure_hook hook, void* state) noexcept
    : hook_(hook), state_(state), outer_(innermost()) {
  innermost() = this;
}
scoped_failure_hook::~scoped_failure_hook() {
  innermost() = outer_;
}

void fail(report&& what) {
  if (const scoped_failure_hook* scope = innermost()) {
    scope->hook_(what, scope->state_);
    return;
  }
  throw contract_violation(std::move(what));
}

}  // namespace v1
}  // namespace stridelock
