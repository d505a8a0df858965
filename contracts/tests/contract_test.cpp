// The evaluator against the defect table: every row that applies to contracts, named by its id.
#include "stridelock/contract.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>
#include <vector>

#include "stridelock/evaluate.h"
#include "stridelock/message.h"

namespace stridelock {
namespace {

constexpr device gpu{device_kind::cuda, 0};

// A non-null base that is a multiple of 256, and never read.
alignas(256) char memory[256];
const void* const base = memory;

tensor_desc tensor(std::string_view name, dtype type, std::initializer_list<index_t> extents,
                   std::initializer_list<index_t> strides) {
  return tensor_desc::strided(name, type, extents, strides, gpu, base);
}

template <class C, class... T>
report judge(const C& what, const T&... tensors) {
  const argument_value values[] = {argument_value(tensors.ref())...};
  return evaluate(what.view(), values, static_cast<int>(sizeof...(T)));
}

std::vector<violation_kind> kinds(const report& r) {
  std::vector<violation_kind> out;
  for (const violation& v : r) out.push_back(v.kind);
  return out;
}
using list = std::vector<violation_kind>;

// ---- B: binding ----------------------------------------------------------------------------------------------------

constexpr auto wildcard =
    make_contract("wildcard", arg("x").shape(any, sym("D")), arg("y").shape(any, sym("D")));

TEST(contract, B1_a_wildcard_is_not_remembered) {
  EXPECT_TRUE(judge(wildcard, tensor("x", types::float32, {3, 128}, {128, 1}),
                    tensor("y", types::float32, {5, 128}, {128, 1})));
  EXPECT_FALSE(judge(wildcard, tensor("x", types::float32, {3, 128}, {128, 1}),
                     tensor("y", types::float32, {5, 64}, {64, 1})));
}

constexpr auto pitched_pair = make_contract("pitched_pair", arg("a").shape(any, 128).strides(sym("P"), 1),
                                            arg("b").shape(any, 128).strides(sym("P"), 1));

TEST(contract, B2_the_stride_of_a_single_row_never_binds) {
  const tensor_desc one_row = tensor("A", types::float32, {1, 128}, {4608, 1});
  const tensor_desc rows = tensor("B", types::float32, {4, 128}, {256, 1});
  evaluation_context context;
  context.is_stable = nullptr;
  for (const bool swapped : {false, true}) {
    const report r = swapped ? judge(pitched_pair, rows, one_row) : judge(pitched_pair, one_row, rows);
    EXPECT_TRUE(r) << text(r);
  }
  // What it was bound to shows as soon as a third fact fails: a pitch of 300 is compared with 256 both times.
  constexpr static auto three = make_contract("three", arg("a").shape(any, 128).strides(sym("P"), 1),
                                              arg("b").shape(any, 128).strides(sym("P"), 1),
                                              arg("c").shape(any, 128).strides(sym("P"), 1));
  const tensor_desc other = tensor("C", types::float32, {4, 128}, {300, 1});
  for (const bool swapped : {false, true}) {
    const report r = swapped ? judge(three, rows, one_row, other) : judge(three, one_row, rows, other);
    ASSERT_EQ(kinds(r), list{violation_kind::stride});
    EXPECT_EQ(r[0].found, 300);
    EXPECT_EQ(r[0].needed, 256);
    EXPECT_EQ(r.symbol(0).value, 256);
    EXPECT_TRUE(r.symbol(0).by_stride);
  }
}

TEST(contract, B2_a_stride_that_nothing_binds_is_reported_unbound) {
  constexpr static auto one =
      make_contract("one", arg("a").type(types::int8).shape(any, 128).strides(sym("P"), 1));
  const report r = judge(one, tensor("A", types::float32, {1, 128}, {4608, 1}));
  ASSERT_EQ(kinds(r), list{violation_kind::type});
  ASSERT_EQ(r.symbol_count(), 1);
  EXPECT_FALSE(r.symbol(0).bound);
}

TEST(contract, B3_minus_one_is_a_stride_like_any_other) {
  constexpr static auto reversed = make_contract("reversed", arg("a").shape(sym("n")).strides(sym("S")),
                                                 arg("b").shape(any).strides(sym("S")));
  const report r =
      judge(reversed, tensor("a", types::int32, {4}, {-1}), tensor("b", types::int32, {4}, {-2}));
  ASSERT_EQ(kinds(r), list{violation_kind::stride});
  EXPECT_EQ(r[0].found, -2);
  EXPECT_EQ(r[0].needed, -1);
  EXPECT_TRUE(judge(reversed, tensor("a", types::int32, {4}, {-1}), tensor("b", types::int32, {4}, {-1})));
}

TEST(contract, B4_forward_references_name_both_paths) {
  constexpr static auto forward =
      make_contract("forward", arg("first").shape(sym("n") + 1), arg("second").shape(sym("n")));
  EXPECT_TRUE(judge(forward, tensor("a", types::int32, {5}, {1}), tensor("b", types::int32, {4}, {1})));
  const report r = judge(forward, tensor("a", types::int32, {6}, {1}), tensor("b", types::int32, {4}, {1}));
  ASSERT_EQ(kinds(r), list{violation_kind::extent});
  EXPECT_EQ(r[0].found, 6);
  EXPECT_EQ(r[0].needed, 5);
  EXPECT_NE(
      text(r).find("argument 'first' breaks its contract: shape[0] is 6, needs n+1 = 5 from second.shape[0]"),
      std::string::npos)
      << text(r);
}

TEST(contract, B5_declared_guards_are_enforced) {
  constexpr static auto guarded =
      make_contract("guarded", arg("x").shape(any, sym("k"))).needs(divisible(sym("k"), 16));
  EXPECT_TRUE(judge(guarded, tensor("x", types::int32, {2, 32}, {32, 1})));
  const report r = judge(guarded, tensor("x", types::int32, {2, 24}, {24, 1}));
  ASSERT_EQ(kinds(r), list{violation_kind::guard});
  EXPECT_EQ(r.result(), verdict::refused);
}

// ---- S, E: size 1 and empty -------------------------------------------------------------------------------------------

constexpr auto dense_only = make_contract("dense_only", arg("x").layout(notion::dense));
constexpr auto rows_only = make_contract("rows_only", arg("x").layout(notion::row_pitched));
constexpr auto explicit_strides = make_contract("explicit_strides", arg("x").shape(any, 128).strides(128, 1));
constexpr auto canonical_only = make_contract("canonical_only", arg("x").layout(notion::canonical));
constexpr auto permutation_only =
    make_contract("permutation_only", arg("x").layout(notion::permutation_dense));

TEST(contract, S1_size_one_strides_are_free_for_every_kind_of_contract) {
  const tensor_desc x = tensor("x", types::float16, {1, 128}, {4608, 1});
  EXPECT_TRUE(judge(dense_only, x));
  EXPECT_TRUE(judge(rows_only, x));
  EXPECT_TRUE(judge(explicit_strides, x));
  EXPECT_FALSE(judge(explicit_strides, tensor("x", types::float16, {2, 128}, {4608, 1})));
}

TEST(contract, S2_canonical_is_more_than_dense_and_a_copy_is_no_cure) {
  const tensor_desc x = tensor("x", types::float16, {1, 32, 128}, {4608, 128, 1});
  EXPECT_TRUE(judge(dense_only, x));
  const report r = judge(canonical_only, x);
  ASSERT_EQ(r.size(), 1);
  EXPECT_EQ(r[0].dim, 0);
  EXPECT_EQ(r[0].found, 4608);
  EXPECT_EQ(r[0].needed, 4096);
  EXPECT_NE(text(r).find("rewrite stride[0] to 4096: free"), std::string::npos);
  EXPECT_NE(text(r).find("Not .contiguous()"), std::string::npos);
}

TEST(contract, S4_dimensions_after_a_size_one_are_compared) {
  const report r = judge(dense_only, tensor("x", types::float16, {1, 4, 8}, {7, 16, 1}));
  ASSERT_EQ(kinds(r), list{violation_kind::row_pitch});
  EXPECT_EQ(r[0].found, 16);
  EXPECT_EQ(r[0].needed, 8);
}

TEST(contract, S5_size_one_between_pitch_and_rows) {
  EXPECT_TRUE(judge(rows_only, tensor("x", types::float16, {1, 128, 1, 192}, {49152, 384, 384, 1})));
}

TEST(contract, E1_empty_tensors) {
  for (const auto& strides : {std::initializer_list<index_t>{1, 1}, {0, 1}, {99, 5}})
    EXPECT_TRUE(judge(dense_only, tensor("x", types::float16, {3, 0}, strides)));
  EXPECT_TRUE(judge(canonical_only, tensor("x", types::float16, {3, 0}, {1, 1})));
  EXPECT_FALSE(judge(canonical_only, tensor("x", types::float16, {3, 0}, {0, 1})));
}

TEST(contract, E2_empty_is_permutation_dense) {
  EXPECT_TRUE(judge(permutation_only, tensor("x", types::float16, {3, 0}, {5, 1})));
}

constexpr auto aligned_only = make_contract("aligned_only", arg("x").aligned(16));

TEST(contract, E3_alignment_and_null_are_not_evaluated_for_empty_tensors) {
  EXPECT_TRUE(judge(aligned_only, tensor_desc::dense("x", types::float32, {0, 4}, gpu, nullptr)));
  EXPECT_EQ(kinds(judge(aligned_only, tensor_desc::dense("x", types::float32, {2, 4}, gpu, nullptr))),
            list{violation_kind::null_data});
}

// ---- A: address and sub-byte -----------------------------------------------------------------------------------------

TEST(contract, A1_the_byte_offset_is_part_of_the_address) {
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

TEST(contract, A1_only_the_offset_is_judged_on_opaque_devices) {
  const device opaque{device_kind::vulkan, 0};
  const void* const handle = memory + 3;
  EXPECT_TRUE(judge(aligned_only, tensor_desc::dense("x", types::float16, {8}, opaque, handle)));
  EXPECT_FALSE(
      judge(aligned_only, tensor_desc::dense("x", types::float16, {8}, opaque, handle).slice(0, 1, 8)));
}

TEST(contract, A2_sub_byte_types_skip_nothing) {
  constexpr static auto fp4 = make_contract("fp4", arg("x").type(types::float4_e2m1fn).aligned(16));
  EXPECT_EQ(kinds(judge(fp4, tensor_desc::dense("x", types::float4_e2m1fn, {4, 8}, gpu, memory + 8))),
            list{violation_kind::aligned});
  constexpr static auto wide = make_contract("wide", arg("x").type(types::float4_e2m1fn).shape(4, 8));
  EXPECT_EQ(kinds(judge(wide, tensor_desc::dense("x", types::int4, {4, 6}, gpu, base))),
            (list{violation_kind::type, violation_kind::extent}));
  EXPECT_EQ(kinds(judge(fp4, tensor("x", types::float4_e2m1fn, {4, 8}, {1, 4}))),
            list{violation_kind::packed_stride});
}

// ---- P, I, V ------------------------------------------------------------------------------------------------------------

TEST(contract, P1_inner_contiguous_is_not_row_pitched) {
  const report r = judge(rows_only, tensor("x", types::float16, {2, 3, 128}, {512, 128, 1}));
  ASSERT_EQ(kinds(r), list{violation_kind::layout});
  EXPECT_EQ(r[0].dim, 0);
  EXPECT_EQ(r[0].found, 512);
  EXPECT_EQ(r[0].needed, 384);
}

constexpr auto writer = make_contract("writer", arg("x").output());
constexpr auto any_layout = make_contract("any_layout", arg("x").shape(any, any));

TEST(contract, P2_overlapping_rows) {
  const tensor_desc x = tensor("x", types::float16, {4, 8}, {4, 1});
  EXPECT_EQ(kinds(judge(rows_only, x)), list{violation_kind::row_overlap});
  EXPECT_EQ(kinds(judge(writer, x)), list{violation_kind::overlap});
}

TEST(contract, P3_row_alignment_reads_the_caller_s_stride) {
  constexpr static auto rows16 = make_contract("rows16", arg("x").aligned_rows(16));
  const report r = judge(rows16, tensor("x", types::uint8, {8, 4096}, {4100, 1}));
  ASSERT_EQ(kinds(r), list{violation_kind::aligned_rows});
  EXPECT_EQ(r[0].found, 4100);
}

TEST(contract, P4_large_strides_do_not_wrap) {
  constexpr static auto narrow = make_contract("narrow", arg("x").index_bits(32));
  EXPECT_TRUE(judge(narrow, tensor("x", types::float32, {2, 4}, {index_t{1} << 30, 1})));
  const report r = judge(narrow, tensor("x", types::float32, {5, 4}, {index_t{1} << 30, 1}));
  ASSERT_EQ(kinds(r), list{violation_kind::index_bits});
  EXPECT_EQ(r[0].found, (index_t{1} << 32) + 3);
}

TEST(contract, P5_broadcast_may_be_read_and_not_written) {
  const tensor_desc x = tensor("x", types::float16, {4, 8}, {0, 1});
  EXPECT_TRUE(judge(any_layout, x));
  EXPECT_EQ(kinds(judge(writer, x)), list{violation_kind::overlap});
}

TEST(contract, I1_unknown_injectivity_is_never_a_pass) {
  EXPECT_EQ(kinds(judge(writer, tensor("x", types::float16, {2, 3}, {3, 2}))),
            list{violation_kind::overlap_unknown});
  EXPECT_EQ(kinds(judge(writer, tensor("x", types::float16, {4}, {0}))), list{violation_kind::overlap});
}

// ---- everything at once ----------------------------------------------------------------------------------------------------

constexpr auto norm =
    make_contract("rms_norm", arg("x").shape(sym("M"), sym("N")).layout(notion::row_pitched),
                  arg("w").type(types::float16).shape(sym("N")).layout(notion::dense),
                  arg("out").shape(sym("M"), sym("N")).layout(notion::dense));

TEST(contract, M1_every_violation_is_collected) {
  const report r =
      judge(norm, tensor("x", types::float16, {8, 4096}, {12288, 1}),
            tensor("w", types::float32, {4096}, {2}), tensor("o", types::float16, {8, 4100}, {4100, 1}));
  EXPECT_EQ(kinds(r), (list{violation_kind::type, violation_kind::layout, violation_kind::extent}));
  EXPECT_EQ(r.headline(), 0);
  EXPECT_EQ(r[0].argument, 1);
  EXPECT_EQ(r[2].argument, 2);
  EXPECT_EQ(r[2].dim, 1);
  EXPECT_EQ(r[2].found, 4100);
  EXPECT_EQ(r[2].needed, 4096);
}

TEST(contract, a_second_violation_of_one_symbol_is_a_consequence) {
  const report r =
      judge(norm, tensor("x", types::float16, {8, 64}, {64, 1}), tensor("w", types::float16, {65}, {1}),
            tensor("o", types::float16, {8, 66}, {66, 1}));
  ASSERT_EQ(r.size(), 2);
  EXPECT_FALSE(r[0].is_consequence);
  EXPECT_TRUE(r[1].is_consequence);
}

TEST(contract, M2_the_table_is_constant_data) {
  // 20 facts on 3 tensors without a constructor at run time: the object is a constant, nothing is built for a call.
  static_assert(norm.symbol_count == 2);
  static_assert(norm.arguments[2].shapes[0].extents[1].index == 1);
  static_assert(std::is_trivially_copyable_v<std::remove_const_t<decltype(norm)>>);
}

TEST(contract, evidence_decides_between_refused_and_silent) {
  constexpr static auto tested =
      make_contract("tested", arg("x").layout(notion::dense, checked_at("k.cu:1")));
  constexpr static auto assumed = make_contract("assumed", arg("x").layout(notion::dense, unchecked()));
  constexpr static auto both = make_contract(
      "both", arg("x").type(types::int32, checked_at("k.cu:2")).layout(notion::dense, unchecked()));
  const tensor_desc x = tensor("x", types::float16, {4, 8}, {16, 1});
  EXPECT_EQ(judge(tested, x).result(), verdict::refused);
  EXPECT_EQ(judge(assumed, x).result(), verdict::silent);
  const report r = judge(both, x);  // silent ranks above refused, and is the headline
  EXPECT_EQ(r.result(), verdict::silent);
  ASSERT_EQ(r.size(), 2);
  EXPECT_EQ(r.headline(), 1);
}

TEST(contract, rank_sets_and_shapes) {
  constexpr static auto either =
      make_contract("either", arg("x").shape(sym("T"), sym("W")).or_shape(sym("T"), 1, sym("W")));
  EXPECT_TRUE(judge(either, tensor("x", types::int32, {4, 8}, {8, 1})));
  EXPECT_TRUE(judge(either, tensor("x", types::int32, {4, 1, 8}, {8, 8, 1})));
  EXPECT_EQ(kinds(judge(either, tensor("x", types::int32, {4, 2, 8}, {16, 8, 1}))),
            list{violation_kind::extent});
  EXPECT_EQ(kinds(judge(either, tensor("x", types::int32, {8}, {1}))), list{violation_kind::rank});
}

TEST(contract, optional_arguments) {
  constexpr static auto maybe =
      make_contract("maybe", arg("x").layout(notion::dense), arg("extra").optional().layout(notion::dense));
  const tensor_desc x = tensor("x", types::int32, {4}, {1});
  const argument_value present_and_absent[] = {argument_value(x.ref()), argument_value()};
  EXPECT_TRUE(evaluate(maybe.view(), present_and_absent, 2));
  const argument_value absent_and_present[] = {argument_value(), argument_value(x.ref())};
  EXPECT_EQ(kinds(evaluate(maybe.view(), absent_and_present, 2)), list{violation_kind::missing});
  EXPECT_EQ(kinds(evaluate(maybe.view(), present_and_absent, 1)), list{violation_kind::argument_count});
}

TEST(contract, devices) {
  constexpr static auto pair = make_contract("pair", arg("x"), arg("y"), arg("lengths").on(device_kind::cpu));
  const tensor_desc x = tensor("x", types::int32, {4}, {1});
  const tensor_desc y = tensor_desc::dense("y", types::int32, {4}, {device_kind::cuda, 1}, base);
  const tensor_desc lengths = tensor_desc::dense("l", types::int32, {4}, {device_kind::cpu, 0}, base);
  EXPECT_TRUE(judge(pair, x, x, lengths));
  EXPECT_EQ(kinds(judge(pair, x, y, lengths)), list{violation_kind::device});
  EXPECT_EQ(kinds(judge(pair, x, x, x)), list{violation_kind::device});
}

TEST(contract, semantic_tags_tell_equal_bits_apart) {
  constexpr static auto scale = make_contract("scale", arg("s").type(types::uint8.meaning(tag::scale_e8m0)));
  EXPECT_TRUE(judge(scale, tensor("s", types::uint8, {4}, {1})));  // carries no tag
  EXPECT_TRUE(judge(scale, tensor("s", types::uint8.meaning(tag::scale_e8m0), {4}, {1})));
  EXPECT_FALSE(judge(scale, tensor("s", types::uint8.meaning(tag::packed_fp4_pair), {4}, {1})));
  constexpr static auto lanes = make_contract("lanes", arg("v").type(types::float32.vector(4)));
  EXPECT_FALSE(judge(lanes, tensor("v", types::float32, {4}, {1})));
}

TEST(contract, numbers_at_the_limits_are_violations) {
  const index_t most = std::numeric_limits<index_t>::max();
  EXPECT_EQ(kinds(judge(dense_only, tensor("x", types::int8, {most, most}, {1, 1}))),
            list{violation_kind::not_addressable});
  EXPECT_EQ(kinds(judge(dense_only, tensor("x", types::int8, {-1}, {1}))),
            list{violation_kind::negative_extent});
  constexpr static auto product =
      make_contract("product", arg("x").shape(sym("n")), arg("y").shape(1000 * sym("n")));
  EXPECT_EQ(kinds(judge(product, tensor("x", types::int8, {most}, {1}), tensor("y", types::int8, {8}, {1}))),
            list{violation_kind::overflow});
  tensor_ref nine{base, types::int8, 9, gpu, nullptr, nullptr};
  const argument_value values[] = {argument_value(nine)};
  EXPECT_EQ(kinds(evaluate(dense_only.view(), values, 1)), list{violation_kind::malformed});
  nine.rank = 2;  // no extents
  const argument_value missing[] = {argument_value(nine)};
  EXPECT_EQ(kinds(evaluate(dense_only.view(), missing, 1)), list{violation_kind::malformed});
  EXPECT_TRUE(
      judge(dense_only, tensor("x", types::int8, {2, 1, 2, 1, 2, 1, 2, 1}, {8, 0, 4, 0, 2, 0, 1, 0})));
}

TEST(contract, null_strides_are_compact) {
  const index_t extents[] = {4, 8};
  const tensor_ref x{base, types::int8, 2, gpu, extents, nullptr};
  const argument_value values[] = {argument_value(x)};
  EXPECT_TRUE(evaluate(dense_only.view(), values, 1));
}

TEST(contract, meta_tensors_are_judged_without_facts_about_data) {
  const argument_value values[] = {argument_value()};
  (void)values;
  const tensor_desc meta = tensor_desc::dense("x", types::float32, {2, 4}, gpu, nullptr);
  const argument_value fake[] = {argument_value(meta.ref())};
  evaluation_context context;
  context.without_data = true;
  EXPECT_TRUE(evaluate(aligned_only.view(), fake, 1, context));
}

TEST(contract, stability_without_a_registry_is_said_to_be_unevaluated) {
  constexpr static auto stable = make_contract("stable", arg("x").stable());
  const tensor_desc x = tensor("x", types::int32, {4}, {1});
  const argument_value values[] = {argument_value(x.ref())};
  const report unknown = evaluate(stable.view(), values, 1);
  EXPECT_TRUE(unknown.ok());
  EXPECT_EQ(unknown.unevaluated(), 1);
  evaluation_context context;
  context.is_stable = [](const tensor_ref&, void* answer) noexcept { return *static_cast<tri*>(answer); };
  tri answer = tri::no;
  context.stable_state = &answer;
  EXPECT_EQ(kinds(evaluate(stable.view(), values, 1, context)), list{violation_kind::stable});
  answer = tri::yes;
  EXPECT_EQ(evaluate(stable.view(), values, 1, context).unevaluated(), 0);
}

// The order of the arguments in a contract must not change what is found.
TEST(contract, scrambled_size_one_strides_change_no_verdict) {
  for (const index_t noise : {index_t{0}, index_t{1}, index_t{77}, index_t{-5}}) {
    EXPECT_TRUE(judge(dense_only, tensor("x", types::int8, {1, 4, 1, 8}, {noise, 8, noise, 1})));
    EXPECT_TRUE(judge(rows_only, tensor("x", types::int8, {1, 4, 1, 8}, {noise, 16, noise, 1})));
    EXPECT_TRUE(judge(pitched_pair, tensor("a", types::int8, {1, 128}, {noise, 1}),
                      tensor("b", types::int8, {2, 128}, {200, 1})));
  }
}

// ---- dispatches -----------------------------------------------------------------------------------------------------------

constexpr index_t good_pairs[][2] = {{64, 512}, {128, 512}};

constexpr auto decode =
    make_contract("decode", arg("q").shape(sym("T"), sym("H"), any),
                  arg("indices").shape(sym("T"), sym("W")).layout(notion::dense, unchecked()))
        .when(sym("T") <= parameter("limit"));
constexpr auto paged =
    make_contract("paged", arg("q").shape(sym("T"), sym("H"), any),
                  arg("indices").shape(sym("T"), sym("W")).layout(notion::dense, checked_at("p.cu:7")))
        .when(sym("T") > parameter("limit"));
constexpr auto two = make_dispatch("two", decode, paged).with(library_parameter("limit", {64}));

report call(const dispatch_view& what, index_t tokens, const evaluation_context& context = {},
            index_t width = 256) {
  const tensor_desc q = tensor_desc::dense("q", types::float16, {tokens, 64, 512}, gpu, base);
  const tensor_desc i =
      tensor_desc::dense("i", types::int32, {512, 1024}, gpu, base).rows(0, tokens).columns(0, width);
  const argument_value values[] = {argument_value(q.ref()), argument_value(i.ref())};
  return evaluate(what, values, 2, context);
}

TEST(dispatch, the_seed_one_row_ok_then_silent_then_refused) {
  EXPECT_EQ(call(two.view(), 1).result(), verdict::ok);
  EXPECT_EQ(call(two.view(), 6).result(), verdict::silent);
  EXPECT_EQ(call(two.view(), 64).result(), verdict::silent);
  EXPECT_EQ(call(two.view(), 66).result(), verdict::refused);
  EXPECT_EQ(call(two.view(), 66).branch(), "paged");
  EXPECT_EQ(call(two.view(), 66, {}, 1024).result(), verdict::ok);  // full rows
}

TEST(dispatch, parameters_can_be_given_and_sets_count_for_all_values) {
  const parameter_value eight[] = {{"limit", 8}};
  evaluation_context context;
  context.parameters = eight;
  context.parameter_count = 1;
  EXPECT_EQ(call(two.view(), 16, context).result(), verdict::refused);
  constexpr static auto tuned =
      make_dispatch("tuned", decode, paged).with(library_parameter("limit", {8, 24, 64}));
  const report r = call(tuned.view(), 16);
  EXPECT_EQ(r.result(), verdict::silent);  // the worst: refused at 8, silent at 24 and 64
  EXPECT_TRUE(r.depends_on_parameter());
  EXPECT_FALSE(call(tuned.view(), 100).depends_on_parameter());
}

TEST(dispatch, gap_overlap_and_undecided_are_violations) {
  constexpr static auto only_large = make_dispatch("gap", paged).with(library_parameter("limit", {64}));
  EXPECT_EQ(kinds(call(only_large.view(), 6)), list{violation_kind::uncovered});
  EXPECT_EQ(call(only_large.view(), 6).result(), verdict::no_kernel);

  constexpr static auto always = make_contract("always", arg("q"), arg("indices"));
  constexpr static auto overlap =
      make_dispatch("overlap", paged, always).with(library_parameter("limit", {64}));
  EXPECT_EQ(kinds(call(overlap.view(), 66)), list{violation_kind::ambiguous});

  constexpr static auto no_parameter = make_dispatch("no_parameter", paged);
  EXPECT_EQ(kinds(call(no_parameter.view(), 66, {}, 1024)), list{violation_kind::undecided});
}

TEST(dispatch, no_kernel_is_a_branch) {
  constexpr static auto with_refusal =
      make_dispatch("with_refusal", paged).with(library_parameter("limit", {64})).otherwise_refused();
  EXPECT_EQ(kinds(call(with_refusal.view(), 6)), list{violation_kind::no_kernel});
  EXPECT_EQ(call(with_refusal.view(), 6).result(), verdict::no_kernel);
  EXPECT_EQ(call(with_refusal.view(), 66, {}, 1024).result(), verdict::ok);
  constexpr static auto refused_small =
      make_contract("too small", arg("q").shape(sym("T"), any, any), arg("indices"))
          .when(sym("T") <= 64)
          .refuses();
  constexpr static auto explicit_refusal =
      make_dispatch("explicit", paged, refused_small).with(library_parameter("limit", {64}));
  EXPECT_EQ(kinds(call(explicit_refusal.view(), 6)), list{violation_kind::no_kernel});
}

TEST(dispatch, tuples_presence_and_capability_choose) {
  constexpr static auto fast =
      make_contract("fast", arg("q").shape(any, sym("H"), sym("D")), arg("extra").optional())
          .when(one_of({sym("H"), sym("D")}, good_pairs))
          .when(is_absent("extra"))
          .when(capability_between({12, 0}, {12, 1}));
  constexpr static auto chosen = make_dispatch("chosen", fast).otherwise_refused();
  const auto run = [&](index_t heads, bool extra, capability c) {
    const tensor_desc q = tensor_desc::dense("q", types::float16, {2, heads, 512}, gpu, base);
    const argument_value values[] = {argument_value(q.ref()),
                                     extra ? argument_value(q.ref()) : argument_value()};
    evaluation_context context;
    context.device_capability = c;
    return evaluate(chosen.view(), values, 2, context).result();
  };
  EXPECT_EQ(run(64, false, {12, 0}), verdict::ok);
  EXPECT_EQ(run(64, false, {12, 1}), verdict::ok);
  EXPECT_EQ(run(64, false, {10, 0}), verdict::no_kernel);
  EXPECT_EQ(run(64, false, {13, 0}), verdict::no_kernel);
  EXPECT_EQ(run(96, false, {12, 0}), verdict::no_kernel);
  EXPECT_EQ(run(64, true, {12, 0}), verdict::no_kernel);
  EXPECT_EQ(run(64, false, {}), verdict::refused);  // not known: undecided
}

TEST(capability, an_override_is_scoped_per_thread_and_per_device) {
  EXPECT_FALSE(overridden_capability(0).known());
  {
    const scoped_capability outer({12, 0});
    EXPECT_EQ(overridden_capability(3), (capability{12, 0}));
    {
      const scoped_capability inner({10, 0}, 3);
      EXPECT_EQ(overridden_capability(3), (capability{10, 0}));
      EXPECT_EQ(overridden_capability(0), (capability{12, 0}));
    }
    bool seen = true;
    std::thread([&] { seen = overridden_capability(0).known(); }).join();
    EXPECT_FALSE(seen);
  }
  EXPECT_FALSE(overridden_capability(0).known());
  EXPECT_TRUE((capability{12, 0}) < (capability{12, 1}));
}

// ---- descriptions -----------------------------------------------------------------------------------------------------------

TEST(tensor_desc, narrowing_applies_geometry_and_records_it) {
  const tensor_desc whole = tensor_desc::dense("buffer", types::int32, {512, 1024}, gpu, base);
  const tensor_desc view = whole.rows(2, 68).columns(16, 272, STRIDELOCK_HERE);
  EXPECT_TRUE(view.valid());
  EXPECT_EQ(view.extent(0), 66);
  EXPECT_EQ(view.stride(0), 1024);
  EXPECT_EQ(view.byte_offset(), (2u * 1024 + 16) * 4);
  EXPECT_EQ(view.from().step_count, 2);
  EXPECT_EQ(view.from().steps[1].what, operation::columns);
  EXPECT_GT(view.from().steps[1].where.line, 0);
  EXPECT_EQ(whole.select(0, 3).byte_offset(), 3u * 4096);
  EXPECT_EQ(whole.transpose(0, 1).stride(0), 1);
  EXPECT_EQ(whole.slice(0, 0, 5, 2).extent(0), 3);
  EXPECT_EQ(whole.slice(0, 0, 5, 2).stride(0), 2048);
}

TEST(tensor_desc, out_of_range_is_not_valid_and_stays_so) {
  const tensor_desc whole = tensor_desc::dense("buffer", types::int32, {8, 8}, gpu, base);
  for (const tensor_desc& bad : {whole.rows(0, 9), whole.rows(-1, 2), whole.rows(5, 4), whole.slice(2, 0, 1),
                                 whole.slice(0, 0, 4, 0), whole.select(0, 8), whole.transpose(0, 2)}) {
    EXPECT_FALSE(bad.valid());
    EXPECT_FALSE(bad.rows(0, 1).valid());
  }
  const index_t big = std::numeric_limits<index_t>::max();
  EXPECT_FALSE(tensor_desc::strided("b", types::int32, {4}, {big}, gpu).slice(0, 2, 3).valid());
  // Half a byte has no address.
  EXPECT_FALSE(tensor_desc::dense("b", types::int4, {8}, gpu).slice(0, 1, 3).valid());
  EXPECT_TRUE(tensor_desc::dense("b", types::int4, {8}, gpu).slice(0, 2, 4).valid());
}

TEST(tensor_desc, more_steps_than_fit_are_counted) {
  tensor_desc t = tensor_desc::dense("buffer", types::int32, {64, 64}, gpu, base);
  for (int i = 0; i < 9; ++i) t = t.columns(0, 60 - i);
  EXPECT_EQ(t.from().step_count, 9);
  EXPECT_EQ(t.from().kept_steps(), provenance::capacity);
}

TEST(dtype, sub_byte_sizes_never_vanish) {
  EXPECT_EQ(types::float4_e2m1fn.storage_bytes(), 1);
  EXPECT_EQ(bytes_of_elements(types::float4_e2m1fn, checked(3)).value, 2);
  EXPECT_EQ(bytes_of_elements(types::float6_e2m3fn, checked(4)).value, 3);
  EXPECT_EQ(types::float32.vector(4).storage_bytes(), 16);
  EXPECT_FALSE(bytes_of_elements(types::float64, checked(checked::highest)).ok);
  for (const detail::named_type& known : detail::named_types) {
    EXPECT_TRUE(same_representation(type_named(known.name), known.type)) << known.name;
    EXPECT_EQ(name_of(known.type), known.name);
  }
}

}  // namespace
}  // namespace stridelock
