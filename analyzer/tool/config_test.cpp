#include "analyzer/tool/config.h"

#include "analyzer/tool/failure.h"
#include "analyzer/tool/test_folder.h"

namespace stridelock::tool {
namespace {

using words = std::vector<std::string>;

std::string refusal(const std::string& bytes) {
  try {
    parse_config(bytes, "/p/.stridelock.yaml", ".stridelock.yaml");
  } catch (const failure& f) {
    return f.what();
  }
  return "(accepted)";
}

TEST(Config, ReadsEveryKey) {
  const config c = parse_config(
      "models: [ci/tensor.yaml, /abs/m.yaml]\n"
      "contracts: ci/kernels.yaml\n"
      "checks: '*, -copy-in-capture'\n"
      "assume-capture: ['engine::*']\n"
      "roots: [csrc, ./include/]\n"
      "unparsed:\n"
      "  - {file: csrc/x.cu, reason: needs nvshmem}\n"
      "fail-on: note\n",
      "/p/.stridelock.yaml", ".stridelock.yaml");
  EXPECT_EQ(c.models, (words{"/p/ci/tensor.yaml", "/abs/m.yaml"}));
  EXPECT_EQ(c.contracts, words{"/p/ci/kernels.yaml"});
  EXPECT_EQ(c.checks, (words{"*", "-copy-in-capture"}));
  EXPECT_EQ(c.assume_capture, words{"engine::*"});
  EXPECT_EQ(c.roots, (words{"/p/csrc", "/p/include"}));
  ASSERT_EQ(c.unparsed.size(), 1u);
  EXPECT_EQ(c.unparsed[0].path, "/p/csrc/x.cu");
  EXPECT_EQ(c.unparsed[0].reason, "needs nvshmem");
  EXPECT_EQ(c.unparsed[0].line, 7u);
  EXPECT_EQ(c.fail_on, report::fail_threshold::note);
}

TEST(Config, AnEmptyFileSaysNothing) {
  const config c = parse_config("", "/p/.stridelock.yaml", ".stridelock.yaml");
  EXPECT_EQ(c.path, "/p/.stridelock.yaml");
  EXPECT_FALSE(c.fail_on.has_value());
}

TEST(Config, RefusalsSayWhereAndWhatWasExpected) {
  EXPECT_EQ(refusal("checks: a\nmodles: [x]\n"),
            ".stridelock.yaml:2:1: error: unknown key 'modles'; did you mean 'models'? Known: models, "
            "contracts, "
            "checks, roots, unparsed, assume-capture, baseline and fail-on");
  EXPECT_EQ(refusal("unparsed:\n  - {file: a.cu}\n"),
            ".stridelock.yaml:2:5: error: 'a.cu' needs a reason: why does it not parse?");
  EXPECT_NE(refusal("unparsed: [{file: a.cu, reason: ''}]").find("expected a reason"), std::string::npos);
  EXPECT_NE(refusal("unparsed: [a.cu]").find("expected {file"), std::string::npos);
  EXPECT_NE(refusal("fail-on: loudly").find("expected error, warning, note or never, found 'loudly'"),
            std::string::npos);
  EXPECT_NE(refusal("models: {a: b}").find("expected a path or a list of paths"), std::string::npos);
  EXPECT_NE(refusal("- a").find("expected keys"), std::string::npos);
}

class FindConfig : public testing::folder_test {};

TEST_F(FindConfig, NearestUpward) {
  write(".stridelock.yaml", "");
  write("a/b/c/file", "");
  EXPECT_EQ(find_config(path("a/b/c")), path(".stridelock.yaml"));
  write("a/b/.stridelock.yaml", "");
  EXPECT_EQ(find_config(path("a/b/c")), path("a/b/.stridelock.yaml"));
  EXPECT_EQ(find_config(path("a")), path(".stridelock.yaml"));
}

TEST(SplitList, DropsBlanks) {
  EXPECT_EQ(split_list(" a ,-b,, c"), (words{"a", "-b", "c"}));
  EXPECT_EQ(split_list(""), words{});
}

}  // namespace
}  // namespace stridelock::tool
