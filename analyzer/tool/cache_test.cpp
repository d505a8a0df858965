#include "analyzer/tool/cache.h"

#include "analyzer/tool/test_folder.h"

namespace stridelock::tool {
namespace {

class UnitCache : public testing::folder_test {
 protected:
  void SetUp() override {
    folder_test::SetUp();
    write("a.cpp", "int a;");
    write("a.h", "int h;");
  }
  // Every use is a run of its own: digests of files are remembered within a run.
  std::optional<std::string> find(const std::string& key = "command", const std::string& tool = "tool") {
    return unit_cache(path("cache"), tool).find(key);
  }
  void keep(const std::string& text, std::vector<std::string> files = {}) {
    if (files.empty()) files = {path("a.cpp"), path("a.h")};
    unit_cache(path("cache"), "tool").keep("command", files, text);
  }
  std::vector<std::filesystem::path> entries(const char* extension) {
    std::vector<std::filesystem::path> out;
    for (const auto& e : std::filesystem::recursive_directory_iterator(path("cache"))) {
      if (e.path().extension() == extension) out.push_back(e.path());
    }
    return out;
  }
};

TEST_F(UnitCache, GivesBackWhatWasKept) {
  EXPECT_EQ(find(), std::nullopt);
  keep("unit text");
  EXPECT_EQ(find(), "unit text");
}

TEST_F(UnitCache, AnyChangeIsAMiss) {
  keep("unit text");
  EXPECT_EQ(find("another command"), std::nullopt);
  EXPECT_EQ(find("command", "another tool"), std::nullopt);
  write("a.h", "int changed;");
  EXPECT_EQ(find(), std::nullopt);
}

TEST_F(UnitCache, AMissingFileIsAMiss) {
  keep("unit text");
  std::filesystem::remove(path("a.h"));
  EXPECT_EQ(find(), std::nullopt);
}

TEST_F(UnitCache, OldStatesAreFoundAgain) {
  keep("first");
  write("a.h", "#include \"b.h\"");
  write("b.h", "");
  keep("second", {path("a.cpp"), path("a.h"), path("b.h")});
  EXPECT_EQ(find(), "second");
  write("a.h", "int h;");
  EXPECT_EQ(find(), "first");
}

TEST_F(UnitCache, ADamagedEntryIsAMiss) {
  keep("unit text that is long enough to cut");
  const std::vector<std::filesystem::path> found = entries(".lir");
  ASSERT_EQ(found.size(), 1u);
  const std::uintmax_t size = std::filesystem::file_size(found[0]);
  for (std::uintmax_t cut = 0; cut < size; ++cut) {
    std::filesystem::resize_file(found[0], cut);
    ASSERT_EQ(find(), std::nullopt) << cut;
    keep("unit text that is long enough to cut");
    ASSERT_TRUE(find().has_value());
  }
  std::ofstream(found[0], std::ios::app) << "x";
  EXPECT_EQ(find(), std::nullopt);
}

TEST_F(UnitCache, ADamagedManifestIsAMissOrAHit) {
  keep("unit text");
  const std::vector<std::filesystem::path> found = entries(".files");
  ASSERT_EQ(found.size(), 1u);
  for (std::uintmax_t cut = std::filesystem::file_size(found[0]); cut-- > 0;) {
    std::filesystem::resize_file(found[0], cut);
    const std::optional<std::string> hit = find();
    ASSERT_TRUE(!hit || *hit == "unit text");
  }
  keep("unit text");
  EXPECT_EQ(find(), "unit text");
}

TEST_F(UnitCache, NamesWithLineBreaksSurvive) {
  write("odd\n\\name.h", "x");
  keep("unit text", {path("odd\n\\name.h")});
  EXPECT_EQ(find(), "unit text");
  write("odd\n\\name.h", "y");
  EXPECT_EQ(find(), std::nullopt);
}

TEST_F(UnitCache, OffKeepsNothing) {
  unit_cache off("", "tool");
  off.keep("command", {path("a.cpp")}, "x");
  EXPECT_EQ(off.find("command"), std::nullopt);
}

TEST_F(UnitCache, AFolderThatCannotBeMadeTurnsItOff) {
  write("file", "");
  unit_cache cache(path("file/below"), "tool");
  cache.keep("command", {path("a.cpp")}, "x");
  EXPECT_EQ(cache.find("command"), std::nullopt);
}

TEST_F(UnitCache, PruneRemovesOnlyItsOwnFiles) {
  write("cache/notes.txt", "mine");
  keep("unit text");
  unit_cache(path("cache"), "tool").prune(0);
  EXPECT_EQ(find(), std::nullopt);
  EXPECT_EQ(read("cache/notes.txt"), "mine");
}

TEST(BuildIdentity, IsStable) {
  EXPECT_FALSE(build_identity("/proc/self/exe").empty());
  EXPECT_EQ(build_identity("/proc/self/exe"), build_identity("/proc/self/exe"));
}

}  // namespace
}  // namespace stridelock::tool
