#include "stridelock/registry.h"

#include <algorithm>
#include <exception>
#include <mutex>

#include "contracts/src/text.h"
#include "graph_words.h"
#include "registry_state.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

std::uint64_t next_id() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

address_range range_of(const tensor_ref& tensor) noexcept {
  address_range r;
  const tensor_desc t = tensor_desc::copy_of(tensor);
  if (!t.valid() || !has_addresses(t.where())) {
    r.ok = false;
    return r;
  }
  const reach offsets = offsets_of(t.layout());
  if (offsets.empty) return r;
  const checked bits(t.type().element_bits());
  const checked low = checked(offsets.low, offsets.ok) * bits;
  const checked high = (checked(offsets.high, offsets.ok) + checked(1)) * bits;
  if (!low.ok || !high.ok || bits.value == 0) {
    r.ok = false;
    return r;
  }
  // Whole bytes: low rounded down, high rounded up.
  const index_t first = low.value >= 0 ? low.value / 8 : -((-(low.value + 1)) / 8 + 1);
  const index_t last = high.value / 8 + (high.value % 8 > 0 ? 1 : 0);
  const auto base = reinterpret_cast<std::uintptr_t>(t.data()) + static_cast<std::uintptr_t>(t.byte_offset());
  r.begin = base + static_cast<std::uintptr_t>(first);
  r.bytes = static_cast<std::uint64_t>(last - first);
  r.ok = t.data() != nullptr && r.begin + r.bytes >= r.begin && r.begin != 0;
  return r;
}

// ---- looking up ------------------------------------------------------------------------------------------------------

placement registry_access::find(const registry_state& state, const address_range& range) {
  placement p;
  if (!range.ok) return p;
  auto next = state.live.upper_bound(range.begin);
  if (next != state.live.begin()) {
    std::shared_ptr<owner_record> inside = std::prev(next)->second;
    if (inside->range.contains(range) && inside->is_alive()) {
      for (bool deeper = true; deeper;) {
        deeper = false;
        // Parts may be declared over the same bytes; the latest one counts.
        for (auto part = inside->parts.rbegin(); part != inside->parts.rend(); ++part) {
          if ((*part)->live && (*part)->range.contains(range)) {
            inside = *part;
            deeper = true;
            break;
          }
        }
      }
      p.what_ = memory_class::persistent;
      p.owner_ = {inside->id, inside->generation.load(std::memory_order_relaxed)};
      p.offset_ = range.begin - inside->range.begin;
      p.record_ = std::move(inside);
      return p;
    }
  }
  auto after = state.private_ranges.upper_bound(range.begin);
  if (after == state.private_ranges.begin()) return p;
  const auto& [begin, noted] = *std::prev(after);
  if (!address_range{begin, noted.bytes}.contains(range)) return p;
  p.what_ = memory_class::graph_private;
  p.owner_ = {noted.pool->id, noted.pool->generation.load(std::memory_order_relaxed)};
  p.offset_ = noted.first_offset + (range.begin - begin);
  p.record_ = noted.pool;
  return p;
}

// ---- registering -----------------------------------------------------------------------------------------------------

void registry_access::raise(registry_state& state, owner_record& record) {
  record.generation.fetch_add(1, std::memory_order_release);
  state.changes.fetch_add(1, std::memory_order_release);
}

liveness registry_access::retire(registry_state& state, owner_record& record) {
  const auto at = state.live.find(record.range.begin);
  if (at != state.live.end() && at->second.get() == &record) state.live.erase(at);
  record.live = false;
  raise(state, record);
  state.highest_retired = std::max(state.highest_retired, record.generation.load(std::memory_order_relaxed));
  for (const std::shared_ptr<owner_record>& part : record.parts) {
    part->parent = nullptr;
    if (part->live) retire(state, *part);
  }
  record.parts.clear();
  if (record.parent != nullptr) {
    auto& siblings = record.parent->parts;
    siblings.erase(std::remove_if(siblings.begin(), siblings.end(),
                                  [&](const auto& part) { return part.get() == &record; }),
                   siblings.end());
    record.parent = nullptr;
  }
  liveness by = std::move(record.by);
  record.by = {};
  return by;
}

// May these bytes be registered? Registrations whose probe says that they are dead make room.
registration_fault registry_access::make_room(registry_state& state, std::string_view name,
                                              const address_range& range, const owner_record* parent,
                                              const owner_record* except, std::vector<liveness>& let_go) {
  registration_fault fault;
  fault.name = name;
  if (parent != nullptr) {
    if (!parent->range.contains(range)) {
      fault.what = registration_error::outside_parent;
      fault.other = std::string_view(parent->name);
    }
    return fault;
  }
  auto at = state.live.upper_bound(range.begin);
  if (at != state.live.begin()) --at;
  while (at != state.live.end() && at->first < range.begin + range.bytes) {
    const std::shared_ptr<owner_record> there = at->second;
    ++at;
    if (there.get() == except || !there->range.overlaps(range)) continue;
    if (there->is_alive()) {
      fault.what = registration_error::overlaps;
      fault.other = std::string_view(there->name);
      return fault;
    }
    let_go.push_back(retire(state, *there));
  }
  auto pool = state.private_ranges.upper_bound(range.begin);
  if (pool != state.private_ranges.begin()) --pool;
  for (; pool != state.private_ranges.end() && pool->first < range.begin + range.bytes; ++pool) {
    if (!address_range{pool->first, pool->second.bytes}.overlaps(range)) continue;
    fault.what = registration_error::in_private_pool;
    fault.other = std::string_view(pool->second.pool->name);
    return fault;
  }
  return fault;
}

registration_fault registry_access::register_whole(registry_state& state, std::string_view name,
                                                   const tensor_ref& whole, owner_record* parent,
                                                   std::shared_ptr<owner_record>& record, liveness& by,
                                                   std::vector<liveness>& let_go) {
  registration_fault fault;
  fault.name = name;
  const tensor_desc described = tensor_desc::copy_of(whole);
  const address_range range = range_of(whole);
  if (!described.valid() || !is_addressable(described.layout())) {
    fault.what = registration_error::malformed;
    return fault;
  }
  if (!range.ok || range.bytes == 0) {
    fault.what = registration_error::no_memory;
    return fault;
  }
  const auto known = state.names.find(name);
  if (known != state.names.end()) record = known->second.lock();
  if (record != nullptr && record->live) {
    // Not asked of what the new one is a part of: it would become its own part.
    if ((parent != nullptr && parent->is_part_of(*record)) || record->is_alive()) {
      fault.what = registration_error::name_taken;
      return fault;
    }
    let_go.push_back(retire(state, *record));
  }
  fault = make_room(state, name, range, parent, nullptr, let_go);
  if (!fault.ok()) return fault;

  if (record == nullptr) {
    for (auto old = state.names.begin(); old != state.names.end();)
      old = old->second.expired() ? state.names.erase(old) : std::next(old);
    record = std::make_shared<owner_record>(next_id(), name, memory_class::persistent);
    record->generation.store(state.highest_retired, std::memory_order_relaxed);
    state.names[std::string(name)] = record;
  }
  if (parent != nullptr)
    parent->parts.push_back(record);
  else
    state.live[range.begin] = record;
  record->live = true;
  ++record->incarnation;
  record->range = range;
  record->whole = described;
  record->by = std::move(by);
  record->parent = parent;
  raise(state, *record);
  return fault;
}

registration_fault registry_access::move(registry_state& state, owner_record& record, const tensor_ref& now,
                                         std::vector<liveness>& let_go) {
  registration_fault fault;
  fault.name = std::string_view(record.name);
  const tensor_desc described = tensor_desc::copy_of(now);
  const address_range range = range_of(now);
  if (!described.valid() || !is_addressable(described.layout()))
    fault.what = registration_error::malformed;
  else if (!range.ok || range.bytes == 0)
    fault.what = registration_error::no_memory;
  else
    fault = make_room(state, record.name, range, record.parent, &record, let_go);
  const auto at = state.live.find(record.range.begin);
  std::shared_ptr<owner_record> self;
  if (at != state.live.end() && at->second.get() == &record) self = at->second;
  if (!fault.ok()) {
    let_go.push_back(retire(state, record));
    return fault;
  }
  if (record.parent == nullptr) {
    state.live.erase(at);
    state.live[range.begin] = self;
  }
  const std::uintptr_t before = record.range.begin;
  record.range = range;
  record.whole = described;
  raise(state, record);
  take_parts_along(state, record, before);
  return fault;
}

// Parts keep their offset where they still fit.
void registry_access::take_parts_along(registry_state& state, owner_record& record, std::uintptr_t before) {
  const std::vector<std::shared_ptr<owner_record>> parts = record.parts;
  for (const std::shared_ptr<owner_record>& part : parts) {
    const std::uintptr_t part_before = part->range.begin;
    const address_range next{record.range.begin + (part_before - before), part->range.bytes, true};
    if (!record.range.contains(next)) {
      retire(state, *part);
      continue;
    }
    part->range = next;
    raise(state, *part);
    take_parts_along(state, *part, part_before);
  }
}

}  // namespace detail

std::string_view placement::name() const noexcept {
  return record_ == nullptr ? std::string_view() : std::string_view(record_->name);
}

// ---- registry --------------------------------------------------------------------------------------------------------

registry::registry() : state_(std::make_shared<detail::registry_state>()) {}

registry& registry::process() {
  static registry one;
  return one;
}

placement registry::find(const void* begin, std::uint64_t bytes) const noexcept {
  detail::address_range range{reinterpret_cast<std::uintptr_t>(begin), bytes, begin != nullptr};
  range.ok = range.ok && range.begin + range.bytes >= range.begin;
  const std::lock_guard<std::mutex> held(state_->lock);
  return detail::registry_access::find(*state_, range);
}

placement registry::find(const tensor_ref& tensor) const noexcept {
  const detail::address_range range = detail::range_of(tensor);
  if (range.bytes == 0) return {};
  const std::lock_guard<std::mutex> held(state_->lock);
  return detail::registry_access::find(*state_, range);
}

evaluation_context registry::context() const noexcept {
  evaluation_context context;
  context.is_stable = [](const tensor_ref& tensor, void* state) noexcept {
    return to_tri(static_cast<const registry*>(state)->find(tensor).what() == memory_class::persistent);
  };
  context.stable_state = const_cast<registry*>(this);
  return context;
}

int registry::buffer_count() const noexcept {
  const std::lock_guard<std::mutex> held(state_->lock);
  int count = 0;
  for (const auto& [name, record] : state_->names) {
    const std::shared_ptr<detail::owner_record> there = record.lock();
    if (there != nullptr && there->live) ++count;
  }
  return count;
}

// ---- private pools ---------------------------------------------------------------------------------------------------

struct private_pool::content {
  std::shared_ptr<detail::registry_state> state;
  std::shared_ptr<detail::owner_record> record;
  std::uint64_t next_offset = 0;  // under the registry's lock

  content(std::shared_ptr<detail::registry_state> s, std::string_view name)
      : state(std::move(s)),
        record(std::make_shared<detail::owner_record>(detail::next_id(), name, memory_class::graph_private)) {
    record->live = true;
    record->generation.store(1, std::memory_order_relaxed);
  }
  ~content() {
    const std::lock_guard<std::mutex> held(state->lock);
    forget_ranges();
    record->live = false;
    detail::registry_access::raise(*state, *record);
  }
  content(const content&) = delete;
  content& operator=(const content&) = delete;

  void forget_ranges() {
    for (auto at = state->private_ranges.begin(); at != state->private_ranges.end();)
      at = at->second.pool == record ? state->private_ranges.erase(at) : std::next(at);
  }
};

namespace detail {
const std::shared_ptr<owner_record>& registry_access::record(const private_pool& pool) {
  return pool.content_->record;
}
const std::shared_ptr<registry_state>& registry_access::state(const private_pool& pool) {
  return pool.content_->state;
}
}  // namespace detail

private_pool::private_pool(std::string_view name) : private_pool(name, registry::process()) {}
private_pool::private_pool(std::string_view name, registry& in)
    : content_(std::make_shared<content>(detail::registry_access::state(in), name)) {}

registration_fault private_pool::note(const void* begin, std::uint64_t bytes) noexcept {
  registration_fault fault;
  fault.name = name();
  const detail::address_range range{reinterpret_cast<std::uintptr_t>(begin), bytes, true};
  if (begin == nullptr || bytes == 0 || range.begin + bytes < range.begin) {
    fault.what = registration_error::no_memory;
    return fault;
  }
  detail::registry_state& state = *content_->state;
  const std::lock_guard<std::mutex> held(state.lock);
  auto at = state.live.upper_bound(range.begin);
  if (at != state.live.begin()) --at;
  for (; at != state.live.end() && at->first < range.begin + bytes; ++at) {
    if (!at->second->range.overlaps(range) || !at->second->is_alive()) continue;
    fault.what = registration_error::overlaps;
    fault.other = std::string_view(at->second->name);
    return fault;
  }
  auto noted = state.private_ranges.upper_bound(range.begin);
  if (noted != state.private_ranges.begin()) --noted;
  const std::uintptr_t end = range.begin + bytes;
  const auto is_noted = [&](const auto& one) {
    return detail::address_range{one.first, one.second.bytes, true}.overlaps(range);
  };
  for (auto one = noted; one != state.private_ranges.end() && one->first < end; ++one) {
    if (!is_noted(*one) || one->second.pool == content_->record) continue;
    fault.what = registration_error::in_private_pool;
    fault.other = std::string_view(one->second.pool->name);
    return fault;
  }
  try {
    // What the pool handed out anew is new; what is left of an earlier range stays where it was.
    while (noted != state.private_ranges.end() && noted->first < end) {
      if (!is_noted(*noted)) {
        ++noted;
        continue;
      }
      const std::uintptr_t begin_before = noted->first;
      const detail::private_range before = noted->second;
      const std::uintptr_t end_before = begin_before + before.bytes;
      noted = state.private_ranges.erase(noted);
      if (begin_before < range.begin)
        state.private_ranges[begin_before] = {range.begin - begin_before, before.first_offset, before.pool};
      if (end_before > end)
        state.private_ranges[end] = {end_before - end, before.first_offset + (end - begin_before),
                                     before.pool};
    }
    state.private_ranges[range.begin] = {bytes, content_->next_offset, content_->record};
    content_->next_offset += bytes;
  } catch (const std::exception&) {
    fault.what = registration_error::out_of_memory;
  }
  return fault;
}

void private_pool::reset() noexcept {
  const std::lock_guard<std::mutex> held(content_->state->lock);
  content_->forget_ranges();
  content_->next_offset = 0;
  detail::registry_access::raise(*content_->state, *content_->record);
}

owner_token private_pool::owner() const noexcept {
  return {content_->record->id, content_->record->generation.load(std::memory_order_relaxed)};
}
std::string_view private_pool::name() const noexcept {
  return content_->record->name;
}

// ---- what went wrong -------------------------------------------------------------------------------------------------

std::size_t write_text(const registration_fault& fault, char* to, std::size_t capacity) noexcept {
  try {
    const std::string name = detail::quoted_name(fault.name.view());
    const std::string other = detail::quoted_name(fault.other.view());
    std::string out = name + " cannot be registered: ";
    switch (fault.what) {
      case registration_error::none:
        out = "ok";
        break;
      case registration_error::no_memory:
        out += "it has no address, or no bytes\n  fix   allocate it first";
        break;
      case registration_error::malformed:
        out += "its description has no valid rank, extents or strides\n  fix   describe the whole buffer";
        break;
      case registration_error::name_taken:
        out +=
            "another live buffer has this name\n  fix   one name for each buffer; end the old one first if "
            "it "
            "is replaced";
        break;
      case registration_error::overlaps:
        out += "some of its bytes belong to " + other + ", which is live\n  fix   end " + other +
               " first, or declare a part of it: part_of()";
        break;
      case registration_error::in_private_pool:
        out += "its memory belongs to the private pool of " + other +
               " and dies with it\n  fix   allocate persistent buffers outside captures and private pools";
        break;
      case registration_error::outside_parent:
        out += "it is not inside " + other + "\n  fix   declare only parts of the parent's own bytes";
        break;
      case registration_error::not_registered:
        out += "its buffer is gone or was never registered\n  fix   register it again";
        break;
      case registration_error::out_of_memory:
        out += "memory ran out";
        break;
    }
    return detail::copy_out(out, to, capacity);
  } catch (const std::exception&) {
    if (to != nullptr && capacity > 0) to[0] = '\0';
    return 0;
  }
}

}  // namespace v1
}  // namespace stridelock
