#include "stridelock/contract_file.h"

#include "contracts/yaml/storage.h"

namespace stridelock {
inline namespace v1 {

contract_file::contract_file() : storage_(std::make_unique<detail::contract_storage>()) {}
contract_file::contract_file(contract_file&&) noexcept = default;
contract_file& contract_file::operator=(contract_file&&) noexcept = default;
contract_file::~contract_file() = default;

void contract_file::add(const dispatch_view& what) {
  detail::stored_contract& c = storage_->contracts.emplace_back();
  // Taken apart: see storage.cpp.
  const auto& [name, branches, branch_count, parameters, parameter_count] = what;
  c.name = storage_->keep(name);
  for (int i = 0; i < branch_count; ++i) c.branches.push_back(storage_->keep(branches[i]));
  for (int i = 0; i < parameter_count; ++i) c.parameters.push_back(storage_->keep(parameters[i]));
  c.close();
}

void contract_file::add(const contract_view& what) {
  detail::stored_contract& c = storage_->contracts.emplace_back();
  c.name = storage_->keep(what.kernel);
  c.is_single = true;
  c.branches.push_back(storage_->keep(what));
  c.close();
}

// A file that was moved from holds nothing.
int contract_file::size() const {
  return storage_ == nullptr ? 0 : static_cast<int>(storage_->contracts.size());
}
const dispatch_view& contract_file::operator[](int i) const {
  return storage_->contracts[static_cast<std::size_t>(i)].view;
}
const dispatch_view* contract_file::find(std::string_view name) const {
  for (int i = 0; i < size(); ++i)
    if ((*this)[i].name == name) return &(*this)[i];
  return nullptr;
}
bool contract_file::is_single(int i) const {
  return storage_->contracts[static_cast<std::size_t>(i)].is_single;
}
std::uint32_t contract_file::line(int i) const {
  return storage_->contracts[static_cast<std::size_t>(i)].line;
}

}  // namespace v1
}  // namespace stridelock
