#include "analyzer/extract/compile_database.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace stridelock::extract {
namespace {

compile_database parse(std::string_view text) {
  return parse_compile_database(text, "/b/compile_commands.json");
}

TEST(compile_database, reads_arguments_and_command) {
  const compile_database database = parse(R"([
    {"directory": "/b", "file": "a.cpp", "arguments": ["g++", "-DX=\"y z\"", "a.cpp"], "output": "a.o"},
    {"directory": "sub", "file": "/s/b.cpp", "command": "g++ '-DX=\"y z\"' -I/a\\ b b.cpp"}
  ])");
  EXPECT_EQ(database.error, "");
  ASSERT_EQ(database.commands.size(), 2U);
  EXPECT_EQ(database.commands[0], (compile_command{"/b", "a.cpp", {"g++", "-DX=\"y z\"", "a.cpp"}}));
  EXPECT_EQ(database.commands[1],
            (compile_command{"/b/sub", "/s/b.cpp", {"g++", "-DX=\"y z\"", "-I/a b", "b.cpp"}}));
}

TEST(compile_database, keeps_order_and_repeated_files) {
  const compile_database database = parse(R"([{"directory":"/","file":"a.cpp","command":"c++ -O0 a.cpp"},
                                              {"directory":"/","file":"a.cpp","command":"c++ -O3 a.cpp"}])");
  ASSERT_EQ(database.commands.size(), 2U);
  EXPECT_EQ(database.commands[0].arguments[1], "-O0");
  EXPECT_EQ(database.commands[1].arguments[1], "-O3");
}

TEST(compile_database, an_empty_list_is_no_error) {
  EXPECT_EQ(parse("[]").error, "");
  EXPECT_TRUE(parse("[]").commands.empty());
}

TEST(compile_database, says_where_it_is_malformed) {
  EXPECT_TRUE(
      parse("[\n  {\"file\": }\n]").error.starts_with("/b/compile_commands.json:2:12: not valid JSON: "))
      << parse("[\n  {\"file\": }\n]").error;
  EXPECT_TRUE(parse("").error.starts_with("/b/compile_commands.json:1:1: not valid JSON: "))
      << parse("").error;
  EXPECT_EQ(parse("{}").error, "/b/compile_commands.json:1:1: expected a list of compile commands");
  EXPECT_FALSE(parse("[\"\xff\xfe\"]").error.empty());
}

TEST(compile_database, an_entry_without_file_is_named_by_its_line) {
  EXPECT_EQ(
      parse("[\n {\"file\":\"a.c\",\"command\":\"cc a.c\"},\n {\"directory\": \"/b\"}]").error,
      "/b/compile_commands.json:3:2: the entry has no \"file\": a string with the path of the source file is "
      "needed");
  EXPECT_EQ(parse(R"([{"file": "a.cpp"}])").error,
            "/b/compile_commands.json:1:2: the entry of 'a.cpp' has neither \"command\" nor \"arguments\"");
  EXPECT_EQ(parse(R"([{"file": "a.cpp", "command": " "}])").error,
            "/b/compile_commands.json:1:2: the command of 'a.cpp' is empty");
  EXPECT_EQ(parse(R"([{"file": "a.cpp", "arguments": [1]}])").error,
            "/b/compile_commands.json:1:2: \"arguments\" of 'a.cpp' holds something that is no string");
  EXPECT_EQ(
      parse("[3]").error,
      "/b/compile_commands.json:1:1: expected an object with \"file\", \"directory\" and \"command\" or "
      "\"arguments\"");
}

TEST(compile_database, deep_nesting_is_refused_before_it_is_parsed) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(parse(deep).error, "/b/compile_commands.json:1:9: nested deeper than a compile database can be");
  EXPECT_EQ(parse("[{\"file\":\"[[[[[[[[[[[[\",\"command\":\"cc\"}]").error, "");
}

TEST(compile_database, a_missing_file_says_what_to_do) {
  const compile_database database = read_compile_database("/nonexistent-folder");
  EXPECT_EQ(database.error,
            "/nonexistent-folder: no compile database here; with CMake, configure with "
            "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON");
}

TEST(compile_database, a_folder_means_the_file_in_it) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "stridelock_database_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "compile_commands.json") << R"([{"file":"a.c","command":"cc a.c"}])";
  const compile_database database = read_compile_database(folder.string());
  EXPECT_EQ(database.error, "");
  ASSERT_EQ(database.commands.size(), 1U);
  EXPECT_EQ(database.commands[0].directory, folder.string());
  std::filesystem::remove_all(folder);
}

TEST(compile_database, splits_like_a_shell) {
  EXPECT_EQ(split_command_line(R"(a 'b c' "d\"e" f\ g)"),
            (std::vector<std::string>{"a", "b c", "d\"e", "f g"}));
}

}  // namespace
}  // namespace stridelock::extract
