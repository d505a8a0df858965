#include "stridelock/report.h"

#include "report_data.h"

namespace stridelock {
inline namespace v1 {

report::report(report&& other) noexcept
    : data_(other.data_), result_(other.result_), incomplete_(other.incomplete_) {
  other.data_ = nullptr;
  other.result_ = verdict::ok;
  other.incomplete_ = false;
}

report& report::operator=(report&& other) noexcept {
  if (this != &other) {
    delete data_;
    data_ = other.data_;
    result_ = other.result_;
    incomplete_ = other.incomplete_;
    other.data_ = nullptr;
    other.result_ = verdict::ok;
    other.incomplete_ = false;
  }
  return *this;
}

report::~report() {
  delete data_;
}

int report::size() const noexcept {
  return data_ == nullptr ? 0 : static_cast<int>(data_->violations.size());
}
const violation& report::operator[](int i) const noexcept {
  return data_->violations[static_cast<std::size_t>(i)];
}
const violation* report::begin() const noexcept {
  return data_ == nullptr ? nullptr : data_->violations.data();
}
const violation* report::end() const noexcept {
  return begin() + size();
}
int report::headline() const noexcept {
  return data_ == nullptr ? 0 : data_->headline;
}

std::string_view report::branch() const noexcept {
  if (data_ == nullptr || data_->branch < 0) return {};
  return data_->branches[static_cast<std::size_t>(data_->branch)].kernel;
}
int report::symbol_count() const noexcept {
  return data_ == nullptr ? 0 : data_->symbol_count;
}
const symbol_value& report::symbol(int i) const noexcept {
  return data_->symbols[static_cast<std::size_t>(i)];
}
int report::unevaluated() const noexcept {
  return data_ == nullptr ? 0 : data_->unevaluated;
}
bool report::depends_on_parameter() const noexcept {
  return data_ != nullptr && data_->depends_on_parameter;
}

}  // namespace v1
}  // namespace stridelock
