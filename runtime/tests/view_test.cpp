#include "stridelock/view.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "stridelock/describe.h"
#include "stridelock/layout.h"
#include "stridelock/strengthen.h"

namespace stridelock {
namespace {

template <class From, class To>
constexpr bool passes = std::is_convertible_v<From, To>;

// ---- what the types are -------------------------------------------------------------------------------------------------

TEST(view, stores_only_what_its_layout_leaves_open) {
  static_assert(sizeof(view<float, 2>) == 24);
  static_assert(sizeof(view<float, 2, row_pitched>) == 32);
  static_assert(sizeof(view<float, 2, inner_contiguous>) == 32);
  static_assert(sizeof(view<float, 2, strided>) == 40);
  static_assert(sizeof(view<float, 2, contiguous, std::int32_t>) == 16);
  static_assert(sizeof(view<float, 1>) == 16);
  static_assert(std::is_trivially_copyable_v<view<float, 3, strided>>);
  static_assert(std::is_standard_layout_v<view<float, 2>>);
  static_assert(std::is_aggregate_v<view<float, 2>>);
}

TEST(view, weakening_is_implicit_and_nothing_else_is) {
  using dense = view<float, 2>;
  using pitched = view<float, 2, row_pitched>;
  using inner = view<float, 2, inner_contiguous>;
  using loose = view<float, 2, strided>;
  static_assert(passes<dense, pitched> && passes<pitched, inner> && passes<inner, loose> &&
                passes<dense, loose>);
  static_assert(!passes<pitched, dense> && !passes<inner, pitched> && !passes<loose, inner> &&
                !passes<loose, dense>);
  static_assert(passes<dense, view<const float, 2, strided>> && !passes<view<const float, 2>, dense>);
  static_assert(!passes<dense, view<double, 2>> && !passes<dense, view<float, 3>>);
  static_assert(!passes<dense, view<float, 2, contiguous, std::int32_t>>);
  using aligned64 = view<float, 2, contiguous, index_t, aligned<64>>;
  using aligned16 = view<float, 2, contiguous, index_t, aligned<16>>;
  static_assert(passes<aligned64, aligned16> && passes<aligned64, dense> && !passes<aligned16, aligned64>);
}

TEST(view, narrowing_gives_the_type_of_the_table) {
  using v3 = view<float, 3>;
  using v2 = view<float, 2>;
  const v2 m{};
  const v3 t{};
  static_assert(std::is_same_v<decltype(m.rows(0, 0)), v2>);
  static_assert(std::is_same_v<decltype(m.columns(0, 0)), view<float, 2, row_pitched>>);
  static_assert(std::is_same_v<decltype(m.rows(0, 0).columns(0, 0)), view<float, 2, row_pitched>>);
  static_assert(std::is_same_v<decltype(m.transposed()), view<float, 2, strided>>);
  static_assert(std::is_same_v<decltype(m.select<0>(0)), view<float, 1>>);
  static_assert(std::is_same_v<decltype(m.select<1>(0)), view<float, 1, strided>>);
  static_assert(std::is_same_v<decltype(m.stepped<1>(2)), view<float, 2, strided>>);
  static_assert(std::is_same_v<decltype(t.slice<1>(0, 0)), view<float, 3, inner_contiguous>>);
  static_assert(std::is_same_v<decltype(t.select<1>(0)), view<float, 2, row_pitched>>);
  static_assert(std::is_same_v<decltype(t.transposed<0, 1>()), view<float, 3, inner_contiguous>>);
  static_assert(std::is_same_v<decltype(t.as_matrix()), v2>);
  static_assert(std::is_same_v<decltype(view<float, 1>{}.rows(0, 0)), view<float, 1>>);
  static_assert(std::is_same_v<decltype(view<float, 1>{}.select<0>(0)), view<float, 0>>);
  // Moving the base loses the alignment, narrowing from the start does not.
  using aligned64 = view<float, 2, contiguous, index_t, aligned<64>>;
  static_assert(std::is_same_v<decltype(aligned64{}.rows(0, 0)), v2>);
  static_assert(std::is_same_v<decltype(aligned64{}.first_rows(0)), aligned64>);
  static_assert(std::is_same_v<decltype(aligned64{}.first_columns(0)),
                               view<float, 2, row_pitched, index_t, aligned<64>>>);
}

// ---- what they address ---------------------------------------------------------------------------------------------------

class view_data : public ::testing::Test {
 protected:
  view_data() : values(4 * 6 * 8) { std::iota(values.begin(), values.end(), 0); }
  std::vector<int> values;
};

// A view's type must never promise what its numbers do not hold, and its numbers must be those of the geometry.
template <class V>
void expect_honest(const V& v) {
  const auto d = describe(v);
  const layout_ref l = d.ref().layout();
  if (implies_v<typename V::layout_kind, contiguous>) {
    EXPECT_TRUE(is_dense(l));
  }
  if (implies_v<typename V::layout_kind, row_pitched>) {
    EXPECT_TRUE(is_row_pitched(l));
  }
  if (implies_v<typename V::layout_kind, inner_contiguous>) {
    EXPECT_TRUE(is_inner_contiguous(l));
  }
}

TEST_F(view_data, elements_after_every_narrowing) {
  const view<int, 3> t{values.data(), {{4, 6, 8}}};
  const auto at = [](index_t i, index_t j, index_t k) { return static_cast<int>((i * 6 + j) * 8 + k); };
  EXPECT_EQ(t(3, 5, 7), at(3, 5, 7));
  EXPECT_EQ(t.rows(1, 3)(1, 2, 3), at(2, 2, 3));
  EXPECT_EQ(t.columns(2, 5)(1, 2, 1), at(1, 2, 3));
  EXPECT_EQ(t.slice<1>(2, 4)(1, 1, 3), at(1, 3, 3));
  EXPECT_EQ(t.slice<1>(2, 4).stride(0), 48);
  EXPECT_EQ(t.select<0>(2)(3, 4), at(2, 3, 4));
  EXPECT_EQ(t.select<1>(2)(3, 4), at(3, 2, 4));
  EXPECT_EQ(t.select<1>(2).pitch(), 48);
  EXPECT_EQ(t.select<2>(2)(3, 4), at(3, 4, 2));
  EXPECT_EQ(t.transposed()(3, 7, 5), at(3, 5, 7));
  EXPECT_EQ((t.transposed<0, 1>()(5, 3, 7)), at(3, 5, 7));
  EXPECT_EQ(t.stepped<2>(3).extent(2), 3);
  EXPECT_EQ(t.stepped<2>(3)(1, 1, 2), at(1, 1, 6));
  EXPECT_EQ(t.stepped<0>(2)(1, 5, 7), at(2, 5, 7));
  EXPECT_EQ(t.as_matrix().extent(0), 24);
  EXPECT_EQ(t.columns(2, 5).as_matrix()(9, 1), at(1, 3, 3));
  EXPECT_EQ(t.columns(2, 5).as_matrix().pitch(), 8);
  EXPECT_EQ(t.select<0>(1).select<0>(2).select<0>(3)(), at(1, 2, 3));
  EXPECT_EQ(t.size(), 192);
  expect_honest(t);
  expect_honest(t.rows(1, 3));
  expect_honest(t.columns(2, 5));
  expect_honest(t.columns(2, 5).rows(1, 2));
  expect_honest(t.slice<1>(2, 4));
  expect_honest(t.select<1>(2));
  expect_honest(t.select<1>(2).columns(1, 3));
  expect_honest(t.columns(1, 3).select<0>(1));
  expect_honest(t.transposed<0, 1>());
  expect_honest(t.columns(2, 5).as_matrix());
  expect_honest(t.rows(1, 1));
  expect_honest(t.first_columns(3).first_rows(2));
}

TEST_F(view_data, weakened_views_address_the_same_elements) {
  const view<int, 3> t{values.data(), {{4, 6, 8}}};
  const view<const int, 3, row_pitched> p = t;
  const view<const int, 3, inner_contiguous> i = p;
  const view<const int, 3, strided> s = i;
  for (index_t a = 0; a < 4; ++a)
    for (index_t b = 0; b < 6; ++b)
      for (index_t c = 0; c < 8; ++c) {
        ASSERT_EQ(&p(a, b, c), &t(a, b, c));
        ASSERT_EQ(&i(a, b, c), &t(a, b, c));
        ASSERT_EQ(&s(a, b, c), &t(a, b, c));
      }
}

TEST_F(view_data, usable_in_constant_expressions) {
  static constexpr int data[6] = {0, 1, 2, 3, 4, 5};
  constexpr view<const int, 2> m{data, {{2, 3}}};
  static_assert(m.columns(1, 3).rows(1, 2)(0, 1) == 5);
  static_assert(m.transposed()(2, 1) == 5);
  static_assert(m.columns(0, 2).pitch() == 3);
}

// ---- strengthening ----------------------------------------------------------------------------------------------------------

TEST_F(view_data, strengthening_looks_at_the_numbers) {
  const view<int, 2> m{values.data(), {{4, 8}}};
  EXPECT_FALSE(try_layout<contiguous>(m.columns(0, 4)));
  EXPECT_TRUE(try_layout<contiguous>(m.columns(0, 8)));             // dropped none
  EXPECT_TRUE(try_layout<contiguous>(m.rows(2, 3).columns(1, 4)));  // one row
  EXPECT_EQ((*try_layout<contiguous>(m.rows(2, 3).columns(1, 4)))(0, 1), 18);
  EXPECT_TRUE(try_layout<row_pitched>(m.transposed().transposed()));
  EXPECT_FALSE(try_layout<inner_contiguous>(m.transposed()));
  EXPECT_TRUE(try_layout<contiguous>(m.rows(0, 0).columns(1, 3)));  // empty
  static_assert(try_layout<row_pitched>(view<int, 2>{}).ok);        // implied by the type
}

TEST_F(view_data, the_stride_of_a_single_row_does_not_become_a_pitch) {
  const view<int, 3, strided> v{values.data(), {{4, 1, 8}, {16, 9999, 1}}};  // the middle stride is noise
  const auto pitched = try_layout<row_pitched>(v);
  ASSERT_TRUE(pitched);
  EXPECT_EQ(pitched->pitch(), 16);
  EXPECT_EQ((*pitched)(2, 0, 3), 35);
  const view<int, 2, strided> one{values.data(), {{1, 8}, {9999, 1}}};
  EXPECT_EQ(try_layout<row_pitched>(one)->pitch(), 8);
}

TEST_F(view_data, a_narrower_index_type_needs_every_offset_to_fit) {
  const view<int, 2, row_pitched> small{values.data(), {{4, 4}, 8}};
  const auto narrow = try_index<std::int32_t>(small);
  ASSERT_TRUE(narrow);
  EXPECT_EQ((*narrow)(3, 3), 27);
  static_assert(std::is_same_v<decltype(*narrow), const view<int, 2, row_pitched, std::int32_t>&>);
  const view<int, 2, row_pitched> far{values.data(), {{4, 4}, index_t{1} << 30}};
  EXPECT_FALSE(try_index<std::int32_t>(far));  // each number fits, the reach does not
  EXPECT_FALSE(try_index<std::int32_t>(view<int, 1>{values.data(), {{index_t{1} << 32}}}));
  EXPECT_THROW(require_index<std::int32_t>(far), contract_violation);
  // A stride that is never used may be anything.
  EXPECT_TRUE(try_index<std::int32_t>(view<int, 2, strided>{values.data(), {{1, 8}, {index_t{1} << 40, 1}}}));
}

// Whatever is refused is refused for a reason that the report names.
TEST_F(view_data, no_refused_index_type_is_reported_as_fine) {
  constexpr index_t beyond = index_t{1} << 40;
  const auto fact = [](const auto& v, auto narrow) -> std::string {
    try {
      require_index<decltype(narrow)>(v);
    } catch (const contract_violation& e) {
      EXPECT_FALSE(e.violations().ok());
      const std::string whole = e.what();
      return whole.substr(0, whole.find('\n'));
    }
    return "accepted";
  };
  const std::int32_t to32 = 0;
  EXPECT_EQ(fact(view<int, 2, strided>{values.data(), {{0, 8}, {beyond, beyond}}}, to32), "accepted");
  EXPECT_EQ(fact(view<int, 2, strided>{values.data(), {{0, beyond}, {1, 1}}}, to32),
            "require_index: needs d1 <= 2147483647, but d1 = 1099511627776");
  EXPECT_EQ(fact(view<int, 2, strided>{values.data(), {{beyond, 2}, {0, 1}}}, to32),
            "require_index: needs d0 <= 2147483647, but d0 = 1099511627776");
  const view<int, 8, strided> high{values.data(), {{1, 1, 1, 1, 1, 1, 1, beyond}, {0, 0, 0, 0, 0, 0, 0, 0}}};
  EXPECT_EQ(fact(high, to32), "require_index: needs d7 <= 2147483647, but d7 = 1099511627776");
}

TEST_F(view_data, alignment_is_checked_on_the_address) {
  alignas(64) static float buffer[64];
  const view<float, 1> v{buffer, {{64}}};
  EXPECT_TRUE(try_alignment<64>(v));
  EXPECT_FALSE(try_alignment<64>(v.rows(1, 5)));
  EXPECT_TRUE(try_alignment<64>(v.rows(1, 1)));  // empty: not evaluated
  EXPECT_THROW(require_alignment<64>(v.rows(1, 5)), contract_violation);
}

TEST_F(view_data, a_failed_requirement_says_what_is_wrong) {
  const view<int, 2> m{values.data(), {{4, 8}}};
  const int line = __LINE__ + 2;
  try {
    require_layout<contiguous>(m.columns(0, 4));
    FAIL() << "expected contract_violation";
  } catch (const contract_violation& e) {
    EXPECT_NE(std::string(e.what()).find("'view' (4,4) at view_test.cpp:" + std::to_string(line)),
              std::string::npos)
        << e.what();
    EXPECT_NE(std::string(e.what()).find("row pitch is 8, needs 4 (dense rows)"), std::string::npos)
        << e.what();
  }
}

TEST_F(view_data, describe_keeps_everything_the_view_knows) {
  const view<const int, 2, row_pitched, std::int32_t> v{values.data(), {{4, 4}, 8}};
  const auto d = describe(v, {device_kind::cuda, 1});
  const tensor_ref r = d.ref();
  EXPECT_EQ(r.data, values.data());
  EXPECT_TRUE(same_representation(r.type, types::int32));
  EXPECT_EQ(r.rank, 2);
  EXPECT_EQ(r.extents[1], 4);
  EXPECT_EQ(r.strides[0], 8);
  EXPECT_EQ(r.strides[1], 1);
  EXPECT_EQ(r.where, (device{device_kind::cuda, 1}));
  EXPECT_EQ(r.read_only, tri::yes);
  EXPECT_TRUE(same_representation(dtype_of<const std::uint8_t>, types::uint8));
  EXPECT_TRUE(same_representation(dtype_of<double>, types::float64));
  EXPECT_TRUE(same_representation(dtype_of<bool>, types::boolean));
  EXPECT_TRUE(same_representation(dtype_of<long long>, types::int64));
}

}  // namespace
}  // namespace stridelock
