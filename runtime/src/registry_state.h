// What a registry holds. Private to the library: registry, buffers, guard and ledger share it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stridelock/persistent_buffer.h"
#include "stridelock/registry.h"
#include "stridelock/tensor_desc.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

// A range of addresses. Empty: nothing is addressed, which is inside everything.
struct address_range {
  std::uintptr_t begin = 0;
  std::uint64_t bytes = 0;
  bool ok = true;  // false: beyond the address space, or not an address at all

  bool contains(const address_range& other) const {
    return other.begin >= begin && other.bytes <= bytes && other.begin - begin <= bytes - other.bytes;
  }
  bool overlaps(const address_range& other) const {
    return begin < other.begin + other.bytes && other.begin < begin + bytes;
  }
};

// Everything that indexing can reach.
address_range range_of(const tensor_ref& tensor) noexcept;

struct owner_record {
  owner_record(std::uint64_t i, std::string_view n, memory_class w) : id(i), name(n), what(w) {}

  // Read without a lock before every launch. Only rises.
  std::atomic<std::uint64_t> generation{0};
  const std::uint64_t id;
  const std::string name;
  const memory_class what;

  // The rest: under the registry's lock.
  bool live = false;
  std::uint64_t incarnation = 0;  // registrations under this name
  address_range range{};
  tensor_desc whole{};
  liveness by{};
  owner_record* parent = nullptr;  // outlives its parts
  std::vector<std::shared_ptr<owner_record>> parts;

  // A part lives as long as all that it is a part of.
  bool is_alive() const noexcept {
    for (const owner_record* r = this; r != nullptr; r = r->parent)
      if (!r->live || (r->by.alive != nullptr && !r->by.alive(r->by.probe.get()))) return false;
    return true;
  }
  bool is_part_of(const owner_record& other) const noexcept {
    const owner_record* r = this;
    while (r != nullptr && r != &other) r = r->parent;
    return r != nullptr;
  }
};

// A range that a private pool handed out. Offsets into a pool count its ranges in the order in which they were noted.
struct private_range {
  std::uint64_t bytes = 0;
  std::uint64_t first_offset = 0;
  std::shared_ptr<owner_record> pool;
};

// Which owners a captured graph depends on, for naming all graphs that a change affects.
struct dependent_graph {
  std::string name;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> owners;  // id, generation
};

struct registry_state {
  mutable std::mutex lock;  // short sections; a lock that prefers readers would let them starve a move
  // Rises after any generation did: while it stands, whatever was verified still holds.
  std::atomic<std::uint64_t> changes{1};
  std::map<std::uintptr_t, std::shared_ptr<owner_record>> live;  // no parts; disjoint
  std::map<std::uintptr_t, private_range> private_ranges;
  std::map<std::string, std::weak_ptr<owner_record>, std::less<>> names;
  // Names that nobody remembers are dropped. Whoever takes one again starts here: no generation ever falls.
  std::uint64_t highest_retired = 0;
  std::map<std::uint64_t, dependent_graph> graphs;
};

std::uint64_t next_id() noexcept;

struct registry_access {
  static std::shared_ptr<registry_state> state(const registry& r) { return r.state_; }
  static const std::shared_ptr<owner_record>& record(const private_pool& pool);
  static const std::shared_ptr<registry_state>& state(const private_pool& pool);

  // The lock is held.
  static placement find(const registry_state& state, const address_range& range);
  static std::shared_ptr<owner_record> record(const placement& p) {
    return std::const_pointer_cast<owner_record>(p.record_);
  }

  static void raise(registry_state& state, owner_record& record);
  static liveness retire(registry_state& state, owner_record& record);  // returns what kept it alive
  static registration_fault register_whole(registry_state& state, std::string_view name,
                                           const tensor_ref& whole, owner_record* parent,
                                           std::shared_ptr<owner_record>& record, liveness& by,
                                           std::vector<liveness>& let_go);
  static registration_fault move(registry_state& state, owner_record& record, const tensor_ref& now,
                                 std::vector<liveness>& let_go);

 private:
  static void take_parts_along(registry_state& state, owner_record& record, std::uintptr_t before);
  static registration_fault make_room(registry_state& state, std::string_view name,
                                      const address_range& range, const owner_record* parent,
                                      const owner_record* except, std::vector<liveness>& let_go);
};

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
