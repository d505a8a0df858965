#include "kernels/prefill_row_count/prefill_row_count.h"

#include <gtest/gtest.h>

#include "kernels/testing/host_tensor.h"
#include "kernels/testing/refusals.h"
#include "stridelock/check.h"

namespace stridelock::kernels {
namespace {

using testing::headlines;
using testing::host_tensor;
using testing::refusal;

TEST(PrefillRowCount, CountsEntriesThatAreNotNegative) {
  host_tensor<std::int32_t> indices(3, 4, -1), counts(3, 1, -5);
  indices(0, 0) = 0;
  indices(2, 0) = 3;
  indices(2, 3) = 9;
  prefill_row_count(queue::host(), {indices.matrix(), counts.vector()});
  EXPECT_EQ(counts(0, 0), 1);
  EXPECT_EQ(counts(1, 0), 0);
  EXPECT_EQ(counts(2, 0), 2);
  EXPECT_TRUE(counts.guards_hold());
}

std::int32_t buffer_data[512 * 1024 + 2] = {};

// What the contract keeps away from it: an earlier, wider step left entries beyond this step's width.
TEST(PrefillRowCount, CountsStaleColumnsOfAFullWidthView) {
  host_tensor<std::int32_t> buffer(1, 8, -1), counts(1, 1, 0);
  for (int column = 0; column < 8; ++column) buffer(0, column) = column;  // a step of width 8
  for (int column = 0; column < 4; ++column) buffer(0, column) = column < 2 ? column : -1;  // now of width 4
  prefill_row_count(queue::host(), {buffer.matrix().first_columns(4), counts.vector()});
  EXPECT_EQ(counts(0, 0), 2);
  prefill_row_count(queue::host(), {buffer.matrix(), counts.vector()});
  EXPECT_EQ(counts(0, 0), 6);
}

TEST(PrefillRowCount, TheContractRefusesStaleColumns) {
  const auto buffer =
      tensor_desc::dense("prefill", types::int32, {512, 1024}, {device_kind::cpu, 0}, buffer_data);
  const auto counts =
      tensor_desc::dense("counts", types::int32, {2}, {device_kind::cpu, 0}, buffer_data + 512 * 1024);
  const auto step = buffer.rows(0, 2).activated_columns(128);
  EXPECT_TRUE(check<prefill_row_count_contract>(buffer.rows(0, 2).columns(0, 128), counts).ok());
  const report r = check<prefill_row_count_contract>(step, counts);
  EXPECT_EQ(r.result(), verdict::refused);
  EXPECT_EQ(headlines(text(r)),
            "prefill_row_count: argument 'indices' breaks its contract: the kernel reads 1024 columns, 128 "
            "hold this step's data; what the rest holds is not known");
}

TEST(PrefillRowCount, RefusesCountsInTheirOwnInputOrBetweenElements) {
  host_tensor<std::int32_t> indices(3, 4, -1), counts(3, 1, 0);
  EXPECT_EQ(
      headlines(refusal(
          [&](const queue& to) { prefill_row_count(to, {indices.matrix(), {indices.data() + 4, {{3}}}}); })),
      "prefill_row_count: argument 'counts' breaks its contract: it shares memory with 'indices', which "
      "starts 16 bytes before it");
  auto* const odd = reinterpret_cast<std::int32_t*>(reinterpret_cast<char*>(counts.data()) + 2);
  EXPECT_NE(refusal([&](const queue& to) { prefill_row_count(to, {indices.matrix(), {odd, {{2}}}}); }),
            "launched");
  EXPECT_NE(
      refusal([&](const queue& to) { prefill_row_count(to, {{odd, {{1, 1}, 1}}, {indices.data(), {{1}}}}); }),
      "launched");
}

TEST(PrefillRowCount, RefusesBadInput) {
  host_tensor<std::int32_t> indices(3, 4, -1), counts(3, 1, 0);
  EXPECT_EQ(headlines(refusal(
                [&](const queue& to) { prefill_row_count(to, {indices.matrix(), {counts.data(), {{2}}}}); })),
            "prefill_row_count: argument 'counts' breaks its contract: shape[0] is 2, needs P = 3 from "
            "indices.shape[0]");
  EXPECT_EQ(headlines(refusal(
                [&](const queue& to) { prefill_row_count(to, {{nullptr, {{3, 4}, 4}}, counts.vector()}); })),
            "prefill_row_count: argument 'indices' breaks its contract: data is null, but 12 elements are "
            "addressed");
}

}  // namespace
}  // namespace stridelock::kernels
