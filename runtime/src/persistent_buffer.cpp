#include "stridelock/persistent_buffer.h"

#include <exception>
#include <mutex>
#include <vector>

#include "registry_state.h"

namespace stridelock {
inline namespace v1 {
namespace {

using detail::registry_access;

bool stands(const detail::owner_record& record, std::uint64_t incarnation) {
  return record.live && record.incarnation == incarnation;
}

}  // namespace

registered_buffer::registered_buffer(registered_buffer&& other) noexcept
    : state_(std::move(other.state_)),
      record_(std::move(other.record_)),
      incarnation_(other.incarnation_),
      unregistered_(std::move(other.unregistered_)),
      fault_(other.fault_) {
  other.fault_ = {registration_error::not_registered, {}, {}};
}

registered_buffer& registered_buffer::operator=(registered_buffer&& other) noexcept {
  if (this == &other) return *this;
  gone();
  state_ = std::move(other.state_);
  record_ = std::move(other.record_);
  incarnation_ = other.incarnation_;
  unregistered_ = std::move(other.unregistered_);
  fault_ = other.fault_;
  other.fault_ = {registration_error::not_registered, {}, {}};
  return *this;
}

registered_buffer::~registered_buffer() {
  gone();
}

registered_buffer registered_buffer::make(std::string_view name, const tensor_ref& whole, detail::liveness by,
                                          registry& in) {
  registered_buffer buffer;
  std::vector<detail::liveness> let_go;  // user code runs when these end: after the lock
  buffer.state_ = registry_access::state(in);
  {
    const std::lock_guard<std::mutex> held(buffer.state_->lock);
    buffer.fault_ =
        registry_access::register_whole(*buffer.state_, name, whole, nullptr, buffer.record_, by, let_go);
    if (buffer.fault_.ok()) buffer.incarnation_ = buffer.record_->incarnation;
  }
  if (!buffer.fault_.ok()) {
    buffer.record_ = nullptr;
    buffer.unregistered_ = std::move(by);
  }
  return buffer;
}

registered_buffer registered_buffer::part_of(const registered_buffer& parent, std::string_view name,
                                             const tensor_ref& part) {
  registered_buffer buffer;
  buffer.fault_.name = name;
  buffer.state_ = parent.state_;
  if (parent.record_ == nullptr) return buffer;
  std::vector<detail::liveness> let_go;
  detail::liveness by;
  {
    const std::lock_guard<std::mutex> held(buffer.state_->lock);
    if (!stands(*parent.record_, parent.incarnation_) || !parent.record_->is_alive()) return buffer;
    buffer.fault_ = registry_access::register_whole(*buffer.state_, name, part, parent.record_.get(),
                                                    buffer.record_, by, let_go);
    if (buffer.fault_.ok()) buffer.incarnation_ = buffer.record_->incarnation;
  }
  if (!buffer.fault_.ok()) buffer.record_ = nullptr;
  return buffer;
}

bool registered_buffer::ok() const noexcept {
  if (record_ == nullptr) return false;
  const std::lock_guard<std::mutex> held(state_->lock);
  return stands(*record_, incarnation_);
}

owner_token registered_buffer::owner() const noexcept {
  if (record_ == nullptr) return {};
  const std::lock_guard<std::mutex> held(state_->lock);
  if (!stands(*record_, incarnation_)) return {};
  return {record_->id, record_->generation.load(std::memory_order_relaxed)};
}

std::string_view registered_buffer::name() const noexcept {
  return record_ == nullptr ? fault_.name.view() : std::string_view(record_->name);
}

registration_fault registered_buffer::move_to(const tensor_ref& now, const detail::liveness* by) {
  registration_fault fault;
  fault.what = registration_error::not_registered;
  fault.name = name();
  if (record_ == nullptr) return fault;
  std::vector<detail::liveness> let_go;
  {
    const std::lock_guard<std::mutex> held(state_->lock);
    if (!stands(*record_, incarnation_)) return fault;
    fault = registry_access::move(*state_, *record_, now, let_go);
    if (fault.ok() && by != nullptr) {
      let_go.push_back(std::move(record_->by));
      record_->by = *by;
    }
  }
  fault_ = fault;
  return fault;
}

void registered_buffer::gone() noexcept {
  detail::liveness let_go;
  if (record_ != nullptr) {
    const std::lock_guard<std::mutex> held(state_->lock);
    if (stands(*record_, incarnation_)) let_go = registry_access::retire(*state_, *record_);
  }
  unregistered_ = {};
  if (record_ != nullptr) {
    fault_.what = registration_error::not_registered;
    fault_.name = std::string_view(record_->name);
  }
  record_ = nullptr;
}

}  // namespace v1
}  // namespace stridelock
