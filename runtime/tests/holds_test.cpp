// The hot test against the exact evaluator: it may ask, it may never say yes where a violation would be found.
#include "stridelock/holds.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include "stridelock/check.h"
#include "stridelock/message.h"

// The exact evaluator without its first look (contracts/src/first_look.h), and that look.
namespace stridelock::inline v1::detail {
bool is_fine_at_first_look(const dispatch_view& what, const argument_value* arguments, int count,
                           const evaluation_context& context) noexcept;
report evaluate_in_full(const dispatch_view& what, const argument_value* arguments, int count,
                        const evaluation_context& context) noexcept;
}  // namespace stridelock::inline v1::detail

struct library_tensor {
  float* data;
  stridelock::index_t extents[1], strides[1];
};
template <>
struct stridelock::adapter<library_tensor> {
  static described_ref describe(const library_tensor& t) noexcept {
    return {{t.data, types::float32, 1, {device_kind::cuda, 0}, t.extents, t.strides}};
  }
};

namespace stridelock {
namespace {

// ---- contracts: together they use every kind of fact that the hot path understands -------------------------------------

inline constexpr auto product = make_contract(
    "product",
    arg("a").type(types::bfloat16).shape(sym("M"), sym("K")).layout(notion::row_pitched).aligned(16),
    arg("b").type(types::bfloat16).shape(sym("N"), sym("K")).layout(notion::dense).aligned(16),
    arg("c").type(types::float32).shape(sym("M"), sym("N")).layout(notion::dense).output().aligned(8));

inline constexpr auto high_ranks = make_contract(
    "high_ranks",
    arg("dense4").type(types::float16).shape(sym("B"), sym("H"), sym("S"), 64).layout(notion::dense),
    arg("canonical")
        .type(types::float16)
        .shape(sym("B"), any, sym("S"), any)
        .layout(notion::canonical)
        .index_bits(32),
    arg("rows")
        .shape(sym("B"), sym("H"), sym("S"), any)
        .layout(notion::row_pitched)
        .aligned_rows(16)
        .type(types::float16),
    arg("suffix").shape(any, sym("S"), any).suffix_dense(2).collapsible(0, 1).index_bits(40));

inline constexpr auto free_strides = make_contract(
    "free_strides", arg("x").type(types::float32).or_type(types::int32).shape(sym("T"), any).index_bits(32),
    arg("y").shape(sym("T"), sym("T"), any).output().type(types::float32),
    arg("z").shape(any, any).output().layout(notion::inner_contiguous).aligned_rows(32).type(types::float32),
    arg("p").shape(any, any, any, any).collapsible(1, 3));

inline constexpr auto stride_symbols = make_contract(
    "stride_symbols", arg("a").type(types::int32).shape(sym("T"), sym("D")).strides(sym("P"), 1),
    arg("b").type(types::int32).shape(any, sym("D")).strides(sym("P"), any),
    arg("c").type(types::int32).shape(any, any).strides(sym("P"), any),
    arg("d").type(types::int32).shape(any, any, sym("D")).strides(2 * sym("D"), sym("D"), 1));

inline constexpr auto small_types = make_contract(
    "small_types", arg("w").type(types::int4).shape(sym("N"), sym("K")),
    arg("scale").type(types::uint8.meaning(tag::scale_e8m0)).shape(sym("N"), rounded_up(sym("K"), 128)),
    arg("anything").shape(sym("N"), any),
    arg("packed").type(types::float4_e2m1fn).shape(any).layout(notion::dense));

inline constexpr index_t heads_and_widths[][2] = {{8, 512}, {16, 512}, {64, 128}};
inline constexpr auto guarded =
    make_contract("guarded", arg("q").type(types::float32).shape(sym("T"), sym("H")),
                  arg("k").type(types::float32).shape(2 * sym("T") + 1, sym("W")),
                  arg("v").shape(sym("T") - 1, 64 * sym("H")).layout(notion::permutation_dense))
        .needs(divisible(sym("W"), 16))
        .needs(one_of({sym("H"), sym("W")}, heads_and_widths))
        .needs(sym("T") != 7)
        .needs(2 * sym("T") <= 3 * sym("W") - 5);

inline constexpr auto devices =
    make_contract("devices", arg("host").type(types::int64).shape(any).on(device_kind::cpu).aligned(64),
                  arg("x").shape(sym("T")), arg("y").shape(sym("T")).type(types::float32).aligned(16),
                  arg("rank0").shape().type(types::float32));

// Readers, and two facts that are always asked.
inline constexpr auto readers =
    make_contract("readers", arg("lengths").type(types::int32).shape(sym("T")),
                  arg("x").type(types::int32).shape(sym("T"), sym("W")).bounded("lengths"),
                  arg("y").type(types::int32).shape(sym("T"), sym("W")).up_to_tile(4, stale_policy::ignored),
                  arg("z").type(types::int32).shape(sym("T"), any));
inline constexpr auto shared = make_contract("shared", arg("x").type(types::int32).shape(sym("T")),
                                             arg("y").type(types::int32).shape(sym("T")).disjoint_from("x"));
inline constexpr auto mapped =
    make_contract("mapped", arg("x").type(types::float16).shape(sym("T"), any).descriptor_legal());

inline constexpr auto with_bias = make_contract(
    "with_bias",
    arg("x")
        .type(types::float32)
        .or_type(types::int32)
        .shape(sym("T"), sym("W"))
        .or_shape(sym("T"), 1, sym("W")),
    arg("y").type(types::float32).shape(sym("T"), 64).layout(notion::row_pitched).output().aligned(8),
    arg("bias").optional().shape(sym("W")).layout(notion::inner_contiguous).type(types::float32));

inline constexpr auto decode =
    make_contract(
        "decode", arg("q").type(types::float32).shape(sym("T"), sym("H")),
        arg("indices").type(types::int32).shape(sym("T"), sym("W")).layout(notion::dense, unchecked()),
        arg("sink").optional().shape(sym("H")).type(types::float32))
        .when(sym("T") <= parameter("limit"));
inline constexpr auto paged =
    make_contract("paged", arg("q").type(types::float32).shape(sym("T"), sym("H")),
                  arg("indices").type(types::int32).shape(sym("T"), sym("W")).layout(notion::row_pitched),
                  arg("sink").optional().shape(sym("H")).type(types::float32))
        .when(sym("T") > parameter("limit"))
        .when(sym("W") != 3);
inline constexpr auto refused = make_contract("refused", arg("q").shape(sym("T"), sym("H")),
                                              arg("indices").shape(any, sym("W")), arg("sink").optional())
                                    .when(sym("T") > parameter("limit"))
                                    .when(sym("W") == 3)
                                    .refuses();
inline constexpr auto choice =
    make_dispatch("choice", decode, paged, refused).with(library_parameter("limit", {4}));
inline constexpr auto alone = make_dispatch("alone", decode).with(library_parameter("limit", {4}));
inline constexpr auto overlapping =
    make_dispatch("overlapping", decode, refused).otherwise_refused().with(library_parameter("limit", {4}));
inline constexpr auto tuned = make_dispatch("tuned", decode, paged).with(library_parameter("limit", {4, 8}));

// ---- random calls ---------------------------------------------------------------------------------------------------------

constexpr index_t lowest = std::numeric_limits<index_t>::min();
constexpr index_t highest = std::numeric_limits<index_t>::max();

class calls {
 public:
  explicit calls(unsigned seed) : random_(seed) {}

  struct tensor {
    tensor_ref ref{};
    std::array<index_t, 10> extents{};
    std::array<index_t, 10> strides{};
    std::array<index_t, 10> active{};
  };

  // Arguments of a call that mostly satisfies `what`, and often just not.
  void make(const contract_view& what, tensor* to) {
    index_t symbols[16];
    for (index_t& s : symbols) s = size();
    const device where{one_in(30) ? device_kind::opencl : device_kind::cuda, 0};
    for (int i = 0; i < what.argument_count; ++i) describe_one(what.arguments[i], symbols, where, to[i]);
    for (int i = 0; i < what.argument_count; ++i)
      if (one_in(6)) disturb(to[i]);
  }

 private:
  bool one_in(unsigned n) { return random_() % n == 0; }
  template <std::size_t N>
  index_t pick(const index_t (&from)[N]) {
    return from[random_() % N];
  }
  index_t size() {
    if (one_in(40))
      return pick({0, index_t{1} << 20, (index_t{1} << 31) - 1, index_t{1} << 31, (index_t{1} << 31) + 1,
                   index_t{1} << 32, index_t{1} << 40, index_t{1} << 62, highest});
    return pick({1, 1, 2, 3, 4, 7, 8, 16, 64, 65, 128, 512});
  }
  index_t odd_number() {
    return pick({-2,
                 -1,
                 0,
                 1,
                 2,
                 3,
                 4,
                 8,
                 16,
                 64,
                 128,
                 512,
                 index_t{1} << 20,
                 index_t{1} << 30,
                 (index_t{1} << 31) - 1,
                 index_t{1} << 31,
                 (index_t{1} << 31) + 1,
                 (index_t{1} << 32) + 1,
                 index_t{1} << 33,
                 index_t{1} << 40,
                 index_t{1} << 47,
                 index_t{1} << 61,
                 index_t{1} << 62,
                 highest,
                 lowest,
                 lowest + 1});
  }
  index_t value(const expression& e, const index_t* symbols) {
    if (e.kind == expression_kind::any) return size();
    index_t v = e.kind == expression_kind::constant ? 0 : symbols[e.index];
    if (v > (index_t{1} << 50)) return v;
    v = v * e.multiple + e.added;
    return e.rounded_to == 1 ? v : (v + e.rounded_to - 1) / e.rounded_to * e.rounded_to;
  }

  void describe_one(const argument& wanted, const index_t* symbols, device where, tensor& t) {
    t.ref = tensor_ref{};
    t.ref.type = wanted.type_count > 0 ? wanted.types[random_() % wanted.type_count] : types::float32;
    if (one_in(8)) t.ref.type.means = tag::none;
    t.ref.where = where;
    if (wanted.on_device != device_kind::none) t.ref.where.kind = wanted.on_device;
    t.ref.data = reinterpret_cast<const void*>(std::uintptr_t{0x10000});
    t.ref.read_only = one_in(3) ? tri::unknown : tri::no;
    const shape_pattern* pattern = nullptr;
    if (wanted.shape_count > 0) pattern = &wanted.shapes[one_in(20) ? random_() % wanted.shape_count : 0];
    t.ref.rank = pattern != nullptr ? pattern->rank : static_cast<std::int32_t>(random_() % 4);
    t.ref.extents = t.extents.data();
    t.ref.strides = t.strides.data();
    for (int d = 0; d < t.ref.rank; ++d)
      t.extents[static_cast<std::size_t>(d)] =
          pattern != nullptr ? value(pattern->extents[d], symbols) : size();
    std::uint64_t stride = 1;
    const bool pitched = one_in(3);
    for (int d = t.ref.rank - 1; d >= 0; --d) {
      const auto at = static_cast<std::size_t>(d);
      t.strides[at] = static_cast<index_t>(stride);
      if (pattern != nullptr && pattern->has_strides && pattern->strides[d].kind != expression_kind::any &&
          !one_in(9))
        t.strides[at] = value(pattern->strides[d], symbols);
      if (t.extents[at] == 1 && one_in(4)) t.strides[at] = odd_number();
      stride *= static_cast<std::uint64_t>(t.extents[at]);
      if (pitched && d == t.ref.rank - 1) stride += 8 * (random_() % 4);
    }
  }

  void disturb(tensor& t) {
    const auto dim = random_() % 4;
    switch (random_() % 15) {
      case 0:
      case 1:
        t.extents[dim] = odd_number();
        break;
      case 2:
      case 3:
      case 4:
        t.strides[dim] = odd_number();
        break;
      case 5:
        t.ref.strides = nullptr;
        break;
      case 6:
        t.ref.rank = static_cast<std::int32_t>(pick({-1, 0, 1, 2, 3, 4, 8, 9}));
        if (one_in(3)) t.ref.extents = t.ref.rank <= 0 ? nullptr : t.ref.extents;
        break;
      case 7:
        t.ref.data =
            reinterpret_cast<const void*>(static_cast<std::uintptr_t>(pick({0, 1, 4, 8, 24, 0x10008})));
        break;
      case 8:
        t.ref.byte_offset = static_cast<std::uint64_t>(pick({1, 4, 8, 16, 1024, -16, highest}));
        break;
      case 9:
        t.ref.type =
            one_in(2) ? types::int4
                      : dtype{type_code::floating, 32, static_cast<std::uint8_t>(random_() % 4), tag::none};
        break;
      case 10:
        t.ref.type.means = tag::index;
        break;
      case 11:
        t.ref.where = one_in(2) ? device{device_kind::cuda, 1} : device{};
        break;
      case 12:
        t.ref.read_only = tri::yes;
        break;
      case 13:
        t.active = t.extents;
        t.active[dim] = pick({0, 1, 2, t.extents[dim]});
        t.ref.active = t.active.data();
        t.ref.stale = one_in(2) ? stale_content::cleared : stale_content::earlier_step;
        break;
      case 14:
        for (std::size_t d = 0; d < 4; ++d) std::swap(t.extents[d], t.strides[d]);
        break;
    }
  }

  std::mt19937 random_;
};

struct tally {
  int held = 0, asked = 0;
  int fine = 0, planned = 0, looked = 0;  // of those that are judged in full
};

template <const auto& C, std::size_t... I>
void compare_one(const calls::tensor* t, bool with_optionals, tally& counts, std::index_sequence<I...>) {
  const detail::boundary& what = detail::boundary_of<C>;
  const auto is_passed = [&](std::size_t i) {
    return with_optionals || !what.what.branches[0].arguments[i].is_optional;
  };
  const argument_value values[] = {is_passed(I) ? argument_value(t[I].ref) : argument_value()...};
  const tensor_ref* const addresses[] = {is_passed(I) ? &t[I].ref : nullptr...};
  constexpr int count = static_cast<int>(sizeof...(I));
  const bool holds_here = with_optionals && holds<C>(t[I].ref...);
  const bool by_plan = detail::is_fine_by_plan(what.plan, addresses);
  const bool at_first_look = detail::is_fine_at_first_look(what.what, values, count, {});
  // The judgement of a call that nobody claims to be fine is only sampled: it is slow.
  if (!holds_here && !by_plan && !at_first_look && ++counts.asked % 8 != 0) return;
  const report exact = detail::evaluate_in_full(what.what, values, count, {});
  if (holds_here || by_plan || at_first_look) {
    EXPECT_TRUE(exact.ok()) << text(exact);
    EXPECT_EQ(exact.unevaluated(), 0);
    EXPECT_FALSE(exact.depends_on_parameter());
  }
  counts.held += holds_here ? 1 : 0;
  counts.fine += exact.ok() && exact.unevaluated() == 0 && !exact.depends_on_parameter() ? 1 : 0;
  counts.planned += by_plan ? 1 : 0;
  counts.looked += at_first_look ? 1 : 0;
  const report looked = evaluate(C.view(), values, count);
  EXPECT_EQ(looked.result(), exact.result()) << text(exact);
  EXPECT_EQ(looked.size(), exact.size());
  EXPECT_EQ(looked.unevaluated(), exact.unevaluated());
  EXPECT_EQ(looked.depends_on_parameter(), exact.depends_on_parameter());
}

template <const auto& C>
void compare(const contract_view& shapes, int count, int at_least_held, int percent_planned,
             int percent_looked) {
  constexpr int n = detail::arguments_of(C);
  calls random(20240917);
  calls::tensor t[8];
  tally counts;
  for (int i = 0; i < count && !::testing::Test::HasFailure(); ++i) {
    random.make(shapes, t);
    compare_one<C>(t, i % 4 != 0, counts, std::make_index_sequence<static_cast<std::size_t>(n)>());
  }
  EXPECT_GE(counts.held, at_least_held) << "the comparison says little if few calls hold";
  EXPECT_GE(100 * counts.planned, percent_planned * counts.fine) << counts.planned << " of " << counts.fine;
  EXPECT_GE(100 * counts.looked, percent_looked * counts.fine) << counts.looked << " of " << counts.fine;
}

TEST(holds, never_says_yes_where_a_violation_is_found) {
  compare<product>(product.view(), 200000, 40000, 85, 100);
  compare<high_ranks>(high_ranks.view(), 200000, 5000, 0, 100);
  compare<free_strides>(free_strides.view(), 200000, 5000, 0, 100);
  compare<stride_symbols>(stride_symbols.view(), 150000, 5000, 0, 100);
  compare<small_types>(small_types.view(), 150000, 5000, 0, 100);
  compare<guarded>(guarded.view(), 150000, 500, 0, 100);
  compare<devices>(devices.view(), 100000, 5000, 85, 100);
  compare<readers>(readers.view(), 100000, 5000, 0, 99);
  compare<with_bias>(with_bias.view(), 100000, 5000, 75, 100);
  compare<choice>(decode.view(), 150000, 20000, 0, 100);
  compare<alone>(decode.view(), 20000, 0, 0, 100);
  compare<overlapping>(decode.view(), 20000, 0, 0, 100);
  compare<tuned>(decode.view(), 20000, 0, 0, 0);
  compare<shared>(shared.view(), 10000, 0, 0, 100);
  compare<mapped>(mapped.view(), 10000, 0, 0, 100);
}

// ---- what it must not ask about -------------------------------------------------------------------------------------------

alignas(64) float floats[64 * 64];
alignas(64) int integers[64 * 64];

inline constexpr auto rows = make_contract(
    "rows", arg("x").type(types::float32).shape(sym("T"), sym("W")).layout(notion::row_pitched).aligned(4),
    arg("out").type(types::float32).shape(sym("T"), sym("W")).layout(notion::dense).output(),
    arg("sink").optional().shape(sym("W")).type(types::float32));

TEST(holds, typed_views_that_prove_their_layout) {
  const view<const float, 2> whole{floats, {{64, 64}}};
  const view<float, 2> out{floats, {{8, 16}}};
  EXPECT_TRUE(holds<rows>(whole.rows(0, 8).columns(0, 16), out, absent));
  EXPECT_TRUE(holds<rows>(whole.rows(0, 8).columns(0, 16), out, view<const float, 1>{floats, {{16}}}));
  EXPECT_FALSE(holds<rows>(whole.rows(0, 9).columns(0, 16), out, absent)) << "another T";
  EXPECT_FALSE(holds<rows>(whole.rows(0, 8).columns(0, 16), view<const float, 2>(out), absent))
      << "read-only output";
  EXPECT_FALSE(holds<rows>(whole, view<int, 2>{integers, {{64, 64}}}, absent)) << "type";
  EXPECT_FALSE(holds<rows>(view<const float, 2>{nullptr, {{8, 16}}}, out, absent)) << "null";
  const view<float, 2, strided, std::int32_t> narrow{floats, {{8, 16}, {32, 1}}};
  EXPECT_TRUE(holds<rows>(narrow, out, absent));
  EXPECT_FALSE(holds<rows>(narrow.transposed(), out, absent));
  EXPECT_FALSE(holds<rows>(view<float, 2, row_pitched>{floats, {{8, 16}, 15}}, out, absent))
      << "rows overlap";
}

TEST(holds, descriptions_of_every_kind) {
  const tensor_desc x = tensor_desc::dense("x", types::float32, {8, 16}, {device_kind::cuda, 0}, floats);
  const view<float, 2> out{floats, {{8, 16}}};
  EXPECT_TRUE(holds<rows>(x, x, absent));
  EXPECT_TRUE(holds<rows>(x.ref(), out, absent));
  EXPECT_TRUE(holds<rows>(x, out, absent)) << "a typed view does not say where it lives";
  EXPECT_FALSE(holds<rows>(x.columns(0, 32), x, absent)) << "not a valid description";
  const library_tensor sink{floats, {16}, {1}};
  EXPECT_TRUE(holds<rows>(x, x, sink));
  EXPECT_TRUE(holds<rows>(x, x, &sink));
  EXPECT_FALSE(holds<rows>(x, x, static_cast<const library_tensor*>(nullptr)))
      << "absence at run time is asked";
  EXPECT_TRUE(check<rows>(x, x, static_cast<const library_tensor*>(nullptr)).ok());
}

// One row: its stride is free, and this is the usual call of a decoder.
TEST(holds, the_stride_of_a_single_row_is_free) {
  const index_t extents[] = {1, 16}, strides[] = {4608, 1};
  const tensor_ref one{floats, types::float32, 2, {device_kind::cuda, 0}, extents, strides};
  EXPECT_TRUE(holds<rows>(one, one, absent));
}

inline constexpr auto on_hopper = make_contract("on_hopper", arg("x").shape(sym("T")).type(types::float32))
                                      .when(capability_between({9, 0}, {9, 9}));
inline constexpr auto elsewhere = make_contract("elsewhere", arg("x").shape(sym("T")).type(types::float32))
                                      .when(capability_between({10, 0}, {99, 0}));
inline constexpr auto by_capability = make_dispatch("by_capability", on_hopper, elsewhere);

TEST(holds, a_capability_is_decided_by_the_context_and_otherwise_asked) {
  const view<float, 1> x{floats, {{8}}};
  EXPECT_FALSE(holds<by_capability>(x));
  evaluation_context context;
  EXPECT_FALSE(holds_in<by_capability>(context, x));
  context.device_capability = {9, 0};
  EXPECT_TRUE(holds_in<by_capability>(context, x));
  context.device_capability = {8, 0};
  EXPECT_FALSE(holds_in<by_capability>(context, x));
  const scoped_capability pretend({8, 0});
  EXPECT_EQ(check<by_capability>(x).result(), verdict::no_kernel);
}

inline constexpr auto registered =
    make_contract("registered", arg("x").shape(sym("T")).type(types::float32).stable(),
                  arg("y").shape(sym("T")).type(types::float32));

TEST(holds, stability_is_the_callbacks_to_decide) {
  const view<float, 1> x{floats, {{8}}};
  EXPECT_FALSE(holds<registered>(x, x));
  EXPECT_EQ(check<registered>(x, x).unevaluated(), 1) << "the report says what nobody judged";
  EXPECT_NO_THROW(require<registered>(x, x));
  evaluation_context context;
  EXPECT_FALSE(holds_in<registered>(context, x, x));
  tri answer = tri::yes;
  context.stable_state = &answer;
  context.is_stable = [](const tensor_ref&, void* state) noexcept { return *static_cast<tri*>(state); };
  EXPECT_TRUE(holds_in<registered>(context, x, x));
  EXPECT_NO_THROW(require_in<registered>(context, x, x));
  answer = tri::unknown;
  EXPECT_FALSE(holds_in<registered>(context, x, x));
  answer = tri::no;
  EXPECT_THROW(require_in<registered>(context, x, x), contract_violation);
}

TEST(holds, parameters_of_a_context_are_asked) {
  const tensor_desc x = tensor_desc::dense("x", types::float32, {3, 16}, {device_kind::cuda, 0}, floats);
  const tensor_desc i = tensor_desc::dense("i", types::int32, {3, 16}, {device_kind::cuda, 0}, integers);
  const parameter_value values[] = {{"limit", 64}};
  evaluation_context context;
  EXPECT_TRUE(holds_in<choice>(context, x, i, absent));
  context.parameters = values;
  context.parameter_count = 1;
  EXPECT_FALSE(holds_in<choice>(context, x, i, absent));
  EXPECT_TRUE(check_in<choice>(context, x, i, absent).ok());
}

// ---- what it does not understand -------------------------------------------------------------------------------------------

constexpr notion from_the_future = static_cast<notion>(200);
inline constexpr auto unknown_fact =
    make_contract("unknown_fact", arg("x").shape(sym("T")).layout(from_the_future).type(types::float32));

TEST(holds, a_fact_it_does_not_know_is_asked) {
  static_assert(!detail::understands(unknown_fact.arguments[0]));
  static_assert(detail::understands(rows.arguments[0]));
  static_assert(!detail::understands(shared.arguments[1]) && !detail::understands(mapped.arguments[0]));
  EXPECT_FALSE(holds<unknown_fact>(view<float, 1>{floats, {{8}}}));
  constexpr condition strange = [] {
    condition c = sym("T") > 4;
    c.kind = static_cast<condition_kind>(200);
    return c;
  }();
  static_assert(!detail::understands(strange));
  constexpr condition strange_order = [] {
    condition c = sym("T") > 4;
    c.how = static_cast<comparison>(200);
    return c;
  }();
  static_assert(!detail::understands(strange_order));
  constexpr expression strange_number(static_cast<expression_kind>(200), "T");
  static_assert(!detail::understands(strange_number));
}

}  // namespace
}  // namespace stridelock
