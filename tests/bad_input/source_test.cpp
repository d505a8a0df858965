#include <fstream>

#include "tests/bad_input/tool.h"
#include "tests/support/findings.h"

namespace stridelock::test {
namespace {

class source : public bad_input {
 protected:
  // A launcher that declares its pointer dense, and one call that passes columns.
  static std::string with_finding() {
    return "#include <ATen/ATen.h>\n"
           "#include <launch.h>\n"
           "void run(const at::Tensor& x, float* out) {\n"
           "  auto y = x.narrow(1, 0, 128);\n"
           "  launch_norm(y.data_ptr<float>(), out, y.numel());\n"
           "}\n";
  }
  std::vector<std::string> check(std::vector<std::string> files) const {
    std::vector<std::string> all = {"check", "--format=json", "--fail-on=never", "--checks=narrowed-view"};
    all.insert(all.end(), files.begin(), files.end());
    all.insert(all.end(), {"--", "-std=c++20", "-isystem", STRIDELOCK_HEADERS, "-isystem", STRIDELOCK_MOCKS});
    return all;
  }
};

TEST_F(source, one_that_does_not_parse_leaves_the_findings_of_the_others) {
  folder_.write("good.cpp", with_finding());
  folder_.write("broken.cpp", "#include \"no_such_header.h\"\nvoid f( {\n");
  const outcome ended = stridelock(check({"good.cpp", "broken.cpp"}));
  expect_refusal(ended, {"broken.cpp:1:", "no_such_header.h"});
  std::string error;
  const auto found = read_findings(ended.out, error);
  ASSERT_TRUE(found) << error << ended.out;
  ASSERT_EQ(found->findings.size(), 1U) << ended.out;
  EXPECT_EQ(found->findings[0].line, 5U);
}

TEST_F(source, errors_in_one_function_leave_the_findings_of_the_rest) {
  folder_.write("mixed.cpp", with_finding() + "void g() { no_such_function(); }\n");
  const outcome ended = stridelock(check({"mixed.cpp"}));
  expect_refusal(ended, {"mixed.cpp:7:"});
  std::string error;
  const auto found = read_findings(ended.out, error);
  ASSERT_TRUE(found) << error << ended.out;
  EXPECT_EQ(found->findings.size(), 1U) << ended.out;
}

TEST_F(source, a_listed_file_with_a_reason_is_no_failure) {
  folder_.write("good.cpp", with_finding());
  folder_.write("broken.cpp", "#include \"no_such_header.h\"\n");
  folder_.write(".stridelock.yaml",
                "unparsed:\n  - {file: broken.cpp, reason: its header is generated elsewhere}\n");
  const outcome ended = stridelock(check({"good.cpp", "broken.cpp"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
}

TEST_F(source, unreadable) {
  const auto file = folder_.write("secret.cpp", clean_source);
  std::filesystem::permissions(file, std::filesystem::perms::none);
  if (std::ifstream(file).good()) GTEST_SKIP() << "this user may read everything";
  expect_refusal(stridelock(check({"secret.cpp"})), {"secret.cpp"});
}

TEST_F(source, empty_file_is_analysed) {
  folder_.write("empty.cpp", "");
  const outcome ended = stridelock(check({"empty.cpp"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
}

TEST_F(source, binary) {
  folder_.write("binary.cpp", std::string("\x7f"
                                          "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0\x3e\0",
                                          20));
  expect_refusal(stridelock(check({"binary.cpp"})), {"binary.cpp"});
}

TEST_F(source, a_hundred_thousand_brackets) {
  folder_.write("deep.cpp", "int x = " + std::string(100'000, '(') + "0" + std::string(100'000, ')') + ";\n");
  expect_refusal(stridelock(check({"deep.cpp"})), {"deep.cpp"});
}

TEST_F(source, includes_itself) {
  folder_.write("self.cpp", "#include \"self.cpp\"\n");
  expect_refusal(stridelock(check({"self.cpp"})), {"self.cpp"});
}

TEST_F(source, error_directive) {
  folder_.write("refuses.cpp", "#error \"wrong platform\"\n");
  expect_refusal(stridelock(check({"refuses.cpp"})), {"refuses.cpp:1:", "wrong platform"});
}

}  // namespace
}  // namespace stridelock::test
