#include "analyzer/tool/files.h"

#include "analyzer/tool/failure.h"
#include "analyzer/tool/test_folder.h"

namespace stridelock::tool {
namespace {

class Files : public testing::folder_test {};

TEST(Paths, AbsoluteAndRelative) {
  EXPECT_EQ(absolute_path("../src/./a.cpp", "/p/build"), "/p/src/a.cpp");
  EXPECT_EQ(absolute_path("/x//y/", "/p"), "/x/y");
  EXPECT_EQ(relative_to("/p/src/a.cpp", "/p"), "src/a.cpp");
  EXPECT_EQ(relative_to("/project/a.cpp", "/p"), "/project/a.cpp");  // a name is no prefix of a longer one
  EXPECT_EQ(relative_to("/p", "/p"), "/p");
}

TEST(Paths, CommonFolder) {
  EXPECT_EQ(common_folder({"/p/a/x.cpp", "/p/a/b/y.cpp"}), "/p/a");
  EXPECT_EQ(common_folder({"/p/ab/x.cpp", "/p/a/y.cpp"}), "/p");
  EXPECT_EQ(common_folder({"/p/x.cpp"}), "/p");
  EXPECT_EQ(common_folder({"/p/x.cpp", "/q/y.cpp"}), "/");
}

TEST_F(Files, TheProjectIsWhatVersionControlSaysItIs) {
  write("repo/.git/HEAD", "");
  write("repo/src/a.cpp", "");
  write("worktree/.git", "gitdir: elsewhere");
  write("worktree/src/deep/a.cpp", "");
  EXPECT_EQ(project_root({path("repo/src/a.cpp")}), path("repo"));
  EXPECT_EQ(project_root({path("worktree/src/deep/a.cpp")}), path("worktree"));
  EXPECT_EQ(project_root({path("repo/src/a.cpp"), path("worktree/src/deep/a.cpp")}), folder_.string());
}

TEST_F(Files, ReadFileNamesWhatItCannotRead) {
  write("a", std::string("x\0y", 3));
  EXPECT_EQ(read_file(path("a")), std::string("x\0y", 3));
  EXPECT_THROW(read_file(path("missing")), failure);
  EXPECT_THROW(read_file(folder_.string()), failure);
  EXPECT_EQ(try_read_file(path("missing")), std::nullopt);
  EXPECT_EQ(try_read_file(folder_.string()), std::nullopt);
}

}  // namespace
}  // namespace stridelock::tool
