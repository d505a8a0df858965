#include "stridelock/adapters/mdspan.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "stridelock/check.h"
#include "stridelock/to_view.h"

#if defined(STRIDELOCK_TEST_CUDA_MDSPAN)
#include <cuda/std/array>
#include <cuda/std/mdspan>
#endif
#if __has_include(<version>)
#include <version>
#endif
#if defined(__cpp_lib_mdspan)
#include <array>
#include <mdspan>
#endif

namespace stridelock {
namespace {

inline constexpr auto scale = make_contract("scale", arg("in").type(types::float32).layout(notion::dense));
alignas(64) float memory[256];

// One set of names for each library.
#if defined(STRIDELOCK_TEST_CUDA_MDSPAN)
struct of_cuda {
  template <class T, class E, class L = ::cuda::std::layout_right, class A = ::cuda::std::default_accessor<T>>
  using mdspan = ::cuda::std::mdspan<T, E, L, A>;
  template <class I, std::size_t... N>
  using extents = ::cuda::std::extents<I, N...>;
  template <class I, std::size_t N>
  using array = ::cuda::std::array<I, N>;
  using layout_right = ::cuda::std::layout_right;
  using layout_left = ::cuda::std::layout_left;
  using layout_stride = ::cuda::std::layout_stride;
};
#endif
#if defined(__cpp_lib_mdspan)
struct of_std {
  template <class T, class E, class L = ::std::layout_right, class A = ::std::default_accessor<T>>
  using mdspan = ::std::mdspan<T, E, L, A>;
  template <class I, std::size_t... N>
  using extents = ::std::extents<I, N...>;
  template <class I, std::size_t N>
  using array = ::std::array<I, N>;
  using layout_right = ::std::layout_right;
  using layout_left = ::std::layout_left;
  using layout_stride = ::std::layout_stride;
};
#endif

// As the padded layouts of C++26: rows padded to a multiple, which the mapping's type or its value says.
template <std::size_t Padding>
struct right_padded {
  template <class Extents>
  struct mapping {
    using extents_type = Extents;
    using index_type = typename Extents::index_type;
    using size_type = typename Extents::size_type;
    using rank_type = typename Extents::rank_type;
    using layout_type = right_padded;
    static constexpr std::size_t padding_value = Padding;

    Extents e{};
    index_type pitch{};

    constexpr mapping() : mapping(Extents{}) {}
    constexpr explicit mapping(const Extents& x) : e(x) {
      const auto width = static_cast<std::size_t>(e.extent(Extents::rank() - 1));
      pitch = static_cast<index_type>(
          Padding == std::size_t(-1) || Padding == 0 ? width : (width + Padding - 1) / Padding * Padding);
    }
    constexpr mapping(const Extents& x, index_type padding) : e(x) {
      const auto width = e.extent(Extents::rank() - 1);
      pitch = (width + padding - 1) / padding * padding;
    }
    constexpr const Extents& extents() const { return e; }
    constexpr index_type stride(rank_type d) const {
      if (d == Extents::rank() - 1) return 1;
      index_type s = pitch;
      for (rank_type i = Extents::rank() - 2; i > d; --i) s *= e.extent(i);
      return s;
    }
    constexpr index_type required_span_size() const { return e.extent(0) * stride(0); }
    template <class... I>
    constexpr index_type operator()(I... at) const {
      const index_type indices[] = {static_cast<index_type>(at)...};
      index_type offset = 0;
      for (rank_type d = 0; d < Extents::rank(); ++d) offset += indices[d] * stride(d);
      return offset;
    }
    static constexpr bool is_always_unique() { return true; }
    static constexpr bool is_always_exhaustive() { return false; }
    static constexpr bool is_always_strided() { return true; }
    static constexpr bool is_unique() { return true; }
    constexpr bool is_exhaustive() const { return pitch == e.extent(Extents::rank() - 1); }
    static constexpr bool is_strided() { return true; }
  };
};

constexpr std::size_t dyn = static_cast<std::size_t>(-1);

template <class Lib>
class every_mdspan : public ::testing::Test {};
using libraries = ::testing::Types<
#if defined(STRIDELOCK_TEST_CUDA_MDSPAN)
    of_cuda
#if defined(__cpp_lib_mdspan)
    ,
#endif
#endif
#if defined(__cpp_lib_mdspan)
    of_std
#endif
    >;
TYPED_TEST_SUITE(every_mdspan, libraries);

TYPED_TEST(every_mdspan, the_layout_policy_becomes_the_layout_of_the_type) {
  using L = TypeParam;
  using d2 = typename L::template extents<int, dyn, dyn>;
  using right = typename L::template mdspan<float, d2>;
  using left = typename L::template mdspan<float, d2, typename L::layout_left>;
  using stride = typename L::template mdspan<const float, d2, typename L::layout_stride>;
  using padded = typename L::template mdspan<float, d2, right_padded<dyn>>;
  using padded3 =
      typename L::template mdspan<float, typename L::template extents<long, 2, 3, 4>, right_padded<16>>;
  using vector_left = typename L::template mdspan<float, typename L::template extents<unsigned, dyn>,
                                                  typename L::layout_left>;
  using scalar = typename L::template mdspan<float, typename L::template extents<int>>;
  static_assert(std::is_same_v<view_of_mdspan<right>, view<float, 2, contiguous, std::int32_t>>);
  static_assert(std::is_same_v<view_of_mdspan<left>, view<float, 2, strided, std::int32_t>>);
  static_assert(std::is_same_v<view_of_mdspan<stride>, view<const float, 2, strided, std::int32_t>>);
  static_assert(std::is_same_v<view_of_mdspan<padded>, view<float, 2, row_pitched, std::int32_t>>);
  static_assert(std::is_same_v<view_of_mdspan<padded3>, view<float, 3, row_pitched>>);
  static_assert(std::is_same_v<view_of_mdspan<vector_left>, view<float, 1>>);
  static_assert(std::is_same_v<view_of_mdspan<scalar>, view<float, 0, contiguous, std::int32_t>>);

  const padded m(memory, typename padded::mapping_type(d2(4, 6), 8));
  const auto v = from_mdspan(m);
  EXPECT_EQ(v.pitch(), 8);
  EXPECT_EQ(v(3, 5), m.data_handle()[m.mapping()(3, 5)]);
  EXPECT_EQ(&v(3, 5), memory + 29);
  const padded3 t(memory, typename padded3::mapping_type(typename L::template extents<long, 2, 3, 4>()));
  EXPECT_EQ(from_mdspan(t).pitch(), 16);
  EXPECT_EQ(from_mdspan(t).stride(0), 48);
}

TYPED_TEST(every_mdspan, is_an_argument_of_a_boundary) {
  using L = TypeParam;
  using d2 = typename L::template extents<std::size_t, dyn, 8>;
  using right = typename L::template mdspan<float, d2>;
  using left = typename L::template mdspan<float, d2, typename L::layout_left>;
  EXPECT_TRUE(check<scale>(right(memory, 4)).ok());
  EXPECT_EQ(check<scale>(left(memory, 4))[0].kind, violation_kind::layout);
  EXPECT_TRUE(check<scale>(left(memory, 1)).ok());  // one row
  EXPECT_EQ((try_view<view<float, 2>>(right(memory, 4))->extent(1)), 8);
}

TYPED_TEST(every_mdspan, what_the_types_prove_goes_back_unchecked) {
  using L = TypeParam;
  using right = typename L::template mdspan<const float, typename L::template extents<int, dyn, dyn>>;
  const view<float, 2, contiguous, std::int32_t> v{memory, {{4, 8}}};
  constexpr bool is_free = noexcept(to_mdspan<right>(v));
  static_assert(is_free);
  const right m = to_mdspan<right>(v);
  EXPECT_EQ(m.data_handle(), memory);
  EXPECT_EQ(m.extent(0), 4);
  EXPECT_EQ(m.stride(0), 8);
  static_assert(detail::proves<right, decltype(v)>);
  static_assert(!detail::proves<right, view<float, 2>>);  // 64-bit extents into int
  static_assert(!detail::proves<right, view<float, 2, row_pitched, std::int32_t>>);  // dense is not proved
  static_assert(!detail::proves<typename L::template mdspan<float, typename L::template extents<int, 4, dyn>>,
                                decltype(v)>);
}

TYPED_TEST(every_mdspan, the_rest_is_checked) {
  using L = TypeParam;
  using right = typename L::template mdspan<float, typename L::template extents<int, dyn, dyn>>;
  using fixed = typename L::template mdspan<float, typename L::template extents<int, 4, dyn>>;
  using left = typename L::template mdspan<float, typename L::template extents<int, dyn, dyn>,
                                           typename L::layout_left>;
  using small = typename L::template mdspan<float, typename L::template extents<signed char, dyn, dyn>>;
  const view<float, 2, strided> dense{memory, {{4, 8}, {8, 1}}}, narrow{memory, {{4, 8}, {16, 1}}};
  const view<float, 2, strided> turned{memory, {{4, 8}, {1, 4}}}, one_row{memory, {{1, 8}, {99, 1}}};
  EXPECT_TRUE(try_mdspan<right>(dense));
  EXPECT_FALSE(try_mdspan<right>(narrow));
  EXPECT_FALSE(try_mdspan<right>(turned));
  EXPECT_TRUE(try_mdspan<right>(one_row));
  EXPECT_TRUE(try_mdspan<left>(turned));
  EXPECT_FALSE(try_mdspan<left>(dense));
  EXPECT_TRUE(try_mdspan<fixed>(dense));
  EXPECT_FALSE(try_mdspan<fixed>(one_row));
  EXPECT_TRUE(try_mdspan<small>(dense));
  EXPECT_FALSE(try_mdspan<small>(view<float, 2>{memory, {{16, 16}}}));
  EXPECT_FALSE(try_mdspan<right>(view<float, 2>{memory, {{index_t{1} << 20, index_t{1} << 20}}}));
  EXPECT_FALSE(try_mdspan<right>(view<float, 2>{memory, {{0, index_t{1} << 40}}}));
}

TYPED_TEST(every_mdspan, layout_stride_gets_only_what_it_allows) {
  using L = TypeParam;
  using stride = typename L::template mdspan<float, typename L::template extents<int, dyn, dyn>,
                                             typename L::layout_stride>;
  const auto narrow = try_mdspan<stride>(view<float, 2, row_pitched>{memory, {{4, 8}, 16}});
  ASSERT_TRUE(narrow);
  EXPECT_EQ(narrow->stride(0), 16);
  EXPECT_EQ(narrow->stride(1), 1);
  EXPECT_TRUE(try_mdspan<stride>(view<float, 2, strided>{memory, {{4, 8}, {1, 4}}}));
  EXPECT_FALSE(try_mdspan<stride>(view<float, 2, strided>{memory, {{4, 8}, {0, 1}}}));
  EXPECT_FALSE(try_mdspan<stride>(view<float, 2, strided>{memory + 63, {{4, 8}, {-8, -1}}}));
  // No two elements share an address, and yet it is not allowed.
  EXPECT_FALSE(try_mdspan<stride>(view<float, 2, strided>{memory, {{3, 2}, {2, 5}}}));
  // The stride of an extent of 1 is never used; here it must become positive.
  const auto one = try_mdspan<stride>(view<float, 2, strided>{memory, {{1, 8}, {-5, 1}}});
  ASSERT_TRUE(one);
  EXPECT_GT(one->stride(0), 0);
  EXPECT_TRUE(try_mdspan<stride>(view<float, 2, strided>{memory, {{0, 8}, {0, 0}}}));
}

TYPED_TEST(every_mdspan, padded_rows_there_and_back) {
  using L = TypeParam;
  using d2 = typename L::template extents<int, dyn, dyn>;
  using padded = typename L::template mdspan<float, d2, right_padded<dyn>>;
  using padded16 = typename L::template mdspan<float, d2, right_padded<16>>;
  const view<float, 2, row_pitched> v{memory, {{4, 6}, 8}};
  const auto m = try_mdspan<padded>(v);
  ASSERT_TRUE(m);
  EXPECT_EQ(m->mapping().stride(0), 8);
  EXPECT_EQ(from_mdspan(*m).pitch(), 8);
  EXPECT_FALSE(try_mdspan<padded16>(v));
  EXPECT_TRUE(try_mdspan<padded16>(view<float, 2, row_pitched>{memory, {{4, 6}, 16}}));
  EXPECT_FALSE(try_mdspan<padded>(view<float, 2, strided>{memory, {{4, 6}, {1, 4}}}));
}

#if defined(STRIDELOCK_TEST_CUDA_MDSPAN)
TEST(cuda_mdspan, alignment_of_the_accessor_is_kept) {
  using d1 = ::cuda::std::extents<int, dyn>;
  using wide =
      ::cuda::std::mdspan<float, d1, ::cuda::std::layout_right, ::cuda::std::aligned_accessor<float, 32>>;
  static_assert(std::is_same_v<view_of_mdspan<wide>, view<float, 1, contiguous, std::int32_t, aligned<32>>>);
  EXPECT_TRUE(try_mdspan<wide>(view<float, 1>{memory, {{8}}}));
  EXPECT_FALSE(try_mdspan<wide>(view<float, 1>{memory + 1, {{8}}}));
  static_assert(detail::proves<wide, view<float, 1, contiguous, std::int32_t, aligned<64>>>);
  static_assert(!detail::proves<wide, view<float, 1, contiguous, std::int32_t>>);
}
#endif

}  // namespace
}  // namespace stridelock
