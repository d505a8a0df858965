#include "analyzer/report/json.h"

#include <gtest/gtest.h>

#include "analyzer/report/test_findings.h"
#include "llvm/Support/JSON.h"

namespace stridelock::report {
namespace {

llvm::json::Value parsed(const std::string& bytes) {
  EXPECT_TRUE(llvm::json::isUTF8(bytes));
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(bytes);
  if (value) return std::move(*value);
  ADD_FAILURE() << llvm::toString(value.takeError());
  return nullptr;
}

TEST(Json, HasTheDocumentedSchema) {
  const report_data data =
      assemble({testing::narrowed_view()}, testing::no_comments(), testing::all_analysed(), {});
  EXPECT_EQ(to_json(data), R"json({
  "version": 1,
  "findings": [
    {
      "check": "narrowed-view",
      "severity": "error",
      "file": "engine/run.cpp",
      "line": 2,
      "column": 14,
      "function": "engine::run(const engine::batch &)",
      "message": "'idx' is not dense: its row pitch is 1024, 'extra_indices' of sparse_mla needs 256",
      "fingerprint": "narrowed-view|engine::run(const engine::batch &)|sparse_mla|extra_indices|idx",
      "trace": [
        {
          "file": "engine/metadata.cpp",
          "line": 3,
          "column": 14,
          "message": "columns [0, k) taken here keep the pitch of 'buffer'"
        },
        {
          "file": "engine/metadata.cpp",
          "line": 4,
          "column": 3,
          "message": "stored in engine::batch::idx"
        }
      ]
    }
  ],
  "coverage": {
    "complete": true,
    "units_asked": 2,
    "units_analysed": 2,
    "units_degraded": 0,
    "units_failed": 0,
    "units_listed": 0,
    "functions": 31,
    "templates_without_instance": 0,
    "hidden_by_cuda_arch": 0,
    "unknown_instructions": 0,
    "unmodelled_calls": 0,
    "limits_hit": 0,
    "suppressed": 0,
    "in_baseline": 0,
    "baseline_gone": 0,
    "problems": []
  }
}
)json");
}

TEST(Json, HostileContentSurvivesTheWayBack) {
  const finding f = testing::hostile();
  const llvm::json::Value root =
      parsed(to_json(assemble({f}, testing::no_comments(), testing::all_analysed(), {})));
  const llvm::json::Object* read = root.getAsObject()->getArray("findings")->front().getAsObject();
  EXPECT_EQ(read->getString("file"), llvm::StringRef(f.where.file.str()));
  // Only the bytes that are no UTF-8 change.
  EXPECT_EQ(read->getString("message"),
            llvm::StringRef("quote \" backslash \\ line\nbreak\r tab\t esc\x1b[31m ::error::x {0} [a](b) "
                            "\xef\xbf\xbd\xef\xbf\xbd end"));
}

TEST(Json, ProblemsAreListed) {
  unit_problem p;
  p.file = "a.cu";
  p.summary = "killed";
  const llvm::json::Value root =
      parsed(to_json(assemble({}, testing::no_comments(), testing::all_analysed(), {p})));
  const llvm::json::Object* coverage = root.getAsObject()->getObject("coverage");
  EXPECT_EQ(coverage->getBoolean("complete"), false);
  const llvm::json::Object* problem = coverage->getArray("problems")->front().getAsObject();
  EXPECT_EQ(problem->getString("file"), llvm::StringRef("a.cu"));
  EXPECT_EQ(problem->getString("state"), llvm::StringRef("failed"));
}

}  // namespace
}  // namespace stridelock::report
