#include "stridelock/adapters/raw.h"

#include <gtest/gtest.h>

#include <string>

#include "stridelock/check.h"
#include "stridelock/message.h"
#include "stridelock/to_view.h"

namespace stridelock {
namespace {

inline constexpr auto scale = make_contract(
    "scale", arg("in").type(types::float32).shape(sym("M"), sym("N")).layout(notion::row_pitched),
    arg("out").type(types::float32).shape(sym("M"), sym("N")).layout(notion::dense).output());

float memory[64];
const float constants[64] = {};

TEST(raw, pointer_and_sizes_are_dense) {
  EXPECT_TRUE(check<scale>(raw(constants, 4, 8), raw(memory, 4, 8)).ok());
  EXPECT_EQ(check<scale>(raw(constants, 4, 8), raw(constants, 4, 8))[0].kind, violation_kind::read_only);
  EXPECT_EQ(check<scale>(raw(constants, 4, 8), raw(memory, 4, 4))[0].kind, violation_kind::extent);
  EXPECT_TRUE(check<scale>(raw(static_cast<void*>(memory), types::float32, 4, 8), raw(memory, 4, 8)).ok());
  EXPECT_EQ(
      check<scale>(raw(memory, 4, 8), raw(static_cast<const void*>(memory), types::float32, 4, 8))[0].kind,
      violation_kind::read_only);
}

TEST(raw, pitch_in_elements_and_in_bytes) {
  EXPECT_TRUE(check<scale>(raw_pitched(constants, 4, 8, 16), raw(memory, 4, 8)).ok());
  const report r = check<scale>(raw(memory, 4, 8), raw_pitched_bytes(memory, 4, 8, 64));
  ASSERT_EQ(r.size(), 1);
  EXPECT_EQ(r[0].kind, violation_kind::row_pitch);
  EXPECT_EQ(r[0].found, 16);
  const auto v = try_view<view<float, 2, row_pitched>>(raw_pitched_bytes(memory, 4, 8, 64));
  ASSERT_TRUE(v);
  EXPECT_EQ(v->pitch(), 16);
  EXPECT_EQ(pitch_bytes(*v), 64u);
  // No stride can say 65 bytes.
  EXPECT_EQ(check<scale>(raw_pitched_bytes(memory, 4, 8, 65), raw(memory, 4, 8))[0].kind,
            violation_kind::malformed);
  EXPECT_FALSE((try_view<view<float, 2, row_pitched>>(raw_pitched_bytes(memory, 4, 8, 65))));
}

TEST(raw, devices_are_compared_where_they_are_told) {
  constexpr device first{device_kind::cuda, 0}, second{device_kind::cuda, 1};
  EXPECT_TRUE(check<scale>(raw(memory, 4, 8).on(first), raw(memory, 4, 8).on(first)).ok());
  EXPECT_EQ(check<scale>(raw(memory, 4, 8).on(first), raw(memory, 4, 8).on(second))[0].kind,
            violation_kind::device);
}

// What a meta tensor looks like: sizes, no data, no place.
TEST(raw, a_place_is_not_asked_of_what_is_judged_without_data) {
  static constexpr auto on_gpu = make_contract("on_gpu", arg("x").type(types::float32).on(device_kind::cuda));
  evaluation_context without_data;
  without_data.without_data = true;
  float* const nothing = nullptr;
  EXPECT_TRUE(check_in<on_gpu>(without_data, raw(nothing, 4, 8)).ok());
  EXPECT_EQ(check<on_gpu>(raw(memory, 4, 8))[0].kind, violation_kind::device);
  EXPECT_EQ(check_in<on_gpu>(without_data, raw(nothing, 4, 8).on({device_kind::cpu, 0}))[0].kind,
            violation_kind::device);
}

TEST(raw, any_strides_and_sizes_that_do_not_fit) {
  const index_t extents[] = {4, 8}, strides[] = {1, 4};
  EXPECT_EQ(check<scale>(raw_strided(memory, extents, strides), raw(memory, 4, 8))[0].kind,
            violation_kind::layout);
  const index_t huge = index_t{1} << 40;
  EXPECT_EQ(check<scale>(raw(memory, huge, huge), raw(memory, huge, huge))[0].kind,
            violation_kind::not_addressable);
  EXPECT_FALSE((try_view<view<float, 2>>(raw(memory, huge, huge))));
  EXPECT_TRUE((try_view<view<float, 0>>(raw(memory))));
}

// ---- to_view.h ---------------------------------------------------------------------------------------------------------

TEST(to_view, promises_only_what_the_numbers_hold) {
  const auto narrow = raw_pitched(memory, 4, 8, 16);
  EXPECT_FALSE((try_view<view<float, 2>>(narrow)));
  EXPECT_TRUE((try_view<view<float, 2, row_pitched>>(narrow)));
  EXPECT_TRUE((try_view<view<float, 2, strided>>(narrow)));
  EXPECT_TRUE((try_view<view<const float, 2, inner_contiguous>>(narrow)));
  EXPECT_FALSE((try_view<view<int, 2, strided>>(narrow)));    // element type
  EXPECT_FALSE((try_view<view<float, 3, strided>>(narrow)));  // rank
  EXPECT_FALSE((try_view<view<float, 2>>(absent)));
  EXPECT_TRUE((try_view<view<float, 2>>(raw_pitched(memory, 1, 8, 99))));  // one row has no pitch
}

TEST(to_view, index_and_alignment_are_part_of_the_type) {
  using narrow_index = view<float, 2, row_pitched, std::int32_t>;
  EXPECT_TRUE(try_view<narrow_index>(raw_pitched(memory, 2, 8, 16)));
  EXPECT_FALSE(try_view<narrow_index>(raw_pitched(memory, 4, 8, index_t{1} << 30)));
  EXPECT_FALSE(try_view<narrow_index>(raw(memory, 0, index_t{1} << 40)));
  alignas(64) static float buffer[32];
  using aligned64 = view<float, 1, contiguous, index_t, aligned<64>>;
  EXPECT_TRUE(try_view<aligned64>(raw(buffer, 8)));
  EXPECT_FALSE(try_view<aligned64>(raw(buffer + 1, 8)));
  EXPECT_FALSE((try_view<view<float, 1>>(
      raw(static_cast<void*>(reinterpret_cast<char*>(buffer) + 1), types::float32, 7))));
}

template <class View, class Tensor>
std::string why_not(const Tensor& t) {
  try {
    require_view<View>(t);
  } catch (const contract_violation& e) {
    const std::string message = e.what();
    return message.substr(0, message.find('\n'));
  }
  return "no violation";
}

TEST(to_view, a_refusal_says_every_reason) {
  EXPECT_EQ((why_not<view<float, 2>>(raw_pitched(memory, 4, 8, 16))),
            "require_view: argument 'tensor' breaks its contract: row pitch is 16, needs 8 (dense rows)");
  EXPECT_EQ((why_not<view<float, 2>>(raw(constants, 4, 8))),
            "require_view: argument 'tensor' breaks its contract: it is read-only, and the kernel writes it");
  EXPECT_EQ((why_not<view<float, 2>>(absent)),
            "require_view: argument 'tensor' breaks its contract: it is absent, but required");
  EXPECT_EQ((why_not<view<float, 2, row_pitched, std::int32_t>>(raw(memory, 0, index_t{1} << 40))),
            "require_view: argument 'tensor' breaks its contract: its offsets span 1,099,511,627,775 "
            "elements, too far for "
            "32-bit indices");
  EXPECT_EQ((why_not<view<float, 1>>(raw(memory, 4).on({device_kind::vulkan, 0}))),
            "require_view: argument 'tensor' breaks its contract: it is on vulkan:0, needs cpu");
  EXPECT_EQ((require_view<view<float, 2, row_pitched>>(raw_pitched(memory, 4, 8, 16)).pitch()), 16);
  const scoped_failure_hook ignore([](const report&, void*) {});
  EXPECT_EQ((require_view<view<float, 2>>(raw_pitched(memory, 4, 8, 16)).data), nullptr);
}

}  // namespace
}  // namespace stridelock
