// A folder of its own for each test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace stridelock::tool::testing {

class folder_test : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::canonical(::testing::TempDir()) /
              (std::string(info->test_suite_name()) + "_" + info->name() + "_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& file) const { return (folder_ / file).string(); }
  void write(const std::string& file, const std::string& bytes) const {
    std::filesystem::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file, std::ios::binary) << bytes;
  }
  std::string read(const std::string& file) const {
    std::ifstream in(folder_ / file, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }
  // Names of all files below, for "nothing was left behind".
  std::size_t count() const {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      files += entry.is_regular_file();
    }
    return files;
  }

  std::filesystem::path folder_;
};

}  // namespace stridelock::tool::testing
