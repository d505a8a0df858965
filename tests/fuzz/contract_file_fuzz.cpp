// The reader of contract files: a file, or one error with its place; what was read and can be written reads back the same, and is
// written the same again.
#include <memory>
#include <string_view>

#include "bytes.h"
#include "contracts/yaml/same.h"
#include "stridelock/contract_file.h"

namespace {

using namespace stridelock;

void expect_same(const contract_file& a, const contract_file& b) {
  FUZZ_EXPECT(a.library == b.library && a.size() == b.size() && a.functions.size() == b.functions.size());
  FUZZ_EXPECT(a.functions_that_ask_nothing == b.functions_that_ask_nothing);
  for (std::size_t i = 0; i < a.functions.size(); ++i)
    FUZZ_EXPECT(yaml::same_function(a.functions[i], b.functions[i]));
  for (int i = 0; i < a.size(); ++i) {
    FUZZ_EXPECT(yaml::difference(a[i], b[i]).empty() && a.is_single(i) == b.is_single(i));
    FUZZ_EXPECT(a.find(a[i].name) == &a[i]);  // each name once
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A copy of exactly that size: the sanitizer sees a character too many.
  const auto exact = std::make_unique<char[]>(size);
  std::string_view(reinterpret_cast<const char*>(data), size).copy(exact.get(), size);
  const contract_file_result read = read_contract_file({exact.get(), size}, "f.yaml");
  if (!read.ok) {
    FUZZ_EXPECT(!read.error.message.empty() && read.error.file == "f.yaml" && read.file.size() == 0);
    FUZZ_EXPECT(read.error.line <= size + 1 && read.error.column <= size + 2);
    return 0;
  }
  const contract_text written = write_contract_file(read.file);
  FUZZ_EXPECT(written.ok == written.error.empty());
  if (!written.ok) return 0;
  const contract_file_result again = read_contract_file(written.yaml, "f.yaml");
  FUZZ_EXPECT(again.ok);
  expect_same(read.file, again.file);
  const contract_text twice = write_contract_file(again.file);
  FUZZ_EXPECT(twice.ok && twice.yaml == written.yaml);
  return 0;
}
