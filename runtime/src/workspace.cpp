#include "stridelock/workspace.h"

#include <exception>
#include <limits>
#include <map>
#include <mutex>

#include "contracts/src/text.h"
#include "graph_words.h"
#include "stridelock/capture_guard.h"
#include "stridelock/persistent_buffer.h"

namespace stridelock {
inline namespace v1 {
namespace {

struct block {
  registered_buffer registration;
  void* data = nullptr;
  std::uint64_t bytes = 0;
};

struct releaser {
  memory_source source;
  void* memory;
  releaser(const memory_source& s, void* m) : source(s), memory(m) {}
  releaser(const releaser&) = delete;
  releaser& operator=(const releaser&) = delete;
  ~releaser() { source.release(source.self, memory); }
};

}  // namespace

struct workspace::content {
  std::string name;
  memory_source source;
  const capture_backend* backend;
  registry* in;
  std::mutex lock;
  std::map<std::string, block, std::less<>> blocks;

  bool captures(void* stream) const noexcept {
    if (capture_guard::current() != nullptr) return true;
    capture_status status = capture_status::none;
    // An error, such as 906 for the legacy stream, means that someone captures: not now.
    return backend->is_capturing(backend->self, stream, &status) != 0 || status != capture_status::none;
  }
};

workspace::workspace(std::string_view name, const memory_source& source, const capture_backend& backend,
                     registry& in)
    : content_(std::make_unique<content>()) {
  content_->name = name;
  content_->source = source;
  content_->backend = &backend;
  content_->in = &in;
}
workspace::workspace(workspace&&) noexcept = default;
workspace& workspace::operator=(workspace&&) noexcept = default;
workspace::~workspace() = default;

workspace_block workspace::reserve(std::string_view key, std::uint64_t bytes, void* stream) noexcept {
  workspace_block result;
  if (content_ == nullptr) {
    result.fault.what = workspace_error::moved_away;
    result.fault.key = key;
    result.fault.needed = bytes;
    return result;
  }
  content& c = *content_;
  result.fault.workspace = std::string_view(c.name);
  result.fault.key = key;
  result.fault.needed = bytes;
  try {
    const std::lock_guard<std::mutex> held(c.lock);
    const auto known = c.blocks.find(key);
    if (known != c.blocks.end()) {
      result.fault.there = known->second.bytes;
      if (known->second.bytes >= bytes) {
        result.data = known->second.data;
        result.bytes = known->second.bytes;
        return result;
      }
    }
    if (bytes == 0) return result;
    if (c.captures(stream)) {
      result.fault.what = workspace_error::grows_in_capture;
      return result;
    }
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<index_t>::max()) / 8;
    void* const memory =
        bytes > most ? nullptr : c.source.allocate(c.source.self, static_cast<std::size_t>(bytes));
    if (memory == nullptr) {
      result.fault.what = workspace_error::out_of_memory;
      return result;
    }
    auto keep = std::make_shared<releaser>(c.source, memory);
    const index_t extents[] = {static_cast<index_t>(bytes)};
    const tensor_ref whole{memory, types::uint8, 1, c.source.where, extents, nullptr};
    block next;
    if (known != c.blocks.end()) {
      next.registration = std::move(known->second.registration);
      next.registration.moved(whole, std::move(keep));
    } else {
      next.registration =
          registered_buffer::adopt(c.name + "/" + std::string(key), whole, std::move(keep), *c.in);
    }
    if (!next.registration.ok()) {
      if (known != c.blocks.end()) c.blocks.erase(known);
      result.fault.what = workspace_error::not_registered;
      return result;
    }
    next.data = memory;
    next.bytes = bytes;
    c.blocks[std::string(key)] = std::move(next);
    result.data = memory;
    result.bytes = bytes;
  } catch (const std::exception&) {
    result.fault.what = workspace_error::out_of_memory;
  }
  return result;
}

std::size_t write_text(const workspace_fault& fault, char* to, std::size_t capacity) noexcept {
  try {
    std::string out = "workspace " + detail::quoted_name(fault.workspace.view()) + ": " +
                      detail::quoted_name(fault.key.view());
    const std::string needed = detail::grouped(fault.needed);
    switch (fault.what) {
      case workspace_error::none:
        out = "ok";
        break;
      case workspace_error::grows_in_capture:
        out += " cannot grow inside a capture: " + detail::grouped(fault.there) + " bytes are there, needs " +
               needed + "\n  fix   reserve the largest planned size before the capture\n";
        break;
      case workspace_error::out_of_memory:
        out += " cannot be allocated: " + needed + " bytes\n  fix   a smaller plan, or free memory first\n";
        break;
      case workspace_error::not_registered:
        out += " cannot be registered under this name\n  fix   one workspace name for each workspace\n";
        break;
      case workspace_error::moved_away:
        out +=
            " cannot be reserved: the workspace was moved to another object\n  fix   reserve from that one\n";
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
