// Mock of c10/util/Exception.h: the check macros with the control flow of the real ones. The failing branch
// ends in a call of a function that never returns; the condition passes through a cast and __builtin_expect.
#pragma once
#include <cstdint>
#include <string>

namespace c10::detail {

[[noreturn]] void torchCheckFail(const char* func, const char* file, std::uint32_t line,
                                 const std::string& msg);
[[noreturn]] void torchCheckFail(const char* func, const char* file, std::uint32_t line, const char* msg);
[[noreturn]] void torchInternalAssertFail(const char* func, const char* file, std::uint32_t line,
                                          const char* condMsg, const std::string& userMsg);

const char* torchCheckMsgImpl(const char* msg);
const char* torchCheckMsgImpl(const char* msg, const char* args);
template <typename... Args>
std::string torchCheckMsgImpl(const char* msg, const Args&... args);

}  // namespace c10::detail

#define C10_LIKELY(expr) (__builtin_expect(static_cast<bool>(expr), 1))
#define C10_UNLIKELY(expr) (__builtin_expect(static_cast<bool>(expr), 0))
#define C10_UNLIKELY_OR_CONST(e) C10_UNLIKELY(e)

#define TORCH_CHECK_MSG(cond, type, ...) \
  (::c10::detail::torchCheckMsgImpl("Expected " #cond " to be true." __VA_OPT__(, ) __VA_ARGS__))

#define TORCH_CHECK(cond, ...)                                                              \
  if (C10_UNLIKELY_OR_CONST(!(cond))) {                                                     \
    ::c10::detail::torchCheckFail(__func__, __FILE__, static_cast<std::uint32_t>(__LINE__), \
                                  TORCH_CHECK_MSG(cond, "" __VA_OPT__(, ) __VA_ARGS__));    \
  }

#define TORCH_INTERNAL_ASSERT(cond, ...)                                                                    \
  if (C10_UNLIKELY_OR_CONST(!(cond))) {                                                                     \
    ::c10::detail::torchInternalAssertFail(__func__, __FILE__, static_cast<std::uint32_t>(__LINE__), #cond, \
                                           TORCH_CHECK_MSG(cond, "" __VA_OPT__(, ) __VA_ARGS__));           \
  }

// Debug only: without NDEBUG it is TORCH_INTERNAL_ASSERT, with it the condition is parsed and never run.
#ifdef NDEBUG
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) \
  while (false) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#else
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#endif
