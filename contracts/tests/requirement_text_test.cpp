#include "stridelock/requirement_text.h"

#include <gtest/gtest.h>

#include "stridelock/annotate.h"

namespace stridelock {
namespace {

// Empty or an annotation: either way it must be accepted where a parameter stands.
int annotated(STRIDELOCK_REQUIRES("contiguous; int32") int value) {
  return value;
}

TEST(requirement_text, reads_the_example_of_the_manual) {
  const auto r = parse_requirement_text("contiguous; int32; rank 2|3; aligned 16");
  ASSERT_TRUE(r.ok) << r.error;
  EXPECT_EQ(annotated(1), 1);
  ASSERT_EQ(r.value.type_count, 1);
  EXPECT_TRUE(same_representation(r.value.types[0], types::int32));
  EXPECT_EQ(r.value.ranks, 0b1100);
  ASSERT_EQ(r.value.requirement_count, 2);
  EXPECT_EQ(r.value.requirements[0].what, notion::dense);
  EXPECT_EQ(r.value.requirements[0].why.how, evidence::declared);
  EXPECT_EQ(r.value.requirements[1].what, notion::aligned);
  EXPECT_EQ(r.value.requirements[1].detail, 16);
}

TEST(requirement_text, reads_every_word) {
  const auto r = parse_requirement_text(
      " row_pitched ;bf16 | float16; rank 0 ; aligned_rows 32; suffix_dense 2; index_bits 32; optional; "
      "stable; output;");
  ASSERT_TRUE(r.ok) << r.error << ": " << r.at;
  EXPECT_EQ(r.value.type_count, 2);
  EXPECT_EQ(r.value.ranks, 1);
  EXPECT_TRUE(r.value.is_optional);
  EXPECT_EQ(r.value.requirement_count, 7);
  for (const char* word : {"contiguous", "dense", "canonical", "row_pitched", "inner_contiguous",
                           "permutation_dense", "non_overlapping", "strided", ""}) {
    EXPECT_TRUE(parse_requirement_text(word).ok) << word;
  }
}

TEST(requirement_text, unchecked_covers_the_whole_text) {
  const auto r = parse_requirement_text("contiguous; unchecked; int32; rank 2");
  ASSERT_TRUE(r.ok);
  EXPECT_EQ(r.value.requirements[0].why.how, evidence::unchecked);
  EXPECT_EQ(r.value.type_why.how, evidence::unchecked);
  EXPECT_EQ(r.value.shape_why.how, evidence::unchecked);
}

TEST(requirement_text, an_error_names_the_word_and_its_position) {
  struct row {
    const char* text;
    const char* at;
    std::size_t position;
    const char* error;
  };
  for (const row& bad : {
           row{"contigous", "contigous", 0, "is neither a layout, a dtype nor a keyword"},
           row{"contiguous; int33", "int33", 12, "is neither a layout, a dtype nor a keyword"},
           row{"rank 9", "9", 5, "a rank is a number from 0 to 8"},
           row{"rank 2|", "2|", 5, "a rank is missing after '|'"},
           row{"rank", "rank", 0, "a rank is a number from 0 to 8"},
           row{"aligned 12", "12", 8, "an alignment is a power of two"},
           row{"aligned", "aligned", 0, "needs a positive number"},
           row{"aligned -16", "-16", 8, "needs a positive number"},
           row{"aligned 99999999999999999999", "99999999999999999999", 8, "needs a positive number"},
           row{"int32; ; dense", "", 7, "a requirement is empty"},
           row{"dense; contiguous", "contiguous", 7, "said twice"},
           row{"int32; int64", "int64", 7, "said twice"},
           row{"rank 2; rank 3", "3", 13, "said twice"},
           row{"int32|", "int32|", 0, "a dtype is missing after '|'"},
           row{"suffix_dense 9", "9", 13, "at most 8 dimensions"},
       }) {
    const auto r = parse_requirement_text(bad.text);
    EXPECT_FALSE(r.ok) << bad.text;
    EXPECT_EQ(r.at, bad.at) << bad.text;
    EXPECT_EQ(r.position, bad.position) << bad.text;
    EXPECT_EQ(r.error, bad.error) << bad.text;
  }
}

}  // namespace
}  // namespace stridelock
