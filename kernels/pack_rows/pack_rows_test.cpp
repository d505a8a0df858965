#include "kernels/pack_rows/pack_rows.h"

#include <gtest/gtest.h>

#include "kernels/common/launch_error.h"
#include "kernels/testing/host_tensor.h"
#include "kernels/testing/refusals.h"

namespace stridelock::kernels {
namespace {

using testing::headlines;
using testing::host_tensor;
using testing::refusal;

TEST(PackRows, CopiesAPitchedViewDensely) {
  host_tensor<std::int32_t> buffer(3, 8, -99), packed(3, 5, -1);
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 5; ++column) buffer(row, column) = 10 * row + column;

  pack_rows(queue::host(), {buffer.matrix().first_columns(5), packed.matrix()});

  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 5; ++column) EXPECT_EQ(packed(row, column), 10 * row + column);
  EXPECT_TRUE(packed.guards_hold());
}

TEST(PackRows, ARecordedLaunchReadsTheRowsAtReplay) {
  host_tensor<std::int32_t> buffer(2, 8, 1), packed(2, 3, 0);
  host_recording graph;
  pack_rows(queue::recording(graph), {buffer.matrix().first_columns(3), packed.matrix()});
  EXPECT_EQ(packed(1, 2), 0);
  buffer(1, 2) = 7;
  graph.replay();
  EXPECT_EQ(packed(1, 2), 7);
}

TEST(PackRows, RefusesBadInput) {
  host_tensor<std::int32_t> buffer(3, 8, 0), packed(3, 5, 0);
  const auto rows = buffer.matrix().first_columns(5);

  EXPECT_EQ(
      headlines(refusal([&](const queue& to) { pack_rows(to, {rows, {packed.data(), {{3, 4}}}}); })),
      "pack_rows: argument 'packed' breaks its contract: shape[1] is 4, needs C = 5 from rows.shape[1]");
  EXPECT_EQ(headlines(refusal([&](const queue& to) { pack_rows(to, {rows, {nullptr, {{3, 5}}}}); })),
            "pack_rows: argument 'packed' breaks its contract: data is null, but 15 elements are addressed");
  view<const std::int32_t, 2, row_pitched> overlapping{buffer.data(), {{3, 5}, 4}};
  EXPECT_EQ(headlines(refusal([&](const queue& to) { pack_rows(to, {overlapping, packed.matrix()}); })),
            "pack_rows: argument 'rows' breaks its contract: row pitch is 4, needs at least 5 (rows must not "
            "overlap)");
}

TEST(PackRows, RefusesAWorkspaceThatOverlapsTheRows) {
  host_tensor<std::int32_t> buffer(3, 8, 0);
  const auto into = [&](std::int32_t* packed) {
    return headlines(refusal(
        [&](const queue& to) { pack_rows(to, {buffer.matrix().first_columns(5), {packed, {{3, 5}}}}); }));
  };
  EXPECT_EQ(
      into(buffer.data()),
      "pack_rows: argument 'packed' breaks its contract: it shares memory with 'rows', which starts at the "
      "same byte");
  EXPECT_EQ(into(buffer.data() + 4),
            "pack_rows: argument 'packed' breaks its contract: it shares memory with 'rows', which starts 16 "
            "bytes before it");
}

TEST(PackRows, RefusesAddressesBetweenElements) {
  host_tensor<std::int32_t> buffer(3, 8, 0), packed(3, 8, 0);
  const auto shifted = [](std::int32_t* p, int bytes) {
    return reinterpret_cast<std::int32_t*>(reinterpret_cast<char*>(p) + bytes);
  };
  for (const int bytes : {1, 2}) {
    view<const std::int32_t, 2, row_pitched> rows{shifted(buffer.data(), bytes), {{3, 5}, 8}};
    EXPECT_NE(refusal([&](const queue& to) { pack_rows(to, {rows, {packed.data(), {{3, 5}}}}); }),
              "launched");
    EXPECT_NE(refusal([&](const queue& to) {
                pack_rows(to, {buffer.matrix().first_columns(5), {shifted(packed.data(), bytes), {{3, 5}}}});
              }),
              "launched");
  }
}

#ifndef STRIDELOCK_CUDA_KERNELS
TEST(PackRows, WithoutCudaALaunchOnAStreamSaysSo) {
  host_tensor<std::int32_t> buffer(3, 8, 0), packed(3, 8, 0);
  try {
    pack_rows(queue::cuda(nullptr), {buffer.matrix(), packed.matrix()});
    FAIL() << "launched";
  } catch (const launch_error& error) {
    EXPECT_STREQ(error.what(), "pack_rows: this build has no CUDA; use a host queue");
  }
}
#endif

}  // namespace
}  // namespace stridelock::kernels
