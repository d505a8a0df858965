#include "stridelock/coverage.h"

#include <exception>
#include <memory>

#include "text.h"

namespace stridelock {
inline namespace v1 {
namespace {

struct string_sink {
  std::string out;
  void text(std::string_view more) { out += more; }
  void number(index_t value) { out += detail::number(value); }
};

}  // namespace

coverage_result find_coverage_fault(const dispatch_view& what, std::int64_t limit) {
  return std::make_unique<detail::coverage_search<32, 1024>>(what)->run(limit);
}

std::size_t write_text(const coverage_result& r, char* to, std::size_t capacity) noexcept {
  try {
    string_sink sink;
    detail::write_coverage(r, sink);
    return detail::copy_out(sink.out, to, capacity);
  } catch (const std::exception&) {
    if (to != nullptr && capacity > 0) to[0] = '\0';
    return 0;
  }
}

}  // namespace v1
}  // namespace stridelock
