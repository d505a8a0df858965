// failure.h: what happens when a boundary refuses a call. By default one exception; per thread, anything else.
//
// Promises:  one exception type for the whole library, of default visibility, so that it can be caught across shared
//            libraries; its what() is the full message. A hook applies to the thread that set it, until its scope ends.
// Does not:  print, abort or exit. A hook that returns lets the call go on: that is report-only operation, and code built
//            without exceptions must install a hook.
//
//   try { require<sparse_mla>(q, indices); } catch (const contract_violation& e) { log(e.what()); }
//
//   const scoped_failure_hook count([](const report& r, void* n) { ++*static_cast<int*>(n); }, &violations);
#pragma once

#include <exception>

#include "stridelock/report.h"

#if defined(_WIN32)
#define STRIDELOCK_PUBLIC
#else
#define STRIDELOCK_PUBLIC __attribute__((visibility("default")))
#endif

namespace stridelock {
inline namespace v1 {

class STRIDELOCK_PUBLIC contract_violation : public std::exception {
 public:
  explicit contract_violation(report what);
  contract_violation(const contract_violation&) noexcept;
  contract_violation& operator=(const contract_violation&) noexcept;
  ~contract_violation() override;

  const char* what() const noexcept override;
  const report& violations() const noexcept;

 private:
  struct content;  // shared by all copies
  content* content_ = nullptr;
};

using failure_hook = void (*)(const report& what, void* state);

class scoped_failure_hook {
 public:
  explicit scoped_failure_hook(failure_hook hook, void* state = nullptr) noexcept;
  ~scoped_failure_hook();
  scoped_failure_hook(const scoped_failure_hook&) = delete;
  scoped_failure_hook& operator=(const scoped_failure_hook&) = delete;

 private:
  friend void fail(report&& what);
  failure_hook hook_ = nullptr;
  void* state_ = nullptr;
  const scoped_failure_hook* outer_ = nullptr;
};

// Hands a report to this thread's hook, or throws contract_violation. Cold, never inlined.
void fail(report&& what);

}  // namespace v1
}  // namespace stridelock
