// The ends of every range: int64, rank 0 and 8, null data, opaque devices, values smaller than a byte.
#include <gtest/gtest.h>

#include <limits>

#include "contracts/tests/judging.h"
#include "contracts/tests/small_contracts.h"

namespace stridelock {
namespace {

using namespace testing;

constexpr index_t most = std::numeric_limits<index_t>::max();
constexpr index_t least = std::numeric_limits<index_t>::min();

constexpr auto strict = make_contract("strict", arg("x")
                                                    .layout(notion::dense)
                                                    .layout(notion::canonical)
                                                    .layout(notion::row_pitched)
                                                    .layout(notion::permutation_dense)
                                                    .aligned(16)
                                                    .aligned_rows(16)
                                                    .output());

TEST(limits, no_evaluation_wraps_or_traps_at_the_ends_of_int64) {
  // Each is refused, whatever is asked; the sanitizers watch the arithmetic.
  for (const index_t extent : {most, most - 1, index_t{1} << 62, index_t{1} << 32, index_t{2}})
    for (const index_t stride : {most, least, least + 1, index_t{-1}, index_t{1} << 62, index_t{1} << 33}) {
      const tensor_desc x =
          tensor_desc::strided("x", types::float32, {extent, extent}, {stride, stride}, gpu, base);
      const report r = judge(strict, x);
      EXPECT_FALSE(r) << extent << " " << stride;
      EXPECT_FALSE(text(r).empty());
      EXPECT_FALSE(judge(descriptor_only, x)) << extent << " " << stride;
    }
}

// A repair is looked for with the needed pitch as unit of padding: in bits it does not fit.
TEST(limits, a_pitch_that_does_not_fit_in_bits_is_no_repair) {
  constexpr static auto narrow = make_contract("narrow", arg("x").layout(notion::dense).index_bits(32));
  constexpr index_t width = index_t{2990413274538836416};
  const report r =
      judge(narrow, tensor_desc::strided("x", types::uint8, {2, width}, {width + 64, 1}, gpu, base));
  EXPECT_EQ(r[r.headline()].kind, violation_kind::row_pitch);
  EXPECT_EQ(text(r).find("padded"), std::string::npos) << text(r);
}

TEST(limits, expressions_that_do_not_fit) {
  constexpr static auto grown =
      make_contract("grown", arg("x").shape(sym("n")), arg("y").shape(sym("n") + most));
  EXPECT_EQ(kinds(judge(grown, tensor("x", types::int8, {2}, {1}), tensor("y", types::int8, {2}, {1}))),
            list{violation_kind::overflow});
  constexpr static auto rounded =
      make_contract("rounded", arg("x").shape(sym("n")), arg("y").shape(rounded_up(sym("n"), 128)));
  EXPECT_EQ(kinds(judge(rounded, tensor("x", types::int8, {most}, {1}), tensor("y", types::int8, {2}, {1}))),
            list{violation_kind::overflow});
  // In a condition it does not hold: the branch is not taken by accident.
  constexpr static auto small = make_contract("small", arg("x").shape(sym("n"))).when(4 * sym("n") < 100);
  constexpr static auto one_branch = make_dispatch("d", small);
  EXPECT_EQ(kinds(judge(one_branch, tensor("x", types::int8, {most}, {1}))), list{violation_kind::uncovered});
  constexpr static auto guarded = make_contract("guarded", arg("x").shape(sym("n"))).needs(4 * sym("n") > 0);
  EXPECT_EQ(kinds(judge(guarded, tensor("x", types::int8, {most}, {1}))), list{violation_kind::guard});
}

// Arithmetic that the form of an expression cannot hold: a compile error, and at run time an overflow, never a wrapped number.
TEST(limits, expressions_that_cannot_be_represented) {
  const tensor_desc x = tensor("x", types::int8, {3}, {1});
  volatile index_t at_run_time = 0;
  const index_t none = at_run_time;
  const auto verdict_of = [&](expression e) {
    const auto c = make_contract("c", arg("x").shape(sym("W")), arg("y").shape(e));
    const auto d = make_dispatch("c", c);
    const argument_value values[] = {argument_value(x.ref()), argument_value(x.ref())};
    return kinds(evaluate(d.view(), values, 2, {}));
  };
  const list overflow{violation_kind::overflow};
  EXPECT_EQ(verdict_of((none + 4294967297) * sym("W")), overflow);
  EXPECT_EQ(verdict_of((none + 4) * expression(index_t{1} << 62)), overflow);
  EXPECT_EQ(verdict_of(sym("W") + most + (none + 1)), overflow);
  EXPECT_EQ(verdict_of(sym("W") - 2 - (none + most)), overflow);
  EXPECT_EQ(verdict_of(rounded_up(sym("W"), none)), overflow);
  EXPECT_EQ(verdict_of(rounded_up(sym("W"), none - 8)), overflow);
  EXPECT_EQ(verdict_of(rounded_up(sym("W"), none + 3) + 1), overflow);
  EXPECT_EQ(verdict_of(rounded_up(rounded_up(sym("W"), none + 6), 4)), overflow);
  EXPECT_EQ(verdict_of(sym("W") - none), list{});
}

TEST(limits, arithmetic_on_rounded_expressions) {
  const auto value_at = [](expression e, index_t w) {
    const checked linear = checked(w) * checked(e.multiple) + checked(e.added);
    return (e.rounded_to == 1 ? linear : round_up(linear, e.rounded_to)).value;
  };
  for (index_t w = 0; w < 300; ++w) {
    const index_t up = (w + 127) / 128 * 128;
    EXPECT_EQ(value_at(2 * rounded_up(sym("W"), 128), w), 2 * up);
    EXPECT_EQ(value_at(rounded_up(sym("W"), 128) + 256, w), up + 256);
    EXPECT_EQ(value_at(rounded_up(rounded_up(sym("W"), 64), 128), w), up);
    EXPECT_EQ(value_at(rounded_up(rounded_up(sym("W"), 128), 64), w), up);
  }
  static_assert(rounded_up(expression(5), 4).added == 8 && rounded_up(expression(5), 4).rounded_to == 1);
  static_assert((3 * expression(5)).added == 15);
}

TEST(limits, rank_zero) {
  const tensor_desc scalar = tensor_desc::dense("x", types::float32, {}, gpu, base);
  EXPECT_TRUE(judge(strict, scalar)) << text(judge(strict, scalar));
  constexpr static auto zero = make_contract("zero", arg("x").shape());
  EXPECT_TRUE(judge(zero, scalar));
  EXPECT_EQ(kinds(judge(zero, tensor("x", types::float32, {1}, {1}))), list{violation_kind::rank});
  EXPECT_EQ(kinds(judge(any_layout, scalar)), list{violation_kind::rank});
  EXPECT_EQ(kinds(judge(descriptor_only, scalar)), list{violation_kind::descriptor});
  EXPECT_EQ(kinds(judge(dense_only, tensor_desc::dense("x", types::float32, {}, gpu))),
            list{violation_kind::null_data});
}

TEST(limits, rank_eight) {
  const tensor_desc x = tensor_desc::dense("x", types::int8, {2, 2, 2, 2, 2, 2, 2, 16}, gpu, base);
  EXPECT_TRUE(judge(strict, x)) << text(judge(strict, x));
  constexpr static auto eight = make_contract(
      "eight", arg("x")
                   .shape(sym("a"), sym("b"), sym("c"), sym("d"), sym("e"), sym("f"), sym("g"), sym("h"))
                   .strides(any, any, any, any, any, any, sym("h"), 1));
  EXPECT_TRUE(judge(eight, x));
  EXPECT_EQ(kinds(judge(descriptor_only, x)), list{violation_kind::descriptor});
  EXPECT_FALSE(judge(strict, x.transpose(6, 7)));
}

TEST(limits, malformed_descriptions_are_refused_and_never_read) {
  const index_t two[] = {2, 2};
  for (const std::int32_t rank :
       {-1, 9, std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min()}) {
    const tensor_ref x{base, types::int8, rank, gpu, two, two};
    const argument_value values[] = {argument_value(x)};
    EXPECT_EQ(kinds(evaluate(dense_only.view(), values, 1)), list{violation_kind::malformed}) << rank;
    EXPECT_FALSE(text(evaluate(dense_only.view(), values, 1)).empty());
  }
}

TEST(limits, opaque_devices_have_no_addresses) {
  const device opaque{device_kind::webgpu, 0};
  EXPECT_TRUE(judge(strict, tensor_desc::dense("x", types::float32, {4, 4}, opaque, memory + 1)));
  EXPECT_TRUE(judge(strict, tensor_desc::dense("x", types::float32, {4, 4}, opaque)));  // a handle may be 0
  EXPECT_EQ(kinds(judge(aligned_only,
                        tensor_desc::dense("x", types::float32, {4, 4}, opaque, memory).columns(1, 4))),
            list{violation_kind::aligned});
}

TEST(limits, values_smaller_than_a_byte) {
  const tensor_desc fp4 = tensor_desc::dense("x", types::float4_e2m1fn, {4, 32}, gpu, base);
  EXPECT_TRUE(judge(strict, fp4)) << text(judge(strict, fp4));
  EXPECT_TRUE(judge(descriptor_only, fp4));  // 16 bytes a row
  const report r = judge(descriptor_only, tensor_desc::dense("x", types::float4_e2m1fn, {4, 24}, gpu, base));
  ASSERT_EQ(kinds(r), list{violation_kind::descriptor});
  EXPECT_EQ(r[0].found, 12);
  EXPECT_FALSE(judge(descriptor_only, tensor_desc::dense("x", types::float4_e2m1fn, {4, 33}, gpu, base)));
  constexpr static auto rows = make_contract("rows", arg("x").aligned_rows(16));
  EXPECT_FALSE(judge(rows, tensor_desc::dense("x", types::float4_e2m1fn, {4, 24}, gpu, base)));
}

}  // namespace
}  // namespace stridelock
