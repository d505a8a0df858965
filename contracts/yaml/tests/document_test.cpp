#include "contracts/yaml/document.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace stridelock::yaml {
namespace {

std::string error_of(std::string_view text) {
  auto result = read(text, "f.yaml");
  const auto* e = std::get_if<text_error>(&result);
  return e == nullptr ? "no error" : e->str();
}

TEST(Yaml, ReadsATreeWithPositions) {
  auto result = read("a: 1\nb:\n  - {c: x, d: [y, 'z w']}\n", "f.yaml");
  ASSERT_TRUE(std::holds_alternative<node>(result)) << error_of("a: 1\nb:\n  - {c: x, d: [y, 'z w']}\n");
  const node& root = std::get<node>(result);
  ASSERT_EQ(root.entries.size(), 2u);
  EXPECT_EQ(root.entries[0].value.text, "1");
  EXPECT_EQ(root.entries[0].value.line, 1u);
  EXPECT_EQ(root.entries[0].value.column, 4u);
  const node& item = root.entries[1].value.items.at(0);
  EXPECT_EQ(item.entries[1].value.items.at(1).text, "z w");
  EXPECT_EQ(item.entries[0].value.line, 3u);
  EXPECT_EQ(item.entries[0].value.column, 9u);
}

TEST(Yaml, EmptyTextIsNull) {
  auto result = read("", "f.yaml");
  ASSERT_TRUE(std::holds_alternative<node>(result));
  EXPECT_EQ(std::get<node>(result).what, node::kind::null);
}

TEST(Yaml, BadTextIsOneErrorWithItsPlace) {
  EXPECT_EQ(error_of("a: [1, 2\n").substr(0, 7), "f.yaml:") << error_of("a: [1, 2\n");
  EXPECT_EQ(error_of("a: 1\na: 2\n"), "f.yaml:2:1: error: expected each key once, found a second 'a'");
  EXPECT_EQ(error_of("[a]: 1\n"), "f.yaml:1:1: error: expected a key (a plain word), found a list");
  EXPECT_EQ(error_of("a: &x 1\n"), "f.yaml:1:7: error: expected plain YAML, found an anchor");
  EXPECT_EQ(error_of("a: !!str 1\n"), "f.yaml:1:10: error: expected plain YAML, found a tag");
  EXPECT_NE(error_of("a: *x\n").find("alias"), std::string::npos) << error_of("a: *x\n");
  EXPECT_NE(error_of("a: 1\n---\nb: 2\n").find("one YAML document"), std::string::npos);
  EXPECT_NE(error_of(std::string("a: \0b", 5)).find("zero byte"), std::string::npos);
  EXPECT_NE(error_of("a: \"x\n").find("f.yaml:"), std::string::npos);
}

TEST(Yaml, DeepTextIsAnError) {
  for (const char* opening : {"[", "{a: ", "- ", "? ", "[\"]\",", "{\"}\": ", "a: [", "{? "}) {
    std::string text;
    for (int i = 0; i < 200'000; ++i) text += opening;
    EXPECT_NE(error_of(text), "no error") << opening;
  }
  std::string block;
  for (int i = 0; i < 1000; ++i) block += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_NE(error_of(block).find("at most 64 levels"), std::string::npos) << error_of(block);
}

TEST(Yaml, LargeTextIsAnError) {
  EXPECT_NE(error_of(std::string(max_bytes + 1, '#')).find("at most 16777216 bytes"), std::string::npos);
}

TEST(Yaml, MutatedTextNeverCrashes) {
  const std::string text =
      "schema: 1\nlibrary: x\ntypes:\n  - {name: \"a::b\", bases: [c, d]}\nfunctions:\n  - call: [e, 'f*']\n"
      "    view: {op: narrow, of: 0, args: [1, 2, {const: 0}]}\n    # comment\n  - call: g\n    noreturn: "
      "true\n";
  std::mt19937_64 random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string changed = text;
    for (int n = 1 + static_cast<int>(random() % 4); n > 0 && !changed.empty(); --n) {
      const std::size_t at = random() % changed.size();
      switch (random() % 4) {
        case 0:
          changed[at] = static_cast<char>(random());
          break;
        case 1:
          changed.erase(at, 1 + random() % 6);
          break;
        case 2:
          changed.insert(at, 1, "[]{}:,-?!&*#|>'\"%@` \n"[random() % 21]);
          break;
        default:
          changed.resize(at);
      }
    }
    auto result = read(changed, "mutated");
    if (const auto* e = std::get_if<text_error>(&result)) {
      ASSERT_FALSE(e->message.empty());
    }
  }
}

}  // namespace
}  // namespace stridelock::yaml
