// The reader of STRIDELOCK_REQUIRES: a value, or an error whose place lies in the text; and a value can be judged.
#include <memory>
#include <string_view>

#include "bytes.h"
#include "random_call.h"
#include "stridelock/message.h"
#include "stridelock/requirement_text.h"

namespace {

using namespace stridelock;
using namespace stridelock::fuzz;

constexpr std::string_view words[] = {"contiguous",
                                      "int32",
                                      "rank ",
                                      "2",
                                      "|",
                                      ";",
                                      " ",
                                      "aligned ",
                                      "aligned_rows ",
                                      "16",
                                      "suffix_dense ",
                                      "index_bits ",
                                      "unchecked",
                                      "optional",
                                      "output",
                                      "stable",
                                      "row_pitched",
                                      "float8_e4m3fn",
                                      "bfloat16",
                                      "canonical",
                                      "0",
                                      "99999999999"};

// Either the bytes themselves, or words of the grammar in the order that the bytes say.
std::string make_text(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return {};
  if (data[0] % 2 == 0) return {reinterpret_cast<const char*>(data) + 1, size - 1};
  std::string text;
  for (std::size_t i = 1; i < size && i < 64; ++i) text += words[data[i] % std::size(words)];
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string whole = make_text(data, size);
  // A copy of exactly that size: the sanitizer sees a character too many.
  const auto exact = std::make_unique<char[]>(whole.size());
  whole.copy(exact.get(), whole.size());
  const std::string_view text(exact.get(), whole.size());

  const requirement_text_result r = parse_requirement_text(text);
  const requirement_text_result again = parse_requirement_text(text);
  FUZZ_EXPECT(r.ok == again.ok && r.error == again.error && r.position == again.position && r.at == again.at);
  if (!r.ok) {
    FUZZ_EXPECT(!r.error.empty() && r.position <= text.size() && r.position + r.at.size() <= text.size());
    FUZZ_EXPECT(text.substr(r.position, r.at.size()) == r.at);
    return 0;
  }
  FUZZ_EXPECT(r.error.empty());
  argument a = r.value;
  a.name = "x";
  const auto one = make_contract("annotated", a);
  const index_t extents[] = {4, 8}, strides[] = {16, 1};
  const argument_value value(tensor_ref{nullptr, types::int32, 2, {device_kind::cuda, 0}, extents, strides});
  const report judged = evaluate(one.view(), &value, 1);
  FUZZ_EXPECT(!judged.ok() && !stridelock::text(judged).empty());  // null data
  return 0;
}
