#include "analyzer/report/text.h"

#include <gtest/gtest.h>

#include "analyzer/report/test_findings.h"
#include "llvm/Support/JSON.h"

namespace stridelock::report {
namespace {

report_data reported(std::vector<finding> findings) {
  return assemble(std::move(findings), testing::no_comments(), testing::all_analysed(), {});
}

std::optional<std::string> engine_line(ir::name file, std::uint32_t line) {
  if (file == "engine/run.cpp" && line == 2) return "\tsparse(q, idx);";
  if (file == "engine/metadata.cpp" && line == 3) return "  auto idx = buffer.narrow(1, 0, k);";
  return std::nullopt;
}

TEST(Text, IsLikeTheCompilers) {
  finding f = testing::narrowed_view();
  f.where.column = 12;
  EXPECT_EQ(
      to_text(reported({testing::copy_in_capture(), f}), engine_line),
      "engine/run.cpp:2:12: error: 'idx' is not dense: its row pitch is 1024, 'extra_indices' of sparse_mla "
      "needs 256 [stridelock-narrowed-view]\n"
      "    2 |         sparse(q, idx);\n"
      "      |                   ^\n"
      "  engine/metadata.cpp:3:14: note: columns [0, k) taken here keep the pitch of 'buffer'\n"
      "      3 |   auto idx = buffer.narrow(1, 0, k);\n"
      "        |              ^\n"
      "  engine/metadata.cpp:4:3: note: stored in engine::batch::idx\n"
      "engine/run.cpp:4:9: warning: contiguous() may copy while a graph is captured "
      "[stridelock-copy-in-capture]\n"
      "stridelock: analysed 2 of 2 files, 31 functions, 0 limits hit; 1 error, 1 warning\n");
}

TEST(Text, EndsWithTheCoverageLineAlsoWithoutFindings) {
  EXPECT_EQ(to_text(reported({}), {}),
            "stridelock: analysed 2 of 2 files, 31 functions, 0 limits hit; no findings\n");
}

TEST(Text, HostileContentStaysOnItsLine) {
  const std::string text = to_text(reported({testing::hostile()}), {});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);  // message, note, coverage
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_TRUE(llvm::json::isUTF8(text));
}

TEST(Text, ExcerptOfAHostileLine) {
  finding f = testing::copy_in_capture();
  f.where.column = 4;
  const auto lines = [](ir::name, std::uint32_t) -> std::optional<std::string> {
    return "\x1b\xff\xc3\xa4x";
  };
  const std::string text = to_text(reported({f}), lines);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_TRUE(llvm::json::isUTF8(text));
}

TEST(Text, ALongLineIsShownAroundTheCaret) {
  finding f = testing::copy_in_capture();
  f.where.column = 5001;
  const auto lines = [](ir::name, std::uint32_t) -> std::optional<std::string> {
    return std::string(5000, 'a') + "b" + std::string(5000, 'a');
  };
  const std::string text = to_text(reported({f}), lines);
  const std::size_t line_start = text.find('\n') + 1;
  const std::size_t caret_start = text.find('\n', line_start) + 1;
  EXPECT_LT(caret_start - line_start, 200u);
  const std::size_t caret = text.find('^', caret_start) - caret_start;
  EXPECT_EQ(text[line_start + caret], 'b');
}

TEST(Text, AColumnBehindTheLineHasNoExcerpt) {
  finding f = testing::copy_in_capture();
  const auto lines = [](ir::name, std::uint32_t) -> std::optional<std::string> { return "short"; };
  const std::string text = to_text(reported({f}), lines);
  EXPECT_EQ(text.find('^'), std::string::npos);
  EXPECT_EQ(text.find("short"), std::string::npos);
}

}  // namespace
}  // namespace stridelock::report
