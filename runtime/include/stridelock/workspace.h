// workspace.h: scratch memory by key, which can only grow outside a capture.
//
// Promises:  reserve() gives at least the bytes asked for, registered as 'workspace/key', so that kernels may be captured
//            with it. A request that would have to grow while the stream or this thread captures is refused with
//            a fault, and nothing moves. Growing raises the generation: graphs captured with the old block know before they
//            are launched. The old block is freed after that.
// Does not:  keep contents when it grows, shrink, synchronise with work still using the old block (let the source's
//            release do so, as cudaFree does), or serve two streams with one key at a time.
//
//   workspace scratch("mla", cuda::device_memory(0), cuda::capture_calls());
//   scratch.reserve("split", largest_planned, stream);            // before capture
//   const workspace_block b = scratch.reserve("split", bytes, stream);
//   if (!b.ok()) log(text(b.fault));
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "stridelock/capture_backend.h"
#include "stridelock/registry.h"

namespace stridelock {
inline namespace v1 {

// Where a workspace takes its memory from.
struct memory_source {
  void* self = nullptr;
  void* (*allocate)(void* self, std::size_t bytes) noexcept = nullptr;  // null: there is none
  void (*release)(void* self, void* memory) noexcept = nullptr;
  device where{device_kind::cpu, 0};
};

enum class workspace_error : std::uint8_t {
  none,
  grows_in_capture,
  out_of_memory,
  not_registered,  // its name is taken; see registry
  moved_away,      // the object was moved from
};

struct workspace_fault {
  workspace_error what = workspace_error::none;
  short_text<48> workspace{};
  short_text<48> key{};
  std::uint64_t there = 0;   // bytes
  std::uint64_t needed = 0;  // bytes

  constexpr bool ok() const { return what == workspace_error::none; }
};

struct workspace_block {
  void* data = nullptr;
  std::uint64_t bytes = 0;  // as many as there are, at least those asked for
  workspace_fault fault{};

  constexpr bool ok() const { return fault.ok(); }
  explicit constexpr operator bool() const { return ok(); }
};

// Writes at most `capacity` bytes including the final 0; returns the length of the whole text without it.
std::size_t write_text(const workspace_fault& fault, char* to, std::size_t capacity) noexcept;
inline std::string text(const workspace_fault& fault) {
  std::string out(write_text(fault, nullptr, 0), '\0');
  if (!out.empty()) write_text(fault, &out[0], out.size() + 1);
  return out;
}

class workspace {
 public:
  // The source and the backend must outlive it.
  workspace(std::string_view name, const memory_source& source, const capture_backend& backend,
            registry& in = registry::process());
  workspace(workspace&&) noexcept;
  workspace& operator=(workspace&&) noexcept;
  ~workspace();

  // From any thread; one at a time.
  workspace_block reserve(std::string_view key, std::uint64_t bytes, void* stream) noexcept;

 private:
  struct content;
  std::unique_ptr<content> content_;
};

}  // namespace v1
}  // namespace stridelock
