#include "analyzer/report/utf8.h"

#include <gtest/gtest.h>

#include "llvm/Support/JSON.h"

namespace stridelock::report {
namespace {

TEST(Utf8, ValidTextIsUnchanged) {
  EXPECT_EQ(valid_utf8("zwölf 張量 🙂"), "zwölf 張量 🙂");
  EXPECT_EQ(valid_utf8(""), "");
}

TEST(Utf8, EveryByteSequenceBecomesValid) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string bytes = {static_cast<char>(a), static_cast<char>(b)};
      EXPECT_TRUE(llvm::json::isUTF8(valid_utf8(bytes))) << a << ' ' << b;
      EXPECT_TRUE(llvm::json::isUTF8(printable(bytes))) << a << ' ' << b;
    }
  }
}

TEST(Utf8, PrintableHoldsNoControlCharacter) {
  EXPECT_EQ(printable("a\nb\tc\rd\x1b[0m\x7f"), "a\\nb\\tc\\x0dd\\x1b[0m\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\x9b31m");  // the one-character form of ESC [
  EXPECT_EQ(printable("\xc2\xa0"), "\xc2\xa0");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Utf8, ColumnsCountCodePoints) {
  EXPECT_EQ(code_point_column("äb c", 1), 1u);
  EXPECT_EQ(code_point_column("äb c", 3), 2u);  // 'ä' is two bytes
  EXPECT_EQ(code_point_column("äb c", 4), 3u);
  EXPECT_EQ(code_point_column("ab", 0), 0u);
  EXPECT_EQ(code_point_column("ab", 9), 9u);  // behind the end: the distance stays
}

}  // namespace
}  // namespace stridelock::report
