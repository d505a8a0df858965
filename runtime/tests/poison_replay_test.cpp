#include "stridelock/poison_replay.h"

#include <gtest/gtest.h>

#include <cstring>

namespace stridelock::test {
namespace {

// Sums `width` bytes of each row of a 4 x 8 matrix whose rows hold data in the first four columns only.
struct toy {
  std::vector<std::uint8_t> in = std::vector<std::uint8_t>(32, 1);
  std::vector<std::uint8_t> out = std::vector<std::uint8_t>(4, 0);
  std::size_t width = 4;
  int replays = 0;
  bool unsteady = false;

  poison_device device() {
    poison_device d;
    d.fill = [this](const poison_region& r, const std::vector<std::uint8_t>& sentinel) {
      for (std::uint64_t row = 0; row < r.rows; ++row) {
        for (std::uint64_t b = 0; b < r.row_bytes; ++b)
          in[r.address + row * r.pitch + b] = sentinel[b % sentinel.size()];
      }
      return true;
    };
    d.replay = [this] {
      ++replays;
      for (std::size_t row = 0; row < 4; ++row) {
        out[row] = 0;
        for (std::size_t c = 0; c < width; ++c)
          out[row] = static_cast<std::uint8_t>(out[row] + in[8 * row + c]);
      }
      if (unsteady) out[1] = static_cast<std::uint8_t>(replays);
      return true;
    };
    d.read = [this](const watched_output&, std::vector<std::uint8_t>& rows) {
      rows = out;
      return true;
    };
    return d;
  }
};

poison_plan stale_columns() {
  poison_plan plan;
  plan.poison = {{"stale columns", 4, 8, 4, 4}};
  plan.outputs = {{"sums", 0, 1, 1, 4, 3}};
  return plan;
}

TEST(poison_replay, a_bounded_reader_is_clean) {
  toy t;
  const poison_report r = poison_replay(stale_columns(), t.device());
  EXPECT_TRUE(r.clean());
  EXPECT_EQ(t.replays, 3);
  EXPECT_EQ(r.text(),
            "poison replay: 3 live rows: 0 read poison, 0 unsteady; 0 rows beyond the live ones changed\n");
}

TEST(poison_replay, a_whole_row_reader_is_found) {
  toy t;
  t.width = 8;
  const poison_report r = poison_replay(stale_columns(), t.device());
  EXPECT_FALSE(r.clean());
  EXPECT_EQ(r.text(),
            "poison replay: live row 0 of 'sums' depends on bytes that hold no data of this step (first at "
            "byte 0 of the row)\n"
            "poison replay: live row 1 of 'sums' depends on bytes that hold no data of this step (first at "
            "byte 0 of the row)\n"
            "poison replay: live row 2 of 'sums' depends on bytes that hold no data of this step (first at "
            "byte 0 of the row)\n"
            "poison replay: 3 live rows: 3 read poison, 0 unsteady; 1 row beyond the live ones changed\n");
}

TEST(poison_replay, rows_that_differ_anyway_prove_nothing) {
  toy t;
  t.unsteady = true;
  const poison_report r = poison_replay(stale_columns(), t.device());
  EXPECT_EQ(r.unsteady.size(), 1U);
  EXPECT_TRUE(r.read_poison.empty());
  EXPECT_TRUE(r.clean());
  poison_plan only_that = stale_columns();
  only_that.outputs[0].live_rows = 2;
  t.replays = 0;
  EXPECT_TRUE(poison_replay(only_that, t.device()).clean());
}

TEST(poison_replay, what_judges_nothing_is_not_clean) {
  toy t;
  poison_plan plan = stale_columns();
  plan.second_sentinel = plan.first_sentinel;
  EXPECT_EQ(poison_replay(plan, t.device()).text(),
            "poison replay: nothing was judged: the plan needs two sentinels that differ\n");
  EXPECT_FALSE(poison_replay({}, t.device()).clean());
  plan.first_sentinel = {0x7f};
  plan.second_sentinel = {0x7f, 0x7f};  // the same bytes once repeated
  EXPECT_EQ(poison_replay(plan, t.device()).failure, "the plan needs two sentinels that differ");
  plan.first_sentinel = {1, 2, 1, 2};
  plan.second_sentinel = {1, 2, 1, 2, 1, 2};
  EXPECT_EQ(poison_replay(plan, t.device()).failure, "the plan needs two sentinels that differ");
  plan.second_sentinel = {1, 2, 1, 2, 3};
  EXPECT_EQ(poison_replay(plan, t.device()).failure,
            "the sentinels do not differ within the rows of 'stale columns'");
  EXPECT_EQ(t.replays, 0);
  poison_device broken = t.device();
  broken.replay = [] { return false; };
  EXPECT_EQ(poison_replay(stale_columns(), broken).failure, "the replay failed");
  broken = t.device();
  broken.read = [](const watched_output&, std::vector<std::uint8_t>& rows) {
    rows.clear();
    return true;
  };
  EXPECT_EQ(poison_replay(stale_columns(), broken).failure, "reading 'sums' gave 0 bytes, expected 4");
}

TEST(poison_replay, regions_and_outputs_without_bytes_test_nothing) {
  toy t;
  for (const bool rows : {true, false}) {
    poison_plan plan = stale_columns();
    plan.poison.push_back({"padding rows", 0, 8, rows ? 8U : 0U, rows ? 0U : 4U});
    EXPECT_EQ(poison_replay(plan, t.device()).text(),
              "poison replay: nothing was judged: 'padding rows' has no bytes to poison\n");
    plan = stale_columns();
    plan.outputs.push_back({"scores", 0, 1, rows ? 1U : 0U, rows ? 0U : 4U, 3});
    EXPECT_EQ(poison_replay(plan, t.device()).text(),
              "poison replay: nothing was judged: 'scores' has no bytes to watch\n");
  }
  poison_plan plan = stale_columns();
  plan.outputs[0].row_bytes = std::uint64_t{1} << 32U;
  plan.outputs[0].rows = std::uint64_t{1} << 32U;
  EXPECT_EQ(poison_replay(plan, t.device()).failure, "'sums' has more bytes than there can be");
  EXPECT_EQ(t.replays, 0);
}

}  // namespace
}  // namespace stridelock::test
