// A ladder in the manner of PyTorch extensions: contiguity is a stored answer, and the message is put together out of line.
#include <sstream>
#include <stdexcept>
#include <string>

#include "boundary_forms.h"

namespace stridelock::benchmarks {
namespace {

template <class... T>
std::string text_of(const T&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}
[[noreturn]] __attribute__((noinline)) void refuse_with(const char* function, const char* file, int line,
                                                        const std::string& message) {
  throw std::runtime_error(text_of(message, " (", function, " at ", file, ':', line, ')'));
}

#define LADDER_CHECK(condition, ...)     \
  if (__builtin_expect(!(condition), 0)) \
  refuse_with(__func__, __FILE__, __LINE__, text_of("expected " #condition ": ", __VA_ARGS__))

}  // namespace

void torch_style_ladder(const plain_tensor& a, const plain_tensor& b, const plain_tensor& c) {
  LADDER_CHECK(a.device_type == 2, "a must be a CUDA tensor, got ", a.device_type);
  LADDER_CHECK(b.device_type == 2, "b must be a CUDA tensor, got ", b.device_type);
  LADDER_CHECK(c.device_type == 2, "c must be a CUDA tensor, got ", c.device_type);
  LADDER_CHECK(a.device_id == b.device_id && a.device_id == c.device_id, "all tensors must be on one device");
  LADDER_CHECK(a.code == 4 && a.bits == 16 && a.lanes == 1, "a must be bfloat16, got ", int{a.code});
  LADDER_CHECK(b.code == 4 && b.bits == 16 && b.lanes == 1, "b must be bfloat16, got ", int{b.code});
  LADDER_CHECK(c.code == 4 && c.bits == 16 && c.lanes == 1, "c must be bfloat16, got ", int{c.code});
  LADDER_CHECK(a.rank == 2, "a must be a matrix, got rank ", a.rank);
  LADDER_CHECK(b.rank == 2, "b must be a matrix, got rank ", b.rank);
  LADDER_CHECK(c.rank == 2, "c must be a matrix, got rank ", c.rank);
  LADDER_CHECK(a.shape[1] == b.shape[1], "inner extents differ: ", a.shape[1], " and ", b.shape[1]);
  LADDER_CHECK(a.shape[0] == c.shape[0], "rows of a and c differ: ", a.shape[0], " and ", c.shape[0]);
  LADDER_CHECK(b.shape[0] == c.shape[1], "rows of b and columns of c differ: ", b.shape[0], " and ",
               c.shape[1]);
  LADDER_CHECK(a.strides[1] == 1, "the rows of a must be dense, stride ", a.strides[1]);
  LADDER_CHECK(a.shape[0] == 1 || a.strides[0] >= a.shape[1], "the rows of a overlap, stride ", a.strides[0]);
  LADDER_CHECK(b.is_contiguous, "b must be contiguous");
  LADDER_CHECK(c.is_contiguous, "c must be contiguous");
  LADDER_CHECK((reinterpret_cast<std::uintptr_t>(a.data) + a.byte_offset) % 16 == 0, "a must be aligned");
  LADDER_CHECK((reinterpret_cast<std::uintptr_t>(b.data) + b.byte_offset) % 16 == 0, "b must be aligned");
  LADDER_CHECK((reinterpret_cast<std::uintptr_t>(c.data) + c.byte_offset) % 16 == 0, "c must be aligned");
}

}  // namespace stridelock::benchmarks
