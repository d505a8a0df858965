// A ladder in the manner of TVM-FFI extensions: a non-owning view with accessors that look at rank and strides each time,
// and macros that build the message with a stream in place.
#include <sstream>
#include <stdexcept>
#include <string>

#include "boundary_forms.h"

namespace stridelock::benchmarks {
namespace {

class failure {
 public:
  failure(const char* file, int line, const char* condition) {
    stream_ << file << ':' << line << ": check failed: " << condition << ": ";
  }
  std::ostringstream& stream() { return stream_; }
  [[noreturn]] ~failure() noexcept(false) { throw std::runtime_error(stream_.str()); }

 private:
  std::ostringstream stream_;
};

template <class A, class B>
std::string both(const A& a, const B& b) {
  std::ostringstream text;
  text << " (" << a << " vs. " << b << ") ";
  return text.str();
}

#define LADDER_CHECK(condition) \
  if (!(condition)) failure(__FILE__, __LINE__, #condition).stream()
#define LADDER_CHECK_EQ(x, y)     \
  if (const auto& x_ = (x); true) \
    if (const auto& y_ = (y); !(x_ == y_)) failure(__FILE__, __LINE__, #x " == " #y).stream() << both(x_, y_)

class tensor_view {
 public:
  explicit tensor_view(const plain_tensor& t) : t_(&t) {}
  int ndim() const { return t_->rank; }
  std::int64_t size(std::int64_t i) const { return t_->shape[wrapped(i)]; }
  std::int64_t stride(std::int64_t i) const { return t_->strides[wrapped(i)]; }
  bool is_contiguous() const {
    if (t_->strides == nullptr) return true;
    std::int64_t expected = 1;
    for (int i = t_->rank - 1; i >= 0; --i) {
      if (t_->shape[i] == 0) return true;
      if (t_->shape[i] != 1 && t_->strides[i] != expected) return false;
      expected *= t_->shape[i];
    }
    return true;
  }
  const plain_tensor& get() const { return *t_; }

 private:
  std::int64_t wrapped(std::int64_t i) const {
    const std::int64_t at = i < 0 ? i + t_->rank : i;
    if (at < 0 || at >= t_->rank) failure(__FILE__, __LINE__, "index in range").stream() << "index " << i;
    return at;
  }
  const plain_tensor* t_;
};

}  // namespace

void tvm_style_ladder(const plain_tensor& ta, const plain_tensor& tb, const plain_tensor& tc) {
  const tensor_view a(ta), b(tb), c(tc);
  LADDER_CHECK_EQ(a.ndim(), 2) << "a must be a matrix";
  LADDER_CHECK_EQ(b.ndim(), 2) << "b must be a matrix";
  LADDER_CHECK_EQ(c.ndim(), 2) << "c must be a matrix";
  LADDER_CHECK(ta.code == 4 && ta.bits == 16 && ta.lanes == 1) << "a must be bfloat16";
  LADDER_CHECK(tb.code == 4 && tb.bits == 16 && tb.lanes == 1) << "b must be bfloat16";
  LADDER_CHECK(tc.code == 4 && tc.bits == 16 && tc.lanes == 1) << "c must be bfloat16";
  LADDER_CHECK_EQ(ta.device_type, 2) << "a must be a CUDA tensor";
  LADDER_CHECK_EQ(tb.device_type, 2) << "b must be a CUDA tensor";
  LADDER_CHECK_EQ(tc.device_type, 2) << "c must be a CUDA tensor";
  LADDER_CHECK_EQ(ta.device_id, tb.device_id) << "a and b must be on one device";
  LADDER_CHECK_EQ(ta.device_id, tc.device_id) << "a and c must be on one device";
  LADDER_CHECK_EQ(a.size(1), b.size(1)) << "inner extents differ";
  LADDER_CHECK_EQ(a.size(0), c.size(0)) << "rows of a and c differ";
  LADDER_CHECK_EQ(b.size(0), c.size(1)) << "rows of b and columns of c differ";
  LADDER_CHECK_EQ(a.stride(1), 1) << "the rows of a must be dense";
  LADDER_CHECK(a.size(0) == 1 || a.stride(0) >= a.size(1)) << "the rows of a overlap";
  LADDER_CHECK(b.is_contiguous()) << "b must be contiguous";
  LADDER_CHECK(c.is_contiguous()) << "c must be contiguous";
  LADDER_CHECK((reinterpret_cast<std::uintptr_t>(ta.data) + ta.byte_offset) % 16 == 0) << "a must be aligned";
  LADDER_CHECK((reinterpret_cast<std::uintptr_t>(tb.data) + tb.byte_offset) % 16 == 0) << "b must be aligned";
  LADDER_CHECK((reinterpret_cast<std::uintptr_t>(tc.data) + tc.byte_offset) % 16 == 0) << "c must be aligned";
}

}  // namespace stridelock::benchmarks
