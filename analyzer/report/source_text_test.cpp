#include "analyzer/report/source_text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace stridelock::report {
namespace {

class SourceText : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::path(::testing::TempDir()) /
            ("source_text_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const char* file, const char* bytes) { std::ofstream(root_ / file, std::ios::binary) << bytes; }

  std::filesystem::path root_;
};

TEST_F(SourceText, ReadsLines) {
  write("a.cpp", "one\r\n\nthree");
  source_text text(root_.string());
  EXPECT_EQ(text.line("a.cpp", 1), "one");
  EXPECT_EQ(text.line("a.cpp", 2), "");
  EXPECT_EQ(text.line("a.cpp", 3), "three");
  EXPECT_EQ(text.line("a.cpp", 4), std::nullopt);
  EXPECT_EQ(text.line("a.cpp", 0), std::nullopt);
  EXPECT_EQ(text.line((root_ / "a.cpp").string(), 1), "one");
}

TEST_F(SourceText, WhatCannotBeReadHasNoLines) {
  write("empty.cpp", "");
  source_text text(root_.string());
  EXPECT_EQ(text.line("missing.cpp", 1), std::nullopt);
  EXPECT_EQ(text.line("empty.cpp", 1), std::nullopt);
  EXPECT_EQ(text.line(".", 1), std::nullopt);
  EXPECT_EQ(text.line("", 1), std::nullopt);
  EXPECT_EQ(text.line("/dev/zero", 1), std::nullopt);
}

}  // namespace
}  // namespace stridelock::report
