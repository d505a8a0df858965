#include "kernels/topk_metadata/topk_metadata.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "kernels/testing/host_tensor.h"
#include "kernels/testing/refusals.h"

namespace stridelock::kernels {
namespace {

using testing::headlines;
using testing::host_tensor;
using testing::refusal;

// Two decode and two prefill tokens of two requests, in buffers of 512 columns.
struct step {
  std::vector<std::int64_t> decode_positions{255, 511}, prefill_positions{383, 639}, slots{0, 0};
  std::vector<std::int32_t> requests{0, 1};
  host_tensor<std::int32_t> blocks{2, 1, 0};
  host_tensor<std::int32_t> decode{2, 512, -99}, lengths{2, 1, -99}, prefill{2, 512, -99};

  step() {
    blocks(0, 0) = 3;
    blocks(1, 0) = 5;
  }
  topk_metadata_arguments arguments(index_t width) {
    topk_metadata_arguments a;
    a.decode_positions = {decode_positions.data(), {{2}}};
    a.decode_requests = {requests.data(), {{2}}};
    a.decode_slots = {slots.data(), {{2}}};
    a.prefill_positions = {prefill_positions.data(), {{2}}};
    a.block_table = blocks.matrix();
    a.decode_indices = decode.matrix().first_columns(width);
    a.decode_lengths = lengths.vector();
    a.prefill_indices = prefill.matrix().first_columns(width);
    a.max_position = 639;
    a.block_size = 512;
    return a;
  }
  std::vector<std::int32_t> row_of(host_tensor<std::int32_t>& from, index_t row) {
    return {from(row, 0), from(row, 1), from(row, 2), from(row, 3)};
  }
};

using row = std::vector<std::int32_t>;

TEST(TopkMetadata, WritesTheRowsOfTheRule) {
  step s;
  topk_metadata(queue::host(), s.arguments(128));
  EXPECT_EQ(s.row_of(s.decode, 0), (row{1536, 1537, -1, -1}));
  EXPECT_EQ(s.row_of(s.decode, 1), (row{2560, 2561, 2562, 2563}));
  EXPECT_EQ(s.row_of(s.prefill, 0), (row{0, 1, 2, -1}));
  EXPECT_EQ(s.row_of(s.prefill, 1), (row{0, 1, 2, 3}));
  EXPECT_EQ(s.lengths(0, 0), 2);
  EXPECT_EQ(s.lengths(1, 0), 4);
  EXPECT_EQ(s.decode(1, 127), -1);
  EXPECT_TRUE(s.decode.untouched_from(128));
  EXPECT_TRUE(s.prefill.untouched_from(128));
  EXPECT_TRUE(s.decode.guards_hold() && s.prefill.guards_hold() && s.lengths.guards_hold());
}

TEST(TopkMetadata, BlocksOfTwoEntriesGoThroughTheTable) {
  step s;
  host_tensor<std::int32_t> blocks(2, 4, 0);
  for (int block = 0; block < 4; ++block) {
    blocks(0, block) = 9 - block;
    blocks(1, block) = 20 + 3 * block;
  }
  auto a = s.arguments(128);
  a.block_size = 2;
  a.block_table = blocks.matrix();
  topk_metadata(queue::host(), a);
  EXPECT_EQ(s.row_of(s.decode, 0), (row{18, 19, -1, -1}));
  EXPECT_EQ(s.row_of(s.decode, 1), (row{40, 41, 46, 47}));
}

TEST(TopkMetadata, APaddedRowIsWrittenAndHasLengthZero) {
  step s;
  s.slots[1] = -1;
  topk_metadata(queue::host(), s.arguments(128));
  EXPECT_EQ(s.lengths(1, 0), 0);
  EXPECT_EQ(s.row_of(s.decode, 1), (row{2560, 2561, 2562, 2563}));
}

TEST(TopkMetadata, ARequestOutsideTheBlockTableGetsNoEntries) {
  step s;
  s.requests[0] = 2;
  s.requests[1] = -1;
  topk_metadata(queue::host(), s.arguments(128));
  EXPECT_EQ(s.row_of(s.decode, 0), (row{-1, -1, -1, -1}));
  EXPECT_EQ(s.row_of(s.decode, 1), (row{-1, -1, -1, -1}));
}

TEST(TopkMetadata, RefusesAWidthThatWouldTruncate) {
  step s;
  EXPECT_EQ(headlines(refusal([&](const queue& to) { topk_metadata(to, s.arguments(4)); })),
            "topk_metadata: needs W >= 5, but W = 4, entries = 5\ntopk_metadata: needs V >= 5, but V = 4, "
            "entries = 5");
  EXPECT_TRUE(s.decode.untouched_from(0));
}

TEST(TopkMetadata, RefusesAMaxPositionThatNobodyHasSet) {
  step s;
  for (const std::int64_t forgotten : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
    auto a = s.arguments(4);
    a.max_position = forgotten;
    EXPECT_EQ(headlines(refusal([&](const queue& to) { topk_metadata(to, a); })),
              "topk_metadata: needs " + std::to_string(forgotten) +
                  " >= 0, but max_position = " + std::to_string(forgotten));
  }
  topk_metadata_arguments none = s.arguments(4);
  none.decode_positions.numbers.extents[0] = none.decode_requests.numbers.extents[0] = 0;
  none.decode_slots.numbers.extents[0] = none.decode_lengths.numbers.extents[0] = 0;
  none.decode_indices.numbers.extents[0] = none.prefill_indices.numbers.extents[0] = 0;
  none.prefill_positions.numbers.extents[0] = 0;
  none.max_position = -1;  // the largest of no positions
  topk_metadata(queue::host(), none);
  EXPECT_TRUE(s.decode.untouched_from(0));
}

TEST(TopkMetadata, TheLastPositionOfAllIsCounted) {
  step s;
  auto a = s.arguments(128);
  a.ratio = 1;
  a.max_position = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(headlines(refusal([&](const queue& to) { topk_metadata(to, a); })).substr(0, 50),
            "topk_metadata: needs W >= 9223372036854775807, but");

  a = s.arguments(128);
  s.decode_positions[0] = s.prefill_positions[0] = std::numeric_limits<std::int64_t>::max();
  s.decode_positions[1] = std::numeric_limits<std::int64_t>::min();
  topk_metadata(queue::host(), a);
  EXPECT_EQ(s.lengths(0, 0), 128);
  EXPECT_EQ(s.lengths(1, 0), 0);
  EXPECT_EQ(s.prefill(0, 127), 127);
}

TEST(TopkMetadata, AnEntryThatDoesNotFitIsNone) {
  step s;
  s.blocks(1, 0) = 1 << 30;
  topk_metadata(queue::host(), s.arguments(128));
  EXPECT_EQ(s.row_of(s.decode, 1), (row{-1, -1, -1, -1}));
  s.blocks(1, 0) = (1 << 22) - 1;  // of 512 entries: the last block that fits
  topk_metadata(queue::host(), s.arguments(128));
  EXPECT_EQ(s.decode(1, 3), std::numeric_limits<std::int32_t>::max() - 508);
}

TEST(TopkMetadata, RefusesOutputsOverAnythingElse) {
  step s;
  const auto says = [](const topk_metadata_arguments& a) {
    return headlines(refusal([&](const queue& to) { topk_metadata(to, a); }));
  };
  auto a = s.arguments(128);
  a.prefill_indices = a.decode_indices;
  EXPECT_EQ(says(a),
            "topk_metadata: argument 'prefill_indices' breaks its contract: it shares memory with "
            "'decode_indices', which starts at the same byte");
  a = s.arguments(128);
  a.decode_lengths = {s.decode.data(), {{2}}};
  EXPECT_EQ(says(a),
            "topk_metadata: argument 'decode_lengths' breaks its contract: it shares memory with "
            "'decode_indices', which starts at the same byte");
  a = s.arguments(128);
  a.block_table = {s.prefill.data(), {{2, 1}, 1}};
  EXPECT_EQ(says(a),
            "topk_metadata: argument 'block_table' breaks its contract: it shares memory with "
            "'prefill_indices', which starts at the same byte");
  a = s.arguments(128);
  a.decode_requests = {s.lengths.data(), {{2}}};
  EXPECT_EQ(says(a),
            "topk_metadata: argument 'decode_requests' breaks its contract: it shares memory with "
            "'decode_lengths', which starts at the same byte");
}

TEST(TopkMetadata, RefusesAddressesBetweenElements) {
  step s;
  const auto good = s.arguments(128);
  const auto shifted = [](auto*& p, int bytes) {
    using element = std::remove_reference_t<decltype(p)>;
    p = reinterpret_cast<element>(reinterpret_cast<std::uintptr_t>(p) + static_cast<unsigned>(bytes));
  };
  const auto launched = [](const topk_metadata_arguments& a) {
    return refusal([&](const queue& to) { topk_metadata(to, a); }) == "launched";
  };
  EXPECT_TRUE(launched(good));
  auto a = good;
  EXPECT_FALSE((shifted(a.decode_positions.data, 4), launched(a)));
  a = good;
  EXPECT_FALSE((shifted(a.decode_requests.data, 2), launched(a)));
  a = good;
  EXPECT_FALSE((shifted(a.decode_slots.data, 4), launched(a)));
  a = good;
  EXPECT_FALSE((shifted(a.prefill_positions.data, 4), launched(a)));
  a = good;
  EXPECT_FALSE((shifted(a.block_table.data, 2), launched(a)));
  a = good;
  EXPECT_FALSE((shifted(a.decode_indices.data, 1), launched(a)));
  a = good;
  EXPECT_FALSE((shifted(a.decode_lengths.data, 1), launched(a)));
  a = good;
  EXPECT_FALSE((shifted(a.prefill_indices.data, 2), launched(a)));
}

TEST(TopkMetadata, RefusesABlockTableThatIsTooShort) {
  step s;
  auto a = s.arguments(128);
  a.block_size = 2;
  EXPECT_EQ(headlines(refusal([&](const queue& to) { topk_metadata(to, a); })),
            "topk_metadata: needs B >= 3, but B = 1, blocks = 3");
}

TEST(TopkMetadata, RefusesBadInput) {
  step s;
  auto a = s.arguments(128);
  a.decode_lengths = {s.lengths.data(), {{1}}};
  EXPECT_EQ(headlines(refusal([&](const queue& to) { topk_metadata(to, a); })),
            "topk_metadata: argument 'decode_lengths' breaks its contract: shape[0] is 1, needs D = 2 from "
            "decode_positions.shape[0]");
  a = s.arguments(128);
  a.ratio = 0;
  EXPECT_EQ(headlines(refusal([&](const queue& to) { topk_metadata(to, a); })),
            "topk_metadata: needs 0 >= 1, but ratio = 0");
  a = s.arguments(128);
  a.decode_indices.numbers.pitch = 64;  // rows that overlap
  EXPECT_EQ(headlines(refusal([&](const queue& to) { topk_metadata(to, a); })),
            "topk_metadata: argument 'decode_indices' breaks its contract: row pitch is 64, needs at least "
            "128 (rows must not overlap)\ntopk_metadata: argument 'decode_indices' breaks its contract: its "
            "elements share addresses (the kernel writes them)");
}

}  // namespace
}  // namespace stridelock::kernels
