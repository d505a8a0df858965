// Writing a ledger down: what the guard does at each boundary.
#include "ledger_data.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "stridelock/graph_audit.h"  // digest_of

namespace stridelock {
inline namespace v1 {
namespace detail {

ledger_data::ledger_data(std::shared_ptr<registry_state> in, std::string_view graph_name)
    : state(std::move(in)), graph(graph_name), id(next_id()) {
  changes = &state->changes;
}

ledger_data::~ledger_data() {
  const std::lock_guard<std::mutex> held(state->lock);
  state->graphs.erase(id);
}

recorded_memory ledger_data::record(const address_range& range) {
  recorded_memory memory;
  memory.address = range.begin;
  memory.has_bytes = !range.ok || range.bytes > 0;
  if (!memory.has_bytes) return memory;
  const std::lock_guard<std::mutex> held(state->lock);
  const placement where = registry_access::find(*state, range);
  memory.what = where.what();
  if (where.what() == memory_class::unregistered) return memory;
  memory.offset = where.offset();
  const std::shared_ptr<owner_record> record = registry_access::record(where);
  std::size_t at = 0;
  // An owner that moved while the capture went on is another one: both generations count.
  while (at < owners.size() &&
         (owners[at].record != record || owners[at].generation != where.owner().generation))
    ++at;
  memory.owner = static_cast<int>(at);
  if (at < owners.size()) return memory;
  ledger_owner owner;
  owner.record = record;
  owner.generation = where.owner().generation;
  owner.incarnation = record->incarnation;
  owner.range = record->range;
  owner.whole = record->whole;
  // A part lives as long as what it is a part of.
  const owner_record* asked = record.get();
  while (asked->parent != nullptr) asked = asked->parent;
  owner.alive = asked->by.alive;
  owner.probe = asked->by.probe;
  if (owner.alive != nullptr) probed.push_back(at);
  owners.push_back(std::move(owner));
  words.push_back(&record->generation);
  values.push_back(owners.back().generation);
  return memory;
}

void ledger_data::tell_registry() {
  dependent_graph told{graph, {}};
  for (const ledger_owner& owner : owners) told.owners.emplace_back(owner.record->id, owner.generation);
  const std::lock_guard<std::mutex> held(state->lock);
  state->graphs[id] = std::move(told);
}

std::size_t ledger_data::add_boundary(std::string_view name) {
  const std::size_t index = boundaries.size();
  auto known = occurrences.find(name);
  if (known == occurrences.end())
    known = occurrences.emplace(std::string(name), std::vector<std::size_t>()).first;
  ledger_boundary added;
  added.name = name;
  added.occurrence = static_cast<int>(known->second.size());
  boundaries.push_back(std::move(added));
  known->second.push_back(index);
  return index;
}

void ledger_data::fill_tensor(ledger_entry& entry, const argument_value& value) {
  const bool was_tensor = entry.form == entry_form::tensor;
  const std::size_t first_before = entry.first;
  const std::int32_t rank_before = entry.rank;
  entry.form = value.is_present ? entry_form::tensor : entry_form::no_tensor;
  entry.where = {};
  entry.where.has_bytes = false;
  if (!value.is_present) return;
  const tensor_desc t = tensor_desc::copy_of(value.tensor);
  entry.type = t.type();
  entry.on = t.where();
  entry.rank = t.valid() ? t.rank() : 0;
  entry.data = reinterpret_cast<std::uintptr_t>(value.tensor.data) +
               static_cast<std::uintptr_t>(value.tensor.byte_offset);
  // An argument that is updated at every step keeps its place.
  const bool fits = was_tensor && rank_before == entry.rank &&
                    first_before + 2 * static_cast<std::size_t>(entry.rank) <= numbers.size();
  entry.first = fits ? first_before : numbers.size();
  if (!fits) numbers.resize(numbers.size() + 2 * static_cast<std::size_t>(entry.rank));
  for (int i = 0; i < entry.rank; ++i) {
    numbers[entry.first + static_cast<std::size_t>(i)] = t.extent(i);
    numbers[entry.first + static_cast<std::size_t>(entry.rank + i)] = t.stride(i);
  }
  entry.where = record(range_of(value.tensor));
}

namespace {

// A name that one boundary has twice is numbered: otherwise neither value could ever be current.
std::string free_name(const ledger_boundary& boundary, std::string_view name) {
  const auto taken = [&](const std::string& wanted) {
    return std::any_of(boundary.entries.begin(), boundary.entries.end(),
                       [&](const ledger_entry& e) { return e.name == wanted; });
  };
  std::string free(name);
  for (int i = 1; taken(free); ++i) free = std::string(name) + "#" + std::to_string(i);
  return free;
}

}  // namespace

void ledger_data::add_tensor(std::size_t boundary, std::string_view name, const argument_value& value) {
  ledger_entry entry;
  entry.name = free_name(boundaries[boundary], name);
  fill_tensor(entry, value);
  if (entry.where.has_bytes && entry.where.what == memory_class::unregistered) ++unregistered;
  boundaries[boundary].entries.push_back(std::move(entry));
}

void ledger_data::add_scalar(std::size_t boundary, std::string_view name, scalar_value value) {
  ledger_entry entry;
  entry.name = free_name(boundaries[boundary], name);
  entry.form = entry_form::scalar;
  entry.number = value;
  entry.where.has_bytes = false;
  boundaries[boundary].entries.push_back(std::move(entry));
}

void ledger_data::add_host(std::size_t boundary, std::string_view name, const void* data,
                           std::uint64_t bytes) {
  ledger_entry entry;
  entry.name = free_name(boundaries[boundary], name);
  fill_host(entry, data, bytes);
  if (entry.where.has_bytes && entry.where.what == memory_class::unregistered) ++unregistered;
  boundaries[boundary].entries.push_back(std::move(entry));
}

void ledger_data::fill_host(ledger_entry& entry, const void* data, std::uint64_t bytes) {
  entry.form = entry_form::host;
  entry.bytes = bytes;
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  entry.where = record({begin, bytes, data != nullptr && begin + bytes >= begin});
}

void ledger_data::add_value(std::size_t boundary, std::string_view name, const void* data,
                            std::uint64_t bytes) {
  ledger_entry entry;
  entry.name = free_name(boundaries[boundary], name);
  fill_value(entry, data, bytes);
  boundaries[boundary].entries.push_back(std::move(entry));
}

void ledger_data::fill_value(ledger_entry& entry, const void* data, std::uint64_t bytes) {
  const bool fits = entry.form == entry_form::value && entry.bytes == bytes;  // one that was updated
  if (!fits) {
    entry.first = words_of_values.size();
    words_of_values.resize(words_of_values.size() + bytes);
  }
  entry.form = entry_form::value;
  entry.bytes = bytes;
  entry.where = {};
  entry.where.has_bytes = false;
  entry.pointers.clear();
  const auto* const from = static_cast<const unsigned char*>(data);
  std::copy(from, from + bytes, words_of_values.begin() + static_cast<std::ptrdiff_t>(entry.first));
  for (std::uint64_t at = 0; at + sizeof(std::uint64_t) <= bytes; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, from + at, sizeof word);
    const recorded_memory where = record({static_cast<std::uintptr_t>(word), 1, word != 0});
    if (where.what != memory_class::unregistered) entry.pointers.push_back({at, where});
  }
}

tensor_desc ledger_data::tensor_of(const ledger_entry& entry) const {
  if (entry.form != entry_form::tensor) return {};
  tensor_ref r;
  r.type = entry.type;
  r.rank = entry.rank;
  r.where = entry.on;
  r.extents = numbers.data() + entry.first;
  r.strides = r.extents + entry.rank;
  return tensor_desc::copy_of(r);
}

// For the eye: values are compared byte by byte.
std::uint64_t ledger_data::geometry_digest_of(const ledger_entry& entry) const {
  const auto from = words_of_values.begin() + static_cast<std::ptrdiff_t>(entry.first);
  std::vector<std::uint8_t> bytes(from, from + static_cast<std::ptrdiff_t>(entry.bytes));
  for (const pointer_word& pointer : entry.pointers)
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(pointer.at), sizeof(std::uint64_t),
                std::uint8_t{0});
  return digest_of(bytes.data(), bytes.size());
}

recorded_place ledger_data::place_of(const recorded_memory& memory) const {
  recorded_place place;
  place.what = memory.what;
  if (memory.owner < 0) return place;
  const ledger_owner& owner = owners[static_cast<std::size_t>(memory.owner)];
  place.owner = owner.record->name;
  place.offset = memory.offset;
  place.generation = owner.generation;
  return place;
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
