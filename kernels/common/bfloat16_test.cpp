#include "kernels/common/bfloat16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stridelock::kernels {
namespace {

TEST(Bfloat16, RoundsToNearestTiesToEven) {
  EXPECT_EQ(to_bfloat16(1.0f).bits, 0x3f80);
  EXPECT_EQ(to_bfloat16(1.0f + 1.0f / 256).bits, 0x3f80);  // half way: to even, down
  EXPECT_EQ(to_bfloat16(1.0f + 3.0f / 256).bits, 0x3f82);  // half way: to even, up
  EXPECT_EQ(to_bfloat16(-0.0f).bits, 0x8000);
  EXPECT_EQ(to_bfloat16(std::numeric_limits<float>::max()).bits, 0x7f80);  // rounds up to infinity
}

TEST(Bfloat16, KeepsNotANumber) {
  EXPECT_TRUE(std::isnan(to_float(to_bfloat16(std::nanf("")))));
  EXPECT_TRUE(std::isinf(to_float(to_bfloat16(INFINITY))));
}

TEST(Bfloat16, EveryValueSurvivesARoundTrip) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const bfloat16 value{static_cast<std::uint16_t>(bits)};
    if (std::isnan(to_float(value))) continue;
    ASSERT_EQ(to_bfloat16(to_float(value)).bits, bits);
  }
}

}  // namespace
}  // namespace stridelock::kernels
