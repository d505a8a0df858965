#include "analyzer/tool/children.h"

#include <map>

#include "analyzer/tool/test_folder.h"

namespace stridelock::tool {
namespace {

using kind = child_outcome::kind;

class Children : public testing::folder_test {
 protected:
  child_job shell(const std::string& script) { return {{"/bin/sh", "-c", script}, path("errors")}; }
  std::map<std::size_t, child_outcome> run(const std::vector<child_job>& jobs, unsigned at_once) {
    std::map<std::size_t, child_outcome> outcomes;
    run_children(jobs, at_once, [&](std::size_t job, const child_outcome& outcome) {
      EXPECT_EQ(outcomes.count(job), 0u);
      outcomes[job] = outcome;
    });
    return outcomes;
  }
};

TEST_F(Children, EveryJobEndsOnce) {
  for (const unsigned at_once : {0u, 1u, 3u, 20u}) {
    const auto outcomes = run(std::vector<child_job>(7, shell("exit 0")), at_once);
    EXPECT_EQ(outcomes.size(), 7u);
    for (const auto& [job, outcome] : outcomes) EXPECT_EQ(outcome.how, kind::done) << job;
  }
  EXPECT_TRUE(run({}, 2).empty());
}

TEST_F(Children, OneBadJobCostsNoOther) {
  const auto outcomes = run(
      {shell("exit 0"), shell("kill -SEGV $$"), shell("exit 3"), {{"/no/such/program"}, path("errors")}}, 2);
  EXPECT_EQ(outcomes.at(0).how, kind::done);
  EXPECT_EQ(outcomes.at(1).how, kind::crashed);
  EXPECT_EQ(outcomes.at(1).message, "Segmentation fault");
  EXPECT_EQ(outcomes.at(2).how, kind::refused);
  EXPECT_EQ(outcomes.at(2).exit_code, 3);
  EXPECT_NE(outcomes.at(3).how, kind::done);
}

TEST_F(Children, AKilledJobRunsOnceMore) {
  // Killed the first time, fine when it is alone.
  const std::string once =
      "test -e " + path("marker") + " || { touch " + path("marker") + "; kill -KILL $$; }";
  EXPECT_EQ(run({shell(once), shell("exit 0")}, 2).at(0).how, kind::done);
  // Killed again: that is its outcome.
  const auto outcomes = run({shell("echo x >> " + path("count") + "; kill -KILL $$")}, 2);
  EXPECT_EQ(outcomes.at(0).how, kind::killed);
  EXPECT_EQ(read("count"), "x\nx\n");
}

TEST_F(Children, StandardErrorIsKept) {
  run({shell("echo complaint >&2; exit 1")}, 1);
  EXPECT_EQ(read("errors"), "complaint\n");
}

TEST(AffordableChildren, IsAtLeastOne) {
  EXPECT_GE(affordable_children(1), 1u);
  EXPECT_EQ(affordable_children(~std::uint64_t{0}), 1u);
}

}  // namespace
}  // namespace stridelock::tool
