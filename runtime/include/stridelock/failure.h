// failure.h: what happens when a boundary refuses a call. By default one exception; in a scope of a thread, for one device
// or for all, or in one evaluation_context, anything else.
//
// Promises:  one exception type for the whole library, of default visibility, so that it can be caught across shared
//            libraries, also where each has its own copy of this one; its what() is the full message. A hook applies to
//            the thread that set it and to calls on its device, until its scope ends; scopes nest, the innermost that
//            fits counts. A hook in the context comes before all of them.
//            Built with -fno-exceptions, boundaries never throw: the hook is called if there is one, and either way the
//            boundary returns false, which the compiler does not let the caller ignore.
// Does not:  print, abort or exit. A hook that returns lets the call go on: that is report-only operation. A hook may end
//            the process, or throw where the code around the boundary was built with exceptions.
//
//   try { require<sparse_mla>(q, indices); } catch (const contract_violation& e) { log(e.what()); }
//
//   const scoped_failure_hook count([](const report& r, void* n) { ++*static_cast<int*>(n); }, &violations);
//
//   if (!require<sparse_mla>(q, indices)) return status::refused;      // built without exceptions
#pragma once

#include <exception>
#include <utility>

#include "stridelock/capability.h"
#include "stridelock/evaluate.h"
#include "stridelock/report.h"
#include "stridelock/visibility.h"

// Boundaries built with and without exceptions are different functions, so that both kinds of object files can be
// linked into one program.
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS) || defined(_CPPUNWIND)
#define STRIDELOCK_BOUNDARY_NAMESPACE boundaries_throw
#define STRIDELOCK_BOUNDARY_RESULT
#else
#define STRIDELOCK_BOUNDARY_NAMESPACE boundaries_return
#define STRIDELOCK_BOUNDARY_RESULT [[nodiscard]]
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

class scoped_failure_hook {
 public:
  explicit scoped_failure_hook(failure_hook hook, void* state = nullptr,
                               std::int32_t device_ordinal = every_device) noexcept;
  ~scoped_failure_hook();
  scoped_failure_hook(const scoped_failure_hook&) = delete;
  scoped_failure_hook& operator=(const scoped_failure_hook&) = delete;

 private:
  friend evaluation_context context_of_this_thread(std::int32_t device_ordinal) noexcept;
  failure_hook hook_ = nullptr;
  void* state_ = nullptr;
  std::int32_t ordinal_ = every_device;
  const scoped_failure_hook* outer_ = nullptr;
};

// What the scopes of this thread say about that device, capability and hook, as a context for a worker. The hook's state
// must outlive the worker's calls, and the hook must be fit to run there.
evaluation_context context_of_this_thread(std::int32_t device_ordinal = every_device) noexcept;

// Hands a report to the hook that applies to it. False if there is none.
bool hand_to_hook(const report& what, const evaluation_context& context = {});

// Hands a report to the hook that applies to it, or throws contract_violation. Cold, never inlined.
void fail(report&& what);
void fail(report&& what, const evaluation_context& context);

inline namespace STRIDELOCK_BOUNDARY_NAMESPACE {

// What a boundary does with a report that is not ok, in code built with or without exceptions.
inline void refuse(report&& what, const evaluation_context& context = {}) {
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS) || defined(_CPPUNWIND)
  fail(std::move(what), context);
#else
  const report refused = std::move(what);
  hand_to_hook(refused, context);
#endif
}

}  // namespace STRIDELOCK_BOUNDARY_NAMESPACE

}  // namespace v1
}  // namespace stridelock
