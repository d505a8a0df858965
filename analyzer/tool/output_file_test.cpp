#include "analyzer/tool/output_file.h"

#include <sys/stat.h>

#include "analyzer/tool/failure.h"
#include "analyzer/tool/test_folder.h"

namespace stridelock::tool {
namespace {

class OutputFile : public testing::folder_test {};

TEST_F(OutputFile, ReplacesInOnePiece) {
  write("out", "old");
  write_output(path("out"), "new content");
  EXPECT_EQ(read("out"), "new content");
  EXPECT_EQ(count(), 1u);  // no temporary file is left
}

TEST_F(OutputFile, TheOldFileIsNotWrittenInto) {
  write("out", "old");
  std::ifstream reader(path("out"));
  write_output(path("out"), "new");
  std::string seen;
  reader >> seen;
  EXPECT_EQ(seen, "old");
}

TEST_F(OutputFile, OthersMayReadIt) {
  write_output(path("out"), "x");
  struct stat status{};
  ASSERT_EQ(stat(path("out").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0444, 0444u);
}

TEST_F(OutputFile, ALinkKeepsBeingALink) {
  write("real", "old");
  std::filesystem::create_symlink(path("real"), path("link"));
  write_output(path("link"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(read("real"), "new");
}

TEST_F(OutputFile, ADeviceIsWrittenTo) {
  write_output("/dev/null", "x");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  require_writable("/dev/null");
}

TEST_F(OutputFile, ANewFileInTheCurrentFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  require_writable("new");
  write_output("new", "content");
  std::filesystem::current_path(before);
  EXPECT_EQ(read("new"), "content");
}

TEST_F(OutputFile, AFailureLeavesNothing) {
  EXPECT_THROW(write_output(path("no/such/folder/out"), "x"), failure);
  EXPECT_THROW(write_output(folder_.string(), "x"), failure);
  EXPECT_THROW(write_output("/dev/full", "x"), failure);
  EXPECT_EQ(count(), 0u);
}

TEST_F(OutputFile, IsAskedBeforeTheWork) {
  EXPECT_THROW(require_writable(path("no/out")), failure);
  EXPECT_THROW(require_writable(folder_.string()), failure);
  require_writable(path("out"));
  require_writable("-");
  EXPECT_EQ(count(), 0u);
}

}  // namespace
}  // namespace stridelock::tool
