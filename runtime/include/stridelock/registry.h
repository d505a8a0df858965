// registry.h: which memory stays where it is. The map from addresses to named, registered buffers and to the private pools
// of graphs.
//
// Promises:  a lookup names the innermost live registration with offset and generation; the latest one wins. A generation
//            rises by one whenever its buffer moves, dies, or is registered again under its name, and never falls.
//            Two live registrations never overlap, unless one is a declared part of the other. All functions may be
//            called from any thread; registering and looking up take a lock, comparing generations (ledger.h) does not.
// Does not:  watch memory. It knows what it is told: persistent_buffer.h says in which ways.
//            Addresses are taken to be unique in the process, as with CUDA's unified addressing.
// Cost:      a lookup is cold: some 50 ns, a lock.
//
//   require_in<sparse_mla>(registry::process().context(), q, indices);     // judges `stable`
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "stridelock/evaluate.h"
#include "stridelock/provenance.h"
#include "stridelock/tensor_ref.h"

namespace stridelock {
inline namespace v1 {

class registry;

namespace detail {
struct owner_record;
struct registry_state;
struct registry_access;
}  // namespace detail

// An owner as it was at one time.
struct owner_token {
  std::uint64_t id = 0;  // 0: none
  std::uint64_t generation = 0;

  constexpr bool known() const { return id != 0; }
  friend constexpr bool operator==(owner_token a, owner_token b) {
    return a.id == b.id && a.generation == b.generation;
  }
  friend constexpr bool operator!=(owner_token a, owner_token b) { return !(a == b); }
};

enum class memory_class : std::uint8_t {
  unregistered,   // nobody promised that it stays
  persistent,     // inside a registered buffer
  graph_private,  // from the private pool of a graph: stays as long as the pool
};

constexpr std::string_view to_string(memory_class what) {
  switch (what) {
    case memory_class::unregistered:
      return "unregistered";
    case memory_class::persistent:
      return "persistent";
    case memory_class::graph_private:
      return "graph-private";
  }
  return {};
}

// Where a range of memory lies.
class placement {
 public:
  memory_class what() const noexcept { return what_; }
  owner_token owner() const noexcept { return owner_; }
  std::uint64_t offset() const noexcept { return offset_; }  // in bytes, from the start of the owner
  std::string_view name() const noexcept;                    // of the owner; empty if unregistered

 private:
  friend struct detail::registry_access;
  memory_class what_ = memory_class::unregistered;
  owner_token owner_{};
  std::uint64_t offset_ = 0;
  std::shared_ptr<const detail::owner_record> record_;
};

enum class registration_error : std::uint8_t {
  none,
  no_memory,        // null, empty, or on a device whose data word is no address
  malformed,        // a rank, extents or strides that describe nothing
  name_taken,       // another live buffer has this name
  overlaps,         // a live registration, `other`, has some of these bytes
  in_private_pool,  // of the graph pool `other`: the memory dies with it
  outside_parent,   // a part must lie inside its parent
  not_registered,   // the handle is empty or its buffer is gone
  out_of_memory,
};

struct registration_fault {
  registration_error what = registration_error::none;
  short_text<48> name{};
  short_text<48> other{};

  constexpr bool ok() const { return what == registration_error::none; }
};

// Writes at most `capacity` bytes including the final 0; returns the length of the whole text without it.
std::size_t write_text(const registration_fault& fault, char* to, std::size_t capacity) noexcept;

// A pool from which captures allocate. Copies are one pool; it is gone when the last copy is, and every graph's ledger
// that was captured with it holds one. Graphs may share a pool if they never run at the same time.
class private_pool {
 public:
  explicit private_pool(std::string_view name);
  private_pool(std::string_view name, registry& in);

  // [begin, begin + bytes) was allocated from the pool. Refused where a live registration has some of it.
  registration_fault note(const void* begin, std::uint64_t bytes) noexcept;
  // The pool handed its memory back: whoever captured with it reads what is no longer there.
  void reset() noexcept;
  owner_token owner() const noexcept;
  std::string_view name() const noexcept;

 private:
  friend struct detail::registry_access;
  struct content;
  std::shared_ptr<content> content_;
};

class registry {
 public:
  registry();
  // The one that everything uses unless told otherwise.
  static registry& process();

  placement find(const void* begin, std::uint64_t bytes = 1) const noexcept;
  // All bytes that indexing can reach, whatever the signs of the strides.
  placement find(const tensor_ref& tensor) const noexcept;

  // For check_in and require_in: `stable` holds inside registered buffers. This object must outlive the context.
  evaluation_context context() const noexcept;

  int buffer_count() const noexcept;  // live, parts included

 private:
  friend struct detail::registry_access;
  std::shared_ptr<detail::registry_state> state_;
};

}  // namespace v1
}  // namespace stridelock
