#include "tests/bad_input/tool.h"

namespace stridelock::test {
namespace {

class compile_database : public bad_input {
 protected:
  // One entry for a.cpp with `arguments` as a JSON array.
  void write_database(const std::string& arguments) const {
    folder_.write("a.cpp", clean_source);
    folder_.write("build/compile_commands.json", R"([{"directory": ")" + folder_.path().string() +
                                                     R"(", "file": "a.cpp", "arguments": )" + arguments +
                                                     "}]\n");
  }
};

TEST_F(compile_database, usable_one_is_used) {
  write_database(R"(["g++", "-std=c++20", "-c", "a.cpp"])");
  const outcome ended = stridelock({"check", "-p", "build"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
}

TEST_F(compile_database, missing) {
  folder_.write("build/readme.txt", "nothing here\n");
  expect_refusal(stridelock({"check", "-p", "build"}), {"build", "compile_commands.json"});
}

TEST_F(compile_database, missing_folder) {
  expect_refusal(stridelock({"check", "-p", "nowhere"}), {"nowhere"});
}

TEST_F(compile_database, empty_file) {
  folder_.write("build/compile_commands.json", "");
  expect_refusal(stridelock({"check", "-p", "build"}), {"compile_commands.json:1:1:"});
}

TEST_F(compile_database, empty_list) {
  folder_.write("build/compile_commands.json", "[]\n");
  expect_refusal(stridelock({"check", "-p", "build"}), {"compile_commands.json"});
}

TEST_F(compile_database, cut_off) {
  folder_.write("build/compile_commands.json", "[{\"directory\": \"/tmp\",\n  \"file\": \"a.cpp\", ");
  expect_refusal(stridelock({"check", "-p", "build"}), {"compile_commands.json:2:"});
}

TEST_F(compile_database, not_a_list) {
  folder_.write("build/compile_commands.json", "{\"file\": \"a.cpp\"}\n");
  expect_refusal(stridelock({"check", "-p", "build"}), {"compile_commands.json"});
}

TEST_F(compile_database, entry_without_a_command) {
  folder_.write("build/compile_commands.json", "[{\"directory\": \"/tmp\", \"file\": \"a.cpp\"}]\n");
  expect_refusal(stridelock({"check", "-p", "build"}), {"compile_commands.json"});
}

TEST_F(compile_database, wrong_type) {
  folder_.write("build/compile_commands.json", "[{\"directory\": 7, \"file\": [], \"arguments\": \"x\"}]\n");
  expect_refusal(stridelock({"check", "-p", "build"}), {"compile_commands.json"});
}

TEST_F(compile_database, binary) {
  folder_.write("build/compile_commands.json", std::string("\x7f"
                                                           "ELF\0\0\1\2\xff\xfe",
                                                           10));
  expect_refusal(stridelock({"check", "-p", "build"}), {"compile_commands.json"});
}

TEST_F(compile_database, a_hundred_thousand_brackets) {
  folder_.write("build/compile_commands.json", deep_list(100'000));
  expect_refusal(stridelock({"check", "-p", "build"}), {"compile_commands.json"});
}

TEST_F(compile_database, file_that_is_gone) {
  folder_.write("build/compile_commands.json",
                R"([{"directory": ")" + folder_.path().string() +
                    R"(", "file": "gone.cpp", "arguments": ["g++", "-c", "gone.cpp"]}])");
  expect_refusal(stridelock({"check", "-p", "build"}), {"gone.cpp"});
}

TEST_F(compile_database, asked_file_that_it_does_not_have) {
  write_database(R"(["g++", "-std=c++20", "-c", "a.cpp"])");
  folder_.write("b.cpp", clean_source);
  expect_refusal(stridelock({"check", "-p", "build", "b.cpp"}), {"b.cpp"});
}

TEST_F(compile_database, options_no_compiler_knows) {
  write_database(R"(["g++", "-std=c++20", "--no-such-option", "-c", "a.cpp"])");
  expect_refusal(stridelock({"check", "-p", "build"}), {"--no-such-option"});
}

TEST_F(compile_database, response_file_that_is_gone) {
  write_database(R"(["g++", "-std=c++20", "@gone.rsp", "-c", "a.cpp"])");
  expect_refusal(stridelock({"check", "-p", "build"}), {"gone.rsp"});
}

}  // namespace
}  // namespace stridelock::test
