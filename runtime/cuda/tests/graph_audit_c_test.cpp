#include "stridelock/cuda/graph_audit_c.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace {

TEST(graph_audit_c, what_cannot_be_read_is_a_failure_with_its_reason) {
  char text[256];
  std::size_t needed = 0;
  ASSERT_EQ(stridelock_graph_audit(nullptr, "g", nullptr, 0, STRIDELOCK_GRAPH_AUDIT_TEXT, text, sizeof text,
                                   &needed),
            STRIDELOCK_GRAPH_FAILED);
  EXPECT_EQ(std::string(text).rfind("graph audit: nothing was read: ", 0), 0U) << text;
  EXPECT_EQ(std::strlen(text), needed);
}

TEST(graph_audit_c, short_buffers_are_terminated_and_told_the_length) {
  char text[8] = "xxxxxxx";
  std::size_t needed = 0;
  stridelock_graph_audit(nullptr, nullptr, nullptr, 0, STRIDELOCK_GRAPH_AUDIT_TEXT, text, sizeof text,
                         &needed);
  EXPECT_STREQ(text, "graph a");
  EXPECT_GT(needed, sizeof text);
  EXPECT_EQ(
      stridelock_graph_audit(nullptr, nullptr, nullptr, 0, STRIDELOCK_GRAPH_AUDIT_TEXT, nullptr, 0, nullptr),
      STRIDELOCK_GRAPH_FAILED);
}

}  // namespace
