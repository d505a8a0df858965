// capture_backend.h: the few stream-capture calls that guard, workspace and scopes make, as a table of functions.
//
// Promises:  everything above it is plain C++: the CUDA table lives in runtime/cuda, tests bring a table of their own.
// Does not:  own anything. A table must outlive every guard that uses it; tables are constants in practice.
//
//   #include "stridelock/cuda/capture_backend.h"              // target stridelock::runtime_cuda
//   capture_guard guard(cuda::capture_calls(), stream, "decode");
//
// Codes are those of the CUDA runtime: 0 is success, 900 to 908 are capture errors (capture_error_text).
#pragma once

#include <cstdint>
#include <string_view>

#include "stridelock/integers.h"

namespace stridelock {
inline namespace v1 {

// Which calls a thread may not make while a capture is open; docs/capture.md.
enum class capture_mode : std::uint8_t {
  global,         // also because of other threads' captures
  thread_local_,  // because of its own captures only
  relaxed,
};

enum class capture_status : std::uint8_t { none, active, invalidated };

struct capture_info {
  capture_status status = capture_status::none;
  std::uint64_t id = 0;   // unique in the process; streams are reused, ids are not
  void* graph = nullptr;  // being built; belongs to the capture. May be null
};

struct capture_backend {
  void* self = nullptr;  // handed to every function
  int (*begin)(void* self, void* stream, capture_mode mode) noexcept = nullptr;
  // Ends also an invalidated capture: an error and no graph.
  int (*end)(void* self, void* stream, void** graph) noexcept = nullptr;
  int (*info)(void* self, void* stream, capture_info* out) noexcept = nullptr;
  int (*is_capturing)(void* self, void* stream, capture_status* out) noexcept = nullptr;
  // Swaps the mode of the calling thread.
  int (*exchange_mode)(void* self, capture_mode* mode) noexcept = nullptr;
  // Last error of the calling thread; clear: forget it.
  int (*last_error)(void* self, bool clear) noexcept = nullptr;
  int (*destroy_graph)(void* self, void* graph) noexcept = nullptr;
  int (*launch)(void* self, void* executable, void* stream) noexcept = nullptr;
};

namespace capture_code {
inline constexpr int success = 0;
inline constexpr int unsupported = 900;  // call not permitted while capturing
inline constexpr int invalidated = 901;
inline constexpr int merge = 902;
inline constexpr int unmatched = 903;
inline constexpr int unjoined = 904;
inline constexpr int isolation = 905;
inline constexpr int implicit = 906;
inline constexpr int captured_event = 907;
inline constexpr int wrong_thread = 908;
}  // namespace capture_code

constexpr std::string_view capture_error_text(int code) {
  switch (code) {
    case capture_code::success:
      return "success";
    case capture_code::unsupported:
      return "the call is not permitted while the stream is capturing";
    case capture_code::invalidated:
      return "the capture was invalidated by an earlier error";
    case capture_code::merge:
      return "two captures would have merged";
    case capture_code::unmatched:
      return "the capture did not begin on this stream";
    case capture_code::unjoined:
      return "a forked stream was not joined";
    case capture_code::isolation:
      return "a dependency reaches work outside the capture";
    case capture_code::implicit:
      return "the legacy stream would have become a dependency";
    case capture_code::captured_event:
      return "the event was last recorded in a capture";
    case capture_code::wrong_thread:
      return "the capture was begun by another thread";
    default:
      return "no capture error";
  }
}

constexpr std::string_view to_string(capture_mode mode) {
  switch (mode) {
    case capture_mode::global:
      return "global";
    case capture_mode::thread_local_:
      return "thread-local";
    case capture_mode::relaxed:
      return "relaxed";
  }
  return {};
}
constexpr std::string_view to_string(capture_status status) {
  switch (status) {
    case capture_status::none:
      return "none";
    case capture_status::active:
      return "active";
    case capture_status::invalidated:
      return "invalidated";
  }
  return {};
}

// The calling thread's capture mode, changed until the end of the scope. Relaxed makes an allocation legal again while
// this thread captures; it does not make it part of the graph.
class scoped_capture_mode {
 public:
  scoped_capture_mode(const capture_backend& backend, capture_mode mode) noexcept
      : backend_(&backend), other_(mode), ok_(backend.exchange_mode(backend.self, &other_) == 0) {}
  ~scoped_capture_mode() {
    if (ok_) backend_->exchange_mode(backend_->self, &other_);
  }
  scoped_capture_mode(const scoped_capture_mode&) = delete;
  scoped_capture_mode& operator=(const scoped_capture_mode&) = delete;
  bool ok() const noexcept { return ok_; }

 private:
  const capture_backend* backend_;
  capture_mode other_;
  bool ok_;
};

}  // namespace v1
}  // namespace stridelock
