// Messages: the five fields in their order for every block, no address in any notation, plain characters, and a buffer that
// is too small gets the beginning of the text and no byte more than it has.
#include <charconv>
#include <memory>
#include <string>

#include "bytes.h"
#include "random_call.h"
#include "stridelock/message.h"

namespace {

using namespace stridelock;
using namespace stridelock::fuzz;

void expect_no_number(const std::string& text, std::uint64_t number) {
  for (const int base : {10, 16}) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, number, base).ptr;
    FUZZ_EXPECT(text.find(std::string(digits, end)) == std::string::npos);
  }
}

// From its headline on, every block has got, from, when and fix, each once and in this order.
void expect_blocks(const std::string& text, int least_blocks) {
  constexpr std::string_view fields[] = {"\n  got   ", "\n  from  ", "\n  when  ", "\n  fix   "};
  std::size_t at = 0;
  int blocks = 0;
  while (text.find(fields[0], at) != std::string::npos) {
    std::size_t place = text.find(fields[0], at);
    for (std::size_t f = 1; f < std::size(fields); ++f) {
      const std::size_t next = text.find(fields[f], place);
      const std::size_t other = text.find(fields[0], place + 1);
      FUZZ_EXPECT(next != std::string::npos && (other == std::string::npos || next < other));
      place = next;
    }
    at = place;
    ++blocks;
  }
  FUZZ_EXPECT(blocks >= least_blocks);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bytes in(data, size);
  const std::size_t capacity = in.number<std::uint16_t>() % 600;
  const random_dispatch dispatch = make_dispatch_from(in);
  const auto tensors = make_call_from(in);
  parameter_value parameter;
  const evaluation_context context = make_context_from(in, parameter);
  auto built = std::make_unique<random_dispatch::built>();
  dispatch.build({0, 1, 2}, *built);
  argument_value values[arguments];
  for (std::size_t i = 0; i < arguments; ++i) values[i] = tensors[i].value();
  const int count = in.below(16) == 15 ? in.below(arguments) : arguments;
  const report r = evaluate(built->what(), values, count, context);

  const std::string whole = text(r);
  FUZZ_EXPECT(!whole.empty());
  for (const char c : whole) FUZZ_EXPECT(c == '\n' || (c >= ' ' && c <= '~'));
  if (r.size() == 0) FUZZ_EXPECT(whole == "ok");
  if (r.size() > 0) expect_blocks(whole, 1);
  for (const random_tensor& t : tensors) {
    if (t.address == 0) continue;
    expect_no_number(whole, t.address);
    if (t.byte_offset != 0) expect_no_number(whole, t.address + t.byte_offset);
  }

  auto small = std::make_unique<char[]>(capacity);  // exactly that large: the sanitizer sees a byte too many
  const std::size_t length = write_text(r, small.get(), capacity);
  FUZZ_EXPECT(length == whole.size());
  if (capacity > 0) {
    const std::size_t kept = length < capacity - 1 ? length : capacity - 1;
    FUZZ_EXPECT(small[kept] == '\0' && whole.compare(0, kept, small.get(), kept) == 0);
  }
  return 0;
}
