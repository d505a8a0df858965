#include <fstream>
#include <iterator>
#include <string>

#include "tests/bad_input/tool.h"

namespace stridelock::test {
namespace {

using command_line = bad_input;

TEST_F(command_line, no_command) {
  const outcome ended = stridelock({});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_FALSE(ended.err.empty());
}

TEST_F(command_line, unknown_command) {
  expect_refusal(stridelock({"chekc"}), {"chekc"});
}

TEST_F(command_line, unknown_option) {
  folder_.write("a.cpp", clean_source);
  expect_refusal(stridelock({"check", "--fromat=json", "a.cpp", "--", "-std=c++20"}),
                 {"--fromat", "--format"});
}

TEST_F(command_line, option_without_its_value) {
  expect_refusal(stridelock({"check", "-p"}), {"-p", "value"});
}

TEST_F(command_line, unknown_format) {
  folder_.write("a.cpp", clean_source);
  expect_refusal(stridelock({"check", "--format=xml", "a.cpp", "--"}), {"--format", "xml", "json"});
}

TEST_F(command_line, unknown_threshold) {
  folder_.write("a.cpp", clean_source);
  expect_refusal(stridelock({"check", "--fail-on=sometimes", "a.cpp", "--"}), {"--fail-on", "sometimes"});
}

TEST_F(command_line, check_glob_that_matches_nothing) {
  folder_.write("a.cpp", clean_source);
  expect_refusal(stridelock({"check", "--checks=narowed-view", "a.cpp", "--"}), {"narowed-view"});
}

TEST_F(command_line, jobs_that_are_no_number) {
  folder_.write("a.cpp", clean_source);
  expect_refusal(stridelock({"check", "-j", "many", "a.cpp", "--"}), {"-j", "many"});
  expect_refusal(stridelock({"check", "-j0", "a.cpp", "--"}), {"-j", "0"});
  expect_refusal(stridelock({"check", "-j99999999999999999999", "a.cpp", "--"}), {"-j"});
}

TEST_F(command_line, no_files) {
  expect_refusal(stridelock({"check", "--", "-std=c++20"}), {});
}

TEST_F(command_line, missing_file) {
  expect_refusal(stridelock({"check", "nowhere.cpp", "--", "-std=c++20"}), {"nowhere.cpp"});
}

TEST_F(command_line, folder_instead_of_file) {
  folder_.write("inner/a.cpp", clean_source);
  expect_refusal(stridelock({"check", "inner", "--", "-std=c++20"}), {"inner"});
}

TEST_F(command_line, output_into_a_missing_folder) {
  folder_.write("a.cpp", clean_source);
  expect_refusal(stridelock({"check", "--format=json", "-o", "nowhere/out.json", "a.cpp", "--"}),
                 {"nowhere/out.json"});
}

TEST_F(command_line, output_that_is_a_folder) {
  folder_.write("a.cpp", clean_source);
  std::filesystem::create_directory(folder_.path() / "out");
  expect_refusal(stridelock({"check", "--format=json", "-o", "out", "a.cpp", "--"}), {"out"});
}

TEST_F(command_line, output_over_a_source) {
  folder_.write("a.cpp", clean_source);
  expect_refusal(stridelock({"check", "-o", "a.cpp", "a.cpp", "--", "-std=c++20"}),
                 {"a.cpp", "another output"});
  std::ifstream kept(folder_.path() / "a.cpp");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(kept), {}), clean_source);
}

TEST_F(command_line, unknown_check_to_explain) {
  expect_refusal(stridelock({"explain", "narrow-view"}), {"narrow-view", "narrowed-view"});
}

TEST_F(command_line, compiler_option_that_does_not_exist) {
  folder_.write("a.cpp", clean_source);
  expect_refusal(stridelock({"check", "a.cpp", "--", "-std=c++20", "--no-such-option"}),
                 {"--no-such-option"});
}

TEST_F(command_line, language_standard_that_does_not_exist) {
  folder_.write("a.cpp", clean_source);
  expect_refusal(stridelock({"check", "a.cpp", "--", "-std=c++99"}), {"c++99"});
}

}  // namespace
}  // namespace stridelock::test
