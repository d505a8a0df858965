#include "analyzer/report/sarif.h"

#include <gtest/gtest.h>

#include "analyzer/report/test_findings.h"
#include "llvm/Support/JSON.h"

namespace stridelock::report {
namespace {

using llvm::StringRef;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

sarif_options options() {
  sarif_options o;
  o.version = "0.1.0";
  o.rules = {{"narrowed-view", "A narrowed view reaches code that needs dense rows",
              "# narrowed-view\n\nbad {x}\n", severity::warning},
             {"copy-in-capture", "A copy inside a captured region", "", severity::warning}};
  o.help_uri_base = "https://example.org/checks/";
  return o;
}

class Sarif : public ::testing::Test {
 protected:
  // The one run of a valid document.
  const Object& run(const report_data& data, const sarif_options& o) {
    const std::string bytes = to_sarif(data, o);
    EXPECT_TRUE(llvm::json::isUTF8(bytes));
    llvm::Expected<Value> value = llvm::json::parse(bytes);
    if (!value) {
      ADD_FAILURE() << llvm::toString(value.takeError());
      return empty_;
    }
    document_ = std::move(*value);
    const Object* root = document_.getAsObject();
    EXPECT_EQ(root->getString("version"), StringRef("2.1.0"));
    return *root->getArray("runs")->front().getAsObject();
  }
  const Object& result(const Object& run, std::size_t index) {
    return *(*run.getArray("results"))[index].getAsObject();
  }
  static const Object* physical(const Object& holder) {
    return holder.getArray("locations")->front().getAsObject()->getObject("physicalLocation");
  }

  Value document_ = nullptr;
  Object empty_;
};

TEST_F(Sarif, ResultsNameTheirRule) {
  const report_data data = assemble({testing::narrowed_view(), testing::copy_in_capture()},
                                    testing::no_comments(), testing::all_analysed(), {});
  const Object& run = this->run(data, options());
  const Array& rules = *run.getObject("tool")->getObject("driver")->getArray("rules");
  ASSERT_EQ(run.getArray("results")->size(), 2u);
  for (const Value& r : *run.getArray("results")) {
    const std::int64_t index = *r.getAsObject()->getInteger("ruleIndex");
    ASSERT_LT(static_cast<std::size_t>(index), rules.size());
    const Object& rule = *rules[static_cast<std::size_t>(index)].getAsObject();
    EXPECT_EQ(rule.getString("id"), r.getAsObject()->getString("ruleId"));
    EXPECT_TRUE(rule.getObject("help")->getString("text"));
    EXPECT_TRUE(rule.getString("helpUri")->starts_with("https://example.org/checks/"));
  }
}

TEST_F(Sarif, ACheckWithoutARuleGetsOne) {
  const report_data data =
      assemble({testing::narrowed_view()}, testing::no_comments(), testing::all_analysed(), {});
  const Object& run = this->run(data, {});
  const std::int64_t index = *result(run, 0).getInteger("ruleIndex");
  const Array& rules = *run.getObject("tool")->getObject("driver")->getArray("rules");
  EXPECT_EQ(rules[static_cast<std::size_t>(index)].getAsObject()->getString("id"),
            StringRef("stridelock-narrowed-view"));
}

TEST_F(Sarif, LocationsAreRelativeToTheRoot) {
  const report_data data =
      assemble({testing::narrowed_view()}, testing::no_comments(), testing::all_analysed(), {});
  const Object& run = this->run(data, options());
  const Object& where = *physical(result(run, 0));
  EXPECT_EQ(where.getObject("artifactLocation")->getString("uri"), StringRef("engine/run.cpp"));
  EXPECT_EQ(where.getObject("artifactLocation")->getString("uriBaseId"), StringRef("%SRCROOT%"));
  EXPECT_NE(run.getObject("originalUriBaseIds")->getObject("%SRCROOT%"), nullptr);
  EXPECT_EQ(where.getObject("region")->getInteger("startLine"), 2);
  EXPECT_EQ(where.getObject("region")->getInteger("startColumn"), 14);
}

TEST_F(Sarif, FilesOutsideAreAbsolute) {
  finding f = testing::narrowed_view();
  f.where.file = "/usr/include/x y.h";
  const Object& run =
      this->run(assemble({f}, testing::no_comments(), testing::all_analysed(), {}), options());
  const Object& artifact = *physical(result(run, 0))->getObject("artifactLocation");
  EXPECT_EQ(artifact.getString("uri"), StringRef("file:///usr/include/x%20y.h"));
  EXPECT_FALSE(artifact.getString("uriBaseId"));
}

TEST_F(Sarif, ThePathIsACodeFlowThatEndsAtTheFinding) {
  const report_data data =
      assemble({testing::narrowed_view()}, testing::no_comments(), testing::all_analysed(), {});
  const Object& run = this->run(data, options());
  const Array& steps = *result(run, 0)
                            .getArray("codeFlows")
                            ->front()
                            .getAsObject()
                            ->getArray("threadFlows")
                            ->front()
                            .getAsObject()
                            ->getArray("locations");
  ASSERT_EQ(steps.size(), 3u);
  const Object& first = *steps[0].getAsObject()->getObject("location");
  EXPECT_EQ(first.getObject("physicalLocation")->getObject("artifactLocation")->getString("uri"),
            StringRef("engine/metadata.cpp"));
  EXPECT_EQ(steps[2].getAsObject()->getObject("location")->getObject("message")->getString("text"),
            StringRef(testing::narrowed_view().message));
}

TEST_F(Sarif, FingerprintsAreVersioned) {
  const report_data data =
      assemble({testing::narrowed_view()}, testing::no_comments(), testing::all_analysed(), {});
  const Object& run = this->run(data, options());
  EXPECT_EQ(result(run, 0).getObject("partialFingerprints")->getString("stridelock/v1"),
            StringRef(testing::narrowed_view().fingerprint));
}

TEST_F(Sarif, SuppressedFindingsStayWithTheirJustification) {
  suppression_context context = testing::no_comments();
  context.comments = {{"engine/run.cpp", 2, 1, "narrowed-view", "rows are padded \"here\""}};
  const report_data data =
      assemble({testing::narrowed_view(), testing::copy_in_capture()}, context, testing::all_analysed(), {});
  const Object& run = this->run(data, options());
  ASSERT_EQ(run.getArray("results")->size(), 2u);
  const Object& suppressed = result(run, 0);
  EXPECT_EQ(suppressed.getString("ruleId"), StringRef("stridelock-narrowed-view"));
  ASSERT_EQ(suppressed.getArray("suppressions")->size(), 1u);
  const Object& why = *suppressed.getArray("suppressions")->front().getAsObject();
  EXPECT_EQ(why.getString("kind"), StringRef("inSource"));
  EXPECT_EQ(why.getString("justification"), StringRef("rows are padded \"here\""));
  ASSERT_NE(result(run, 1).getArray("suppressions"), nullptr);
  EXPECT_TRUE(result(run, 1).getArray("suppressions")->empty());
}

TEST_F(Sarif, AFailedUnitMakesTheInvocationUnsuccessful) {
  unit_problem p;
  p.file = "engine/bad.cu";
  p.summary = "not analysed: 1 error";
  p.errors = {{{"engine/bad.cu", 3, 1}, "expected '}'"}};
  sarif_options o = options();
  o.exit_code = 2;
  const Object& run = this->run(assemble({}, testing::no_comments(), testing::all_analysed(), {p}), o);
  const Object& invocation = *run.getArray("invocations")->front().getAsObject();
  EXPECT_EQ(invocation.getBoolean("executionSuccessful"), false);
  EXPECT_EQ(invocation.getInteger("exitCode"), 2);
  const Array& notifications = *invocation.getArray("toolExecutionNotifications");
  ASSERT_EQ(notifications.size(), 2u);
  EXPECT_EQ(notifications[0].getAsObject()->getString("level"), StringRef("error"));
  EXPECT_EQ(notifications[1].getAsObject()->getObject("message")->getString("text"),
            StringRef("expected '}}'"));
}

TEST_F(Sarif, AnEmptyRunHasAnEmptyListOfResults) {
  const Object& run = this->run(assemble({}, testing::no_comments(), testing::all_analysed(), {}), options());
  ASSERT_NE(run.getArray("results"), nullptr);
  EXPECT_TRUE(run.getArray("results")->empty());
  EXPECT_EQ(run.getArray("invocations")->front().getAsObject()->getBoolean("executionSuccessful"), true);
}

TEST_F(Sarif, HostileContent) {
  const Object& run = this->run(
      assemble({testing::hostile()}, testing::no_comments(), testing::all_analysed(), {}), options());
  const StringRef message = *result(run, 0).getObject("message")->getString("text");
  EXPECT_TRUE(message.contains("{{0}}"));     // a placeholder otherwise
  EXPECT_TRUE(message.contains("\\[a](b)"));  // a link otherwise
  EXPECT_EQ(physical(result(run, 0))->getObject("artifactLocation")->getString("uri"),
            StringRef("dir%20with%20space/100%25%22q%22.cpp"));
}

TEST_F(Sarif, ColumnsCountCodePointsWhereTheLineIsKnown) {
  finding f = testing::copy_in_capture();
  f.where.column = 4;
  sarif_options o = options();
  o.lines = [](ir::name, std::uint32_t) -> std::optional<std::string> { return "/*ä*/"; };
  f.where.column = 5;  // the star behind 'ä'
  const Object& run = this->run(assemble({f}, testing::no_comments(), testing::all_analysed(), {}), o);
  EXPECT_EQ(run.getString("columnKind"), StringRef("unicodeCodePoints"));
  EXPECT_EQ(physical(result(run, 0))->getObject("region")->getInteger("startColumn"), 4);
}

TEST(UriOf, KeepsColonsFromLookingLikeASchemeAndBytesAsTheyAre) {
  EXPECT_EQ(uri_of("c:/a#b?.cpp"), "c%3A/a%23b%3F.cpp");
  EXPECT_EQ(uri_of("\xff"), "%FF");
}

TEST_F(Sarif, SaysWhichResultsTheBaselineKnows) {
  report_data data = assemble({testing::narrowed_view(), testing::copy_in_capture()}, testing::no_comments(),
                              testing::all_analysed(), {});
  EXPECT_FALSE(result(run(data, options()), 0).getString("baselineState")) << "nothing was compared";
  baseline known;
  known.fingerprints = {testing::narrowed_view().fingerprint};
  compare_with(data, known, true);
  const Object& run = this->run(data, options());
  ASSERT_EQ(run.getArray("results")->size(), 2u);
  EXPECT_EQ(result(run, 0).getString("baselineState"), StringRef("unchanged"));
  EXPECT_EQ(result(run, 1).getString("baselineState"), StringRef("new"));
}

}  // namespace
}  // namespace stridelock::report
