// Defects seen in matchers, group A: addresses and types smaller than a byte.
//   A1  the byte offset is part of the address                 A2  sub-byte types skip nothing
#include <gtest/gtest.h>

#include <limits>

#include "contracts/tests/judging.h"
#include "contracts/tests/small_contracts.h"
#include "contracts/tests/small_layouts.h"
#include "stridelock/descriptor.h"
#include "stridelock/layout.h"

namespace stridelock {
namespace {

using namespace testing;

TEST(defect, A1_the_byte_offset_is_part_of_the_address) {
  const tensor_desc x = tensor_desc::dense("x", types::float16, {8}, gpu, base).slice(0, 1, 8);
  ASSERT_EQ(x.byte_offset(), 2u);
  const report r = judge(aligned_only, x);
  ASSERT_EQ(kinds(r), list{violation_kind::aligned});
  EXPECT_EQ(r[0].found, 2);
  EXPECT_NE(text(r).find("address is 2 bytes past a multiple of 16 (data 0, byte offset 2)"),
            std::string::npos)
      << text(r);
  // The same view as a shifted pointer without an offset: the same verdict.
  EXPECT_EQ(kinds(judge(aligned_only, tensor_desc::dense("x", types::float16, {7}, gpu, memory + 2))),
            list{violation_kind::aligned});
}

TEST(defect, A1_only_the_offset_is_judged_on_opaque_devices) {
  const device opaque{device_kind::vulkan, 0};
  const void* const handle = memory + 3;
  EXPECT_TRUE(judge(aligned_only, tensor_desc::dense("x", types::float16, {8}, opaque, handle)));
  EXPECT_FALSE(
      judge(aligned_only, tensor_desc::dense("x", types::float16, {8}, opaque, handle).slice(0, 1, 8)));
}

TEST(defect, A2_sub_byte_types_skip_nothing) {
  constexpr static auto fp4 = make_contract("fp4", arg("x").type(types::float4_e2m1fn).aligned(16));
  EXPECT_EQ(kinds(judge(fp4, tensor_desc::dense("x", types::float4_e2m1fn, {4, 8}, gpu, memory + 8))),
            list{violation_kind::aligned});
  constexpr static auto wide = make_contract("wide", arg("x").type(types::float4_e2m1fn).shape(4, 8));
  EXPECT_EQ(kinds(judge(wide, tensor_desc::dense("x", types::int4, {4, 6}, gpu, base))),
            (list{violation_kind::type, violation_kind::extent}));
  EXPECT_EQ(kinds(judge(fp4, tensor("x", types::float4_e2m1fn, {4, 8}, {1, 4}))),
            list{violation_kind::packed_stride});
}

}  // namespace
}  // namespace stridelock
