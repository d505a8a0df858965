// Mock of tvm/ffi/error.h. What matters is the shape: a check is an `if` whose body builds a temporary, and
// the temporary's destructor never returns. The binary checks test a unique_ptr, and its *true* edge is the
// failing one.
#pragma once
#include <memory>
#include <string>

namespace tvm::ffi::detail {

class ErrorStream {
 public:
  template <typename T>
  ErrorStream& operator<<(const T& value);
};

class ErrorBuilder {
 public:
  explicit ErrorBuilder(std::string kind, const char* where, bool log_before_throw);
  [[noreturn]] ~ErrorBuilder() noexcept(false);
  ErrorStream& stream();

 private:
  std::string kind_;
  ErrorStream stream_;
};

template <typename X, typename Y>
std::unique_ptr<std::string> LogCheckFormat(const X& x, const Y& y);

#define STRIDELOCK_MOCK_COMPARISON(name, op)                                   \
  template <typename X, typename Y>                                            \
  inline std::unique_ptr<std::string> LogCheck##name(const X& x, const Y& y) { \
    if (x op y) return nullptr;                                                \
    return LogCheckFormat(x, y);                                               \
  }                                                                            \
  inline std::unique_ptr<std::string> LogCheck##name(int x, int y) {           \
    return LogCheck##name<int, int>(x, y);                                     \
  }
STRIDELOCK_MOCK_COMPARISON(_LT, <)
STRIDELOCK_MOCK_COMPARISON(_GT, >)
STRIDELOCK_MOCK_COMPARISON(_LE, <=)
STRIDELOCK_MOCK_COMPARISON(_GE, >=)
STRIDELOCK_MOCK_COMPARISON(_EQ, ==)
STRIDELOCK_MOCK_COMPARISON(_NE, !=)
#undef STRIDELOCK_MOCK_COMPARISON

}  // namespace tvm::ffi::detail

#define TVM_FFI_PREDICT_FALSE(x) (__builtin_expect(static_cast<bool>(x), 0))
#define TVM_FFI_THROW(ErrorKind) ::tvm::ffi::detail::ErrorBuilder(#ErrorKind, __FILE__, false).stream()

#define TVM_FFI_CHECK(cond, ErrorKind) \
  if (TVM_FFI_PREDICT_FALSE(!(cond))) TVM_FFI_THROW(ErrorKind) << "Check failed: (" #cond << ") is false: "

#define TVM_FFI_CHECK_BINARY_OP(name, op, x, y, ErrorKind)               \
  if (auto __tvm_ffi_log_err = ::tvm::ffi::detail::LogCheck##name(x, y)) \
  TVM_FFI_THROW(ErrorKind) << "Check failed: " << #x " " #op " " #y << *__tvm_ffi_log_err << ": "

#define TVM_FFI_ICHECK(x) TVM_FFI_CHECK(x, InternalError)
#define TVM_FFI_ICHECK_LT(x, y) TVM_FFI_CHECK_BINARY_OP(_LT, <, x, y, InternalError)
#define TVM_FFI_ICHECK_GT(x, y) TVM_FFI_CHECK_BINARY_OP(_GT, >, x, y, InternalError)
#define TVM_FFI_ICHECK_LE(x, y) TVM_FFI_CHECK_BINARY_OP(_LE, <=, x, y, InternalError)
#define TVM_FFI_ICHECK_GE(x, y) TVM_FFI_CHECK_BINARY_OP(_GE, >=, x, y, InternalError)
#define TVM_FFI_ICHECK_EQ(x, y) TVM_FFI_CHECK_BINARY_OP(_EQ, ==, x, y, InternalError)
#define TVM_FFI_ICHECK_NE(x, y) TVM_FFI_CHECK_BINARY_OP(_NE, !=, x, y, InternalError)
#ifndef NDEBUG
#define TVM_FFI_DCHECK(x) TVM_FFI_ICHECK(x)
#else
#define TVM_FFI_DCHECK(x) \
  while (false) TVM_FFI_ICHECK(x)
#endif
