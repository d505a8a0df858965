#include "analyzer/report/order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyzer/report/test_findings.h"

namespace stridelock::report {
namespace {

TEST(Order, IsTheSameForAnyOrderOfInput) {
  finding weaker = testing::narrowed_view();
  weaker.level = severity::warning;
  finding other_path = testing::narrowed_view();
  other_path.trace.pop_back();
  finding elsewhere = testing::narrowed_view();
  elsewhere.where.line = 1;
  std::vector<finding> all = {
      testing::narrowed_view(), weaker, other_path, elsewhere, testing::copy_in_capture(),
      testing::hostile()};
  std::vector<int> order = {0, 1, 2, 3, 4, 5};
  std::vector<finding> expected = sorted_and_merged(all);
  ASSERT_EQ(expected.size(), 4u);
  do {
    std::vector<finding> shuffled;
    for (const int i : order) shuffled.push_back(all[static_cast<std::size_t>(i)]);
    ASSERT_EQ(sorted_and_merged(shuffled), expected);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Order, TheStrongestWithTheShortestPathStays) {
  finding weaker_but_shorter = testing::narrowed_view();
  weaker_but_shorter.level = severity::warning;
  weaker_but_shorter.trace.clear();
  finding shorter = testing::narrowed_view();
  shorter.trace.pop_back();
  const std::vector<finding> merged =
      sorted_and_merged({testing::narrowed_view(), weaker_but_shorter, shorter});
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_EQ(merged[0], shorter);
}

TEST(Order, DifferentFindingsAtOnePlaceStay) {
  finding other = testing::narrowed_view();
  other.fingerprint += "2";
  EXPECT_EQ(sorted_and_merged({testing::narrowed_view(), other}).size(), 2u);
  finding a = testing::narrowed_view();
  a.fingerprint.clear();
  finding b = a;
  b.message += "!";
  EXPECT_EQ(sorted_and_merged({a, b, a}).size(), 2u);
}

TEST(Order, FilesThenLinesThenColumns) {
  finding first = testing::hostile();
  finding second = testing::copy_in_capture();
  second.where = {"engine/run.cpp", 2, 2};
  const std::vector<finding> sorted =
      sorted_and_merged({testing::copy_in_capture(), testing::narrowed_view(), second, first});
  ASSERT_EQ(sorted.size(), 4u);
  EXPECT_EQ(sorted[0].where, first.where);
  EXPECT_EQ(sorted[1].where, second.where);
  EXPECT_EQ(sorted[2].where, testing::narrowed_view().where);
  EXPECT_EQ(sorted[3].where, testing::copy_in_capture().where);
}

}  // namespace
}  // namespace stridelock::report
