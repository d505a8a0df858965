// libFuzzer: any bytes give a unit or an error, and what is accepted prints and reads back the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "analyzer/ir/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stridelock::ir;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto first = parse(text, "fuzz");
  if (const auto* u = std::get_if<unit>(&first)) {
    const std::string printed = print(*u);
    auto second = parse(printed, "printed");
    if (!std::holds_alternative<unit>(second) || !(std::get<unit>(second) == *u)) std::abort();
  }
  return 0;
}
