#include "analyzer/report/github.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyzer/report/test_findings.h"

namespace stridelock::report {
namespace {

std::string printed(std::vector<finding> findings) {
  return to_github(assemble(std::move(findings), testing::no_comments(), testing::all_analysed(), {}));
}

TEST(Github, AnnotatesEachFindingGravestFirst) {
  finding milder = testing::copy_in_capture();
  milder.where.line = 1;  // earlier in the file, and yet later here
  EXPECT_EQ(printed({milder, testing::narrowed_view()}),
            "::error file=engine/run.cpp,line=2,col=14,title=stridelock-narrowed-view::'idx' is not dense: "
            "its row pitch "
            "is 1024, 'extra_indices' of sparse_mla needs 256%0A"
            "engine/metadata.cpp:3:14: columns [0, k) taken here keep the pitch of 'buffer'%0A"
            "engine/metadata.cpp:4:3: stored in engine::batch::idx\n"
            "::warning file=engine/run.cpp,line=1,col=9,title=stridelock-copy-in-capture::contiguous() may "
            "copy while a "
            "graph is captured\n"
            "stridelock: analysed 2 of 2 files, 31 functions, 0 limits hit; 1 error, 1 warning\n");
}

TEST(Github, NothingFromTheInputStartsOrEndsACommand) {
  const std::string out = printed({testing::hostile()});
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 2) << out;
  EXPECT_EQ(out.find("\n::"), std::string::npos) << out;
  EXPECT_EQ(out.find('\r'), std::string::npos) << out;
  EXPECT_NE(out.find("file=dir with space/100%25\"q\".cpp,line=7"), std::string::npos) << out;
}

TEST(Github, SaysWhenTheServiceWillCut) {
  std::vector<finding> many;
  for (std::uint32_t line = 1; line <= 11; ++line) {
    finding f = testing::copy_in_capture();
    f.where.line = line;
    f.fingerprint += std::to_string(line);
    many.push_back(f);
  }
  EXPECT_NE(printed(many).find("::notice title=stridelock::11 findings; GitHub shows ten"),
            std::string::npos);
  many.pop_back();
  EXPECT_EQ(printed(many).find("::notice"), std::string::npos);
}

}  // namespace
}  // namespace stridelock::report
