// The evaluator: what contracts and dispatches can say. The table of known matcher defects is in defects/.
#include "stridelock/contract.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>
#include <vector>

#include "contracts/tests/judging.h"
#include "contracts/tests/small_contracts.h"

namespace stridelock {
namespace {

using namespace testing;

// ---- everything at once ----------------------------------------------------------------------------------------------------

constexpr auto norm =
    make_contract("rms_norm", arg("x").shape(sym("M"), sym("N")).layout(notion::row_pitched),
                  arg("w").type(types::float16).shape(sym("N")).layout(notion::dense),
                  arg("out").shape(sym("M"), sym("N")).layout(notion::dense));

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
