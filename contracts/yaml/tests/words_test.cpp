#include "contracts/yaml/words.h"

#include <gtest/gtest.h>

#include <limits>

namespace stridelock::yaml {
namespace {

std::string again(std::string_view text) {
  std::string error;
  const auto e = parse_expression(text, error);
  return e ? text_of(*e) : error;
}

TEST(words, ExpressionsReadBack) {
  for (const char* text : {"any", "T", "512", "-3", "2*K + 1", "$decode_max_tokens", "round_up(W, 128)",
                           "round_up(2*K - 1, 16)", "3*$p.q - 4", "-2*K", "round_upper"})
    EXPECT_EQ(again(text), text);
  EXPECT_EQ(again("1*K"), "K");
  EXPECT_EQ(again(" T+1 "), "T + 1");
}

TEST(words, ExpressionsThatAreNone) {
  for (const auto& [text, part] :
       std::vector<std::pair<const char*, const char*>>{{"", "expected a number, a symbol"},
                                                        {"T U", "expected the end"},
                                                        {"T +", "expected a number"},
                                                        {"99999999999999999999", "64 bits"},
                                                        {"9999999999*T", "32 bits"},
                                                        {"round_up(T)", "expected round_up"},
                                                        {"round_up(T, 0)", "expected round_up"},
                                                        {"round_up(5, 8)", "needs a symbol"},
                                                        {"5 + 3", "a symbol"},
                                                        {"any + 1", "a symbol"},
                                                        {"$", "expected a number, a symbol"}})
    EXPECT_NE(again(text).find(part), std::string::npos) << text << ": " << again(text);
  EXPECT_EQ(text_of(sym("a b")), "");
  EXPECT_EQ(text_of(sym("any")), "");
  EXPECT_EQ(text_of(sym("T") + std::numeric_limits<index_t>::min()), "");
}

TEST(words, Comparisons) {
  std::string error;
  for (const char* text :
       {"T <= $decode_max_tokens", "T > 64", "W % 128 == 0", "2*K + 1 != H", "T == 1", "T < 2", "T >= 3"}) {
    const auto c = parse_comparison(text, error);
    ASSERT_TRUE(c) << text << ": " << error;
    EXPECT_EQ(comparison_text(*c), text);
  }
  for (const char* text : {"T", "T <", "T = 1", "T % 3", "T % 3 == 1", "T < 1 2", "< 3"})
    EXPECT_FALSE(parse_comparison(text, error)) << text;
}

// What the builder refuses is refused here as well; a sum in front of % is in parentheses, in both directions.
TEST(words, WhatTheBuilderCannotExpress) {
  std::string error;
  for (const char* text :
       {"2*any", "2*round_up(W, 128)", "round_up(W, 128) + 1", "round_up(round_up(W, 6), 4)",
        "round_up(5, 4)", "round_up(W, 0)", "round_up(W, -8)", "4294967297*W"})
    EXPECT_FALSE(parse_expression(text, error)) << text;
  for (const char* text : {"W % 0 == 0", "W % -8 == 0", "W - 1 % 3 == 0", "(W - 1 % 3 == 0"})
    EXPECT_FALSE(parse_comparison(text, error)) << text;
  const auto sum = parse_comparison("(W - 1) % 3 == 0", error);
  ASSERT_TRUE(sum) << error;
  EXPECT_EQ(comparison_text(*sum), "(W - 1) % 3 == 0");
}

TEST(words, TypesReadBack) {
  for (const char* text : {"int32", "bfloat16", "float16x4", "uint8:scale_e8m0", "dlpack(7, 8)",
                           "dlpack(5, 64)x2", "int32:index", "int32x0"}) {
    const auto t = parse_type(text);
    ASSERT_TRUE(t) << text;
    EXPECT_EQ(text_of(*t), text);
  }
  for (const char* text : {"", "int33", "uint8:", "uint8:scale", "int32x256", "dlpack(1)", "dlpack(,)",
                           "dlpack(256, 8)", "x4", "dlpack("})
    EXPECT_FALSE(parse_type(text)) << text;
}

TEST(words, Facts) {
  std::string error;
  for (const char* text :
       {"dense", "aligned 16", "collapsible 0 1", "index_bits 32", "suffix_dense 2", "stable", "writable"}) {
    const auto r = parse_requirement(text, error);
    ASSERT_TRUE(r) << text << ": " << error;
    EXPECT_EQ(text_of(*r), text);
  }
  EXPECT_EQ(text_of(*parse_requirement("contiguous", error)), "dense");
  for (const char* text : {"", "dens", "aligned", "aligned 3", "aligned 0", "dense 1", "collapsible 0 8",
                           "index_bits 65", "suffix_dense 9"})
    EXPECT_FALSE(parse_requirement(text, error)) << text;
}

TEST(words, Capabilities) {
  EXPECT_EQ(text_of(*parse_capability("12.1")), "12.1");
  for (const char* text : {"", "12", "12.", ".1", "0.1", "12.x", "12.10", "12.-1"})
    EXPECT_FALSE(parse_capability(text)) << text;
}

}  // namespace
}  // namespace stridelock::yaml
