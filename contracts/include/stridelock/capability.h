// capability.h: compute capability, and pretending another one in a scope so that both sides of an architecture branch
// can be tested on any machine.
//
// Promises:  an override is seen by the thread that made it and by no other, for one device or for all, until its scope
//            ends; scopes nest.
// Does not:  ask a driver. Threads do not inherit overrides: pass an evaluation_context explicitly to workers.
//
//   const scoped_capability pretend({12, 0});      // this thread, every device
//   check<sparse_mla>(…);                          // takes the branch for 12.0
#pragma once

#include <cstdint>

namespace stridelock {
inline namespace v1 {

// Major and minor together: 12.0 and 12.1 differ in practice.
struct capability {
  std::int32_t major = 0;
  std::int32_t minor = 0;

  constexpr bool known() const { return major > 0; }
  friend constexpr bool operator==(capability a, capability b) {
    return a.major == b.major && a.minor == b.minor;
  }
  friend constexpr bool operator!=(capability a, capability b) { return !(a == b); }
  friend constexpr bool operator<(capability a, capability b) {
    return a.major != b.major ? a.major < b.major : a.minor < b.minor;
  }
};

inline constexpr std::int32_t every_device = -1;

class scoped_capability {
 public:
  explicit scoped_capability(capability pretended, std::int32_t device_ordinal = every_device) noexcept;
  ~scoped_capability();
  scoped_capability(const scoped_capability&) = delete;
  scoped_capability& operator=(const scoped_capability&) = delete;

 private:
  friend capability overridden_capability(std::int32_t device_ordinal) noexcept;
  capability pretended_{};
  std::int32_t ordinal_ = every_device;
  const scoped_capability* outer_ = nullptr;
};

// The innermost override of this thread for that device; not known() if there is none.
capability overridden_capability(std::int32_t device_ordinal) noexcept;

}  // namespace v1
}  // namespace stridelock
