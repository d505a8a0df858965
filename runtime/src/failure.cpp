#include "stridelock/failure.h"

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
};

contract_violation::contract_violation(report what) {
  std::string message = text(what);
  content_ = std::make_shared<const content>(content{std::move(what), std::move(message)});
}
contract_violation::contract_violation(const contract_violation&) noexcept = default;
contract_violation& contract_violation::operator=(const contract_violation&) noexcept = default;
contract_violation::~contract_violation() = default;

const char* contract_violation::what() const noexcept {
  return content_->message.c_str();
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
