#include <gtest/gtest.h>

#include "analyzer/tool/commands.h"
#include "analyzer/tool/failure.h"
#include "analyzer/tool/test_folder.h"
#include "runtime/tests/small_graphs.h"

namespace stridelock::tool {
namespace {

using namespace stridelock::test;

constexpr char known[] =
    R"({"stridelock_known_memory":1,"ranges":[{"name":"kv_pool","begin":"0x7f0000000000","bytes":1048576}]})";

class graph_command_test : public testing::folder_test {
 protected:
  int run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"-o", path("out")});
    return graph_command({"stridelock", arguments});
  }
  std::string failure_of(const std::vector<std::string>& arguments) {
    try {
      run(arguments);
    } catch (const failure& f) {
      return f.what();
    }
    return "no failure";
  }
  std::string out() const { return read("out"); }
  std::string saved(const std::string& name, const graph_snapshot& s) { return written(name, to_json(s)); }
  std::string written(const std::string& name, const std::string& bytes) {
    write(name, bytes);
    return path(name);
  }
};

TEST_F(graph_command_test, exit_codes_follow_the_worst_verdict) {
  const std::string k = "--known=" + written("known.json", known);
  const std::string good = saved("good.json", snapshot_of({kernel_node("k", {bytes_of({pool})})}));
  const std::string bad = saved("bad.json", snapshot_of({kernel_node("k", {bytes_of({gone})})}));
  const std::string maybe = saved("maybe.json", snapshot_of({kernel_node("k", {bytes_of({pool, scratch})})}));
  EXPECT_EQ(run({good, k}), 0);
  EXPECT_EQ(run({bad, k}), 1);
  EXPECT_NE(out().find("[audit/dangling-pointer]"), std::string::npos);
  EXPECT_EQ(run({bad, k, "--fail-on=never"}), 0);
  EXPECT_EQ(run({maybe, k}), 0);
  EXPECT_EQ(run({maybe, k, "--fail-on=possible"}), 1);
}

TEST_F(graph_command_test, what_judged_nothing_is_a_failure) {
  const std::string good = saved("good.json", snapshot_of({kernel_node("k", {bytes_of({pool})})}));
  EXPECT_EQ(failure_of({good}),
            "stridelock: error: graph: '" + good +
                "': nothing was judged: give --known=FILE with the ranges that are registered");
  const std::string empty = saved("empty.json", snapshot_of({}));
  EXPECT_EQ(failure_of({empty}),
            "stridelock: error: graph: '" + empty + "': nothing was judged: the graph has no nodes");
}

TEST_F(graph_command_test, nodes_json_and_a_second_capture) {
  const std::string k = "--known=" + written("known.json", known);
  const std::string a =
      saved("a.json", snapshot_of({kernel_node("k", {bytes_of({pool}), bytes_of_int(66)})}));
  const std::string b =
      saved("b.json", snapshot_of({kernel_node("k", {bytes_of({pool}), bytes_of_int(68)})}));
  EXPECT_EQ(run({a, k, "--nodes"}), 0);
  EXPECT_NE(out().find("  0  kernel k grid (1,1,1)"), std::string::npos);
  EXPECT_EQ(run({a, k, "--format=json"}), 0);
  EXPECT_EQ(out().rfind("{\"version\":1,", 0), 0U);
  EXPECT_EQ(run({a, k, "--other=" + b}), 1);
  EXPECT_NE(out().find("difference: baked scalar: node 0, k, parameter 1: 66, then 68\n"), std::string::npos);
  EXPECT_EQ(run({a, k, "--other=" + a}), 0);
}

TEST_F(graph_command_test, a_difference_that_is_only_possible_fails_only_where_asked) {
  const std::string words = R"(,"words":[{"value":"0x42"},{"value":"0x44"}]})";
  const std::string ranges(known, sizeof known - 2);  // without the last brace
  const std::string k = "--known=" + written("words.json", ranges + words);
  const std::string a = saved("a.json", snapshot_of({kernel_node("k", {bytes_of_int(66)})}));
  const std::string b = "--other=" + saved("b.json", snapshot_of({kernel_node("k", {bytes_of_int(68)})}));
  EXPECT_EQ(run({a, k, b}), 0);
  EXPECT_NE(out().find("difference: possible: baked scalar: node 0, k, parameter 0: 66, then 68\n"),
            std::string::npos);
  EXPECT_EQ(run({a, k, b, "--fail-on=possible"}), 1);
}

TEST_F(graph_command_test, memory_that_was_freed_since_the_capture) {
  graph_snapshot now = snapshot_of({kernel_node("k", {bytes_of({gone})})});
  graph_snapshot before = now;
  for (address_facts& f : before.addresses) {
    if (f.address == gone) f = device_memory(gone, gone, 4096, 3);
  }
  EXPECT_EQ(run({saved("now.json", now), "--then=" + saved("then.json", before)}), 1);
  EXPECT_NE(out().find("freed after the capture"), std::string::npos);
}

TEST_F(graph_command_test, bad_usage_and_bad_files) {
  EXPECT_EQ(failure_of({}), "stridelock: error: graph: no snapshot; give the file that the runtime wrote");
  const std::string broken = written("broken.json", "{");
  EXPECT_EQ(failure_of({broken}), broken + ":1:2: error: expected JSON: Expected object key");
  EXPECT_EQ(failure_of({broken, "--fail-on=posible"}),
            "stridelock: error: graph: --fail-on: expected violated, possible, unknown or never, found "
            "'posible'; did you mean "
            "'possible'?");
  EXPECT_EQ(failure_of({"a", "b"}),
            "stridelock: error: graph: expected one snapshot, found 'a' and 'b'; a second one is --other");
}

}  // namespace
}  // namespace stridelock::tool
