#include "analyzer/tool/yaml.h"

#include <gtest/gtest.h>

#include "analyzer/tool/failure.h"

namespace stridelock::tool {
namespace {

std::string refusal(const std::string& bytes) {
  try {
    parse_yaml(bytes, "c.yaml");
  } catch (const failure& f) {
    return f.what();
  }
  return "(accepted)";
}

TEST(Yaml, IsATreeWithPlaces) {
  const yaml_node root = parse_yaml("a: 1\nb:\n  - x\n  - {c: 'd e'}\n", "c.yaml");
  ASSERT_EQ(root.what, yaml_node::kind::map);
  ASSERT_EQ(root.map.size(), 2u);
  EXPECT_EQ(root.map[0].first.scalar, "a");
  EXPECT_EQ(root.map[0].second.scalar, "1");
  const yaml_node& list = root.map[1].second;
  ASSERT_EQ(list.list.size(), 2u);
  EXPECT_EQ(list.list[1].map[0].second.scalar, "d e");
  EXPECT_EQ(list.list[1].map[0].first.line, 4u);
  EXPECT_EQ(list.list[1].map[0].first.column, 6u);
}

TEST(Yaml, AnEmptyFileIsNull) {
  EXPECT_EQ(parse_yaml("", "c.yaml").what, yaml_node::kind::null);
  EXPECT_EQ(parse_yaml("# only a comment\n", "c.yaml").what, yaml_node::kind::null);
}

TEST(Yaml, MalformedInputIsOneLineWithAPlace) {
  for (const char* bytes : {"a: [1, 2", "a: b\n c: d\n  e", "\"open", "a: 1\na: 2\n", "a: &x 1\nb: *x\n",
                            "{a: b}}", "? [a]\n: b\n", "a: 1\n---\nb: 2\n", "%YAML 9"}) {
    const std::string message = refusal(bytes);
    EXPECT_EQ(message.rfind("c.yaml", 0), 0u) << bytes << ": " << message;
    EXPECT_NE(message.find(": error: "), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(Yaml, DeepNestingIsRefusedNotOverflowed) {
  EXPECT_NE(refusal(std::string(100000, '[')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(refusal(std::string(100000, '{')).find("nested too deeply"), std::string::npos);
  std::string dashes;
  for (int i = 0; i < 50000; ++i) dashes += "- ";
  EXPECT_NE(refusal(dashes).find("nested too deeply"), std::string::npos);
  std::string indented;
  for (int i = 0; i < 2000; ++i) indented += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_NE(refusal(indented).find("nested too deeply"), std::string::npos);
}

TEST(Yaml, AnyBytesReturn) {
  std::uint32_t state = 1;
  const std::string alphabet = " \n-:[]{}?'\"#&*!|>%@`a1,\t\\";
  for (int round = 0; round < 3000; ++round) {
    std::string bytes;
    for (int i = 0; i < 40; ++i) {
      state = state * 1664525 + 1013904223;
      bytes += alphabet[(state >> 16) % alphabet.size()];
    }
    try {
      parse_yaml(bytes, "c.yaml");
    } catch (const failure&) {
    }
  }
}

}  // namespace
}  // namespace stridelock::tool
