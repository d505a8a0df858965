#include "stridelock/failure.h"

#include <atomic>
#include <new>
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

// Null if memory runs out.
char* copy_of_text(const report& what) noexcept {
  const std::size_t length = write_text(what, nullptr, 0);
  char* const text = length == 0 ? nullptr : new (std::nothrow) char[length + 1];
  if (text != nullptr) write_text(what, text, length + 1);
  return text;
}

}  // namespace

// Plain data, and a function of the copy of this library that made it: the other copies count owners, too.
struct contract_violation::content {
  report what;
  const char* message = nullptr;  // null: the report is complete, only its text is missing
  std::atomic<long> owners{1};
  void (*destroy)(content*) noexcept = [](content* c) noexcept {
    delete[] c->message;
    delete c;
  };
};

contract_violation::contract_violation(report what) : content_(new content) {
  content_->what = std::move(what);
  content_->message = copy_of_text(content_->what);
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
  if (content_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) content_->destroy(content_);
}

const char* contract_violation::what() const noexcept {
  return content_->message == nullptr ? "a contract is broken; memory ran out before the message was written"
                                      : content_->message;
}
const report& contract_violation::violations() const noexcept {
  return content_->what;
}

scoped_failure_hook::scoped_failure_hook(failure_hook hook, void* state, std::int32_t device_ordinal) noexcept
    : hook_(hook), state_(state), ordinal_(device_ordinal), outer_(innermost()) {
  innermost() = this;
}
scoped_failure_hook::~scoped_failure_hook() {
  innermost() = outer_;
}

evaluation_context context_of_this_thread(std::int32_t device_ordinal) noexcept {
  evaluation_context context;
  context.device_capability = overridden_capability(device_ordinal);
  for (const scoped_failure_hook* scope = innermost(); scope != nullptr; scope = scope->outer_) {
    if (scope->ordinal_ != every_device && scope->ordinal_ != device_ordinal) continue;
    context.on_failure = scope->hook_;
    context.on_failure_state = scope->state_;
    break;
  }
  return context;
}

bool hand_to_hook(const report& what, const evaluation_context& context) {
  const bool on_a_device = what.where().kind != device_kind::none;
  const evaluation_context& scopes =
      context.on_failure != nullptr
          ? context
          : context_of_this_thread(on_a_device ? what.where().ordinal : every_device);
  if (scopes.on_failure == nullptr) return false;
  scopes.on_failure(what, scopes.on_failure_state);
  return true;
}

void fail(report&& what) {
  fail(std::move(what), evaluation_context());
}

void fail(report&& what, const evaluation_context& context) {
  if (!hand_to_hook(what, context)) throw contract_violation(std::move(what));
}

}  // namespace v1
}  // namespace stridelock
