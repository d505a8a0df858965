#include "stridelock/audit_memory.h"

#include <mutex>

#include "ledger_data.h"

namespace stridelock {
inline namespace v1 {
namespace {

memory_role role_of(const detail::owner_record& record) {
  const device_kind kind = record.whole.where().kind;
  const bool host =
      kind == device_kind::cpu || kind == device_kind::cuda_host || kind == device_kind::rocm_host;
  return host ? memory_role::host_buffer : memory_role::persistent;
}

void add_with_parts(known_memory& to, const detail::owner_record& record) {
  known_range range;
  range.name = record.name;
  range.begin = record.range.begin;
  range.bytes = record.range.bytes;
  range.generation = record.generation.load(std::memory_order_relaxed);
  range.role = role_of(record);
  range.live = record.is_alive();
  to.ranges.push_back(range);
  for (const auto& part : record.parts) add_with_parts(to, *part);
}

}  // namespace

known_memory known_memory_of(const registry& from) {
  known_memory known;
  const auto state = detail::registry_access::state(from);
  const std::lock_guard<std::mutex> held(state->lock);
  for (const auto& [begin, record] : state->live) add_with_parts(known, *record);
  for (const auto& [begin, noted] : state->private_ranges) {
    known_range range;
    range.name = noted.pool->name;
    range.begin = begin;
    range.bytes = noted.bytes;
    range.generation = noted.pool->generation.load(std::memory_order_relaxed);
    range.role = memory_role::graph_private;
    known.ranges.push_back(range);
  }
  return known;
}

void add_captured(known_memory& to, const ledger& book) {
  const detail::ledger_data* const data = detail::ledger_access::data(book);
  if (data == nullptr) return;
  const auto add_address = [&](std::uint64_t address, const detail::recorded_memory& where) {
    if (where.owner < 0) return;
    const detail::ledger_owner& owner = data->owners[static_cast<std::size_t>(where.owner)];
    to.words.push_back({address, owner.record->name, owner.generation});
  };
  for (const detail::ledger_boundary& boundary : data->boundaries) {
    for (const detail::ledger_entry& entry : boundary.entries) {
      add_address(entry.where.address, entry.where);
      for (const detail::pointer_word& p : entry.pointers) add_address(p.where.address, p.where);
      if (entry.form == detail::entry_form::scalar && entry.number.what != scalar_value::form::floating)
        to.words.push_back({static_cast<std::uint64_t>(entry.number.integer), {}, 0, boundary.name, {}});
      if (entry.form == detail::entry_form::value)
        to.digests.push_back(
            {digest_of(data->words_of_values.data() + entry.first, static_cast<std::size_t>(entry.bytes)),
             entry.name});
    }
  }
}

}  // namespace v1
}  // namespace stridelock
