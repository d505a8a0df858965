#include "analyzer/report/gitlab.h"

#include <gtest/gtest.h>

#include "analyzer/report/test_findings.h"
#include "llvm/Support/JSON.h"

namespace stridelock::report {
namespace {

report_data data_of(std::vector<finding> findings) {
  return assemble(std::move(findings), testing::no_comments(), testing::all_analysed(), {});
}

TEST(Gitlab, HasWhatTheServiceAsksForOfEachFinding) {
  EXPECT_EQ(to_gitlab(data_of({testing::narrowed_view()})), R"([
  {
    "description": "'idx' is not dense: its row pitch is 1024, 'extra_indices' of sparse_mla needs 256",
    "check_name": "stridelock-narrowed-view",
    "fingerprint": "29a0d7463a71dcb304b488282334ededec6d214869d814fb2ac3aecdd6115781",
    "severity": "critical",
    "location": {
      "path": "engine/run.cpp",
      "lines": {
        "begin": 2
      }
    }
  }
]
)");
  EXPECT_EQ(to_gitlab(data_of({})), "[]\n");
}

TEST(Gitlab, FingerprintsStayWhenLinesMoveAndDifferBetweenFindings) {
  finding moved = testing::narrowed_view();
  moved.where.line = 77;
  const auto fingerprint = [](const std::string& bytes, std::size_t index) {
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(bytes);
    EXPECT_TRUE(bool(value));
    return (*value->getAsArray())[index].getAsObject()->getString("fingerprint")->str();
  };
  const std::string here = to_gitlab(data_of({testing::narrowed_view(), testing::copy_in_capture()}));
  EXPECT_EQ(fingerprint(here, 0), fingerprint(to_gitlab(data_of({moved})), 0));
  EXPECT_NE(fingerprint(here, 0), fingerprint(here, 1));
}

TEST(Gitlab, IsValidWhateverTheInput) {
  const std::string bytes = to_gitlab(data_of({testing::hostile()}));
  EXPECT_TRUE(llvm::json::isUTF8(bytes));
  EXPECT_TRUE(bool(llvm::json::parse(bytes)));
}

}  // namespace
}  // namespace stridelock::report
