// Models, contracts and the configuration: every way a YAML file can be wrong, for each of the three.
#include <array>

#include "tests/bad_input/tool.h"

namespace stridelock::test {
namespace {

struct data_file {
  const char* name;    // of the test
  const char* option;  // that reads it
};

class data_files : public bad_input, public ::testing::WithParamInterface<data_file> {
 protected:
  outcome check_with(std::string_view text) const {
    folder_.write("a.cpp", clean_source);
    folder_.write("data.yaml", text);
    return stridelock({"check", std::string(GetParam().option) + "=data.yaml", "--format=json", "-o",
                       "out.json", "a.cpp", "--", "-std=c++20"});
  }
  void expect_refused(std::string_view text, std::initializer_list<std::string> parts) const {
    expect_refusal(check_with(text), parts);
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out.json"))
        << "a partial output file was left behind";
  }
};

TEST_P(data_files, missing) {
  folder_.write("a.cpp", clean_source);
  expect_refusal(stridelock({"check", std::string(GetParam().option) + "=gone.yaml", "a.cpp", "--"}),
                 {"gone.yaml"});
}

TEST_P(data_files, folder) {
  folder_.write("a.cpp", clean_source);
  std::filesystem::create_directory(folder_.path() / "folder.yaml");
  expect_refusal(stridelock({"check", std::string(GetParam().option) + "=folder.yaml", "a.cpp", "--"}),
                 {"folder.yaml"});
}

TEST_P(data_files, unknown_key) {
  expect_refused("no-such-key: 1\n", {"data.yaml:1:1:", "no-such-key"});
}

TEST_P(data_files, unknown_key_further_down) {
  expect_refused("# a comment\n\nno-such-key: {a: 1}\n", {"data.yaml:3:1:", "no-such-key"});
}

TEST_P(data_files, scalar_at_the_top) {
  expect_refused("42\n", {"data.yaml:1:1:"});
}

TEST_P(data_files, not_closed) {
  expect_refused("a: [1, 2\nb: 3\n", {"data.yaml:"});
}

TEST_P(data_files, tab_as_indentation) {
  expect_refused("a:\n\tb: 1\n", {"data.yaml:"});
}

TEST_P(data_files, binary) {
  expect_refused(std::string_view("\x7f"
                                  "ELF\0\0\xff\xfe\0\0",
                                  10),
                 {"data.yaml:"});
}

TEST_P(data_files, a_hundred_thousand_brackets) {
  expect_refused(deep_list(100'000), {"data.yaml:1:"});
}

TEST_P(data_files, a_hundred_thousand_levels_of_maps) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "{a: ";
  expect_refused(text, {"data.yaml:1:"});
}

TEST_P(data_files, aliases_that_multiply) {
  std::string text = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c <= 'k'; ++c) {
    const char before = static_cast<char>(c - 1);
    text += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) text += std::string(i == 0 ? "" : ", ") + "*" + before;
    text += "]\n";
  }
  expect_refused(text, {"data.yaml:"});
}

INSTANTIATE_TEST_SUITE_P(each, data_files,
                         ::testing::Values(data_file{"models", "--models"},
                                           data_file{"contracts", "--contracts"},
                                           data_file{"config", "--config"}),
                         [](const auto& info) { return std::string(info.param.name); });

using config = bad_input;

TEST_F(config, values_of_the_wrong_kind) {
  folder_.write("a.cpp", clean_source);
  const std::array<std::pair<const char*, const char*>, 5> cases = {{
      {"models: {a: b}\n", "1:9:"},
      {"fail-on: sometimes\n", "1:10:"},
      {"unparsed: [a.cpp]\n", "1:12:"},
      {"unparsed:\n  - {file: a.cpp}\n", "2:5:"},
      {"checks: {a: 1}\n", "1:9:"},
  }};
  for (const auto& [text, where] : cases) {
    folder_.write("data.yaml", text);
    SCOPED_TRACE(text);
    expect_refusal(stridelock({"check", "--config=data.yaml", "a.cpp", "--"}),
                   {std::string("data.yaml:") + where});
  }
}

TEST_F(config, nearest_upward_is_read) {
  folder_.write(".stridelock.yaml", "no-such-key: 1\n");
  folder_.write("deep/down/a.cpp", clean_source);
  expect_refusal(stridelock({"check", "deep/down/a.cpp", "--"}), {".stridelock.yaml:1:1:", "no-such-key"});
}

TEST_F(config, empty_file_is_no_configuration) {
  folder_.write("a.cpp", clean_source);
  folder_.write(".stridelock.yaml", "");
  EXPECT_EQ(stridelock({"check", "a.cpp", "--", "-std=c++20"}).exit_code, 0);
}

}  // namespace
}  // namespace stridelock::test
