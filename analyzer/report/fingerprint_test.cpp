#include "analyzer/report/fingerprint.h"

#include <gtest/gtest.h>

namespace stridelock::report {
namespace {

TEST(Fingerprint, HoldsItsPartsInOrder) {
  EXPECT_EQ(fingerprint({.check = "narrowed-view",
                         .function = "engine::run(int)",
                         .callee = "sparse_mla",
                         .parameter = "extra_indices",
                         .expression = "idx.narrow(1, 0, n)"}),
            "narrowed-view|engine::run(int)|sparse_mla|extra_indices|idx.narrow(1,0,n)");
}

TEST(Fingerprint, PartsCannotRunIntoEachOther) {
  EXPECT_NE(fingerprint({.check = "a", .function = "b|c"}),
            fingerprint({.check = "a", .function = "b", .callee = "c"}));
  EXPECT_NE(fingerprint({.check = "a\\", .function = "b"}), fingerprint({.check = "a", .function = "\\b"}));
}

TEST(Fingerprint, ReformattingDoesNotChangeTheExpression) {
  EXPECT_EQ(normalised_expression("  f( a ,\n   b )"), normalised_expression("f(a, b)"));
  EXPECT_EQ(normalised_expression("a  +\tb"), "a+b");
}

TEST(Fingerprint, TokensDoNotJoin) {
  EXPECT_EQ(normalised_expression("unsigned  long x"), "unsigned long x");
  EXPECT_EQ(normalised_expression("a - -b"), "a- -b");
  EXPECT_EQ(normalised_expression("a & & b"), "a& &b");
}

TEST(Fingerprint, EqualOnesAreNumberedInOrder) {
  std::vector<finding> findings(4);
  findings[0].fingerprint = findings[1].fingerprint = findings[3].fingerprint = "x";
  findings[2].fingerprint = "y";
  number_equal_fingerprints(findings);
  EXPECT_EQ(findings[0].fingerprint, "x");
  EXPECT_EQ(findings[1].fingerprint, "x|#2");
  EXPECT_EQ(findings[2].fingerprint, "y");
  EXPECT_EQ(findings[3].fingerprint, "x|#3");
}

TEST(Fingerprint, AMissingOneIsMade) {
  std::vector<finding> findings(1);
  findings[0].check = "c";
  findings[0].function = "f()";
  findings[0].message = "m";
  number_equal_fingerprints(findings);
  EXPECT_EQ(findings[0].fingerprint, "c|f()|||m");
}

}  // namespace
}  // namespace stridelock::report
