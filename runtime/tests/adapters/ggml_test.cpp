#include "stridelock/adapters/ggml.h"

#include <gtest/gtest.h>

#include "stridelock/check.h"
#include "stridelock/to_view.h"

// The part of ggml that tensors are made of, in words of our own, and the real one where it was found.
namespace small_ggml {

enum ggml_type {
  GGML_TYPE_F32 = 0,
  GGML_TYPE_F16 = 1,
  GGML_TYPE_Q4_0 = 2,
  GGML_TYPE_Q8_K = 15,
  GGML_TYPE_I32 = 26
};
struct ggml_tensor {
  ggml_type type;
  void* buffer;
  std::int64_t ne[4];
  std::size_t nb[4];
  ggml_tensor* view_src;
  std::size_t view_offs;
  void* data;
};
inline std::size_t ggml_type_size(ggml_type t) {
  return t == GGML_TYPE_Q4_0 ? 18 : t == GGML_TYPE_Q8_K ? 292 : t == GGML_TYPE_F16 ? 2 : 4;
}
inline std::int64_t ggml_blck_size(ggml_type t) {
  return t == GGML_TYPE_Q4_0 ? 32 : t == GGML_TYPE_Q8_K ? 256 : 1;
}
struct names {
  using tensor = ggml_tensor;
  static constexpr ggml_type f32 = GGML_TYPE_F32, f16 = GGML_TYPE_F16, q4_0 = GGML_TYPE_Q4_0,
                             q8_k = GGML_TYPE_Q8_K;
};

}  // namespace small_ggml

#if defined(STRIDELOCK_TEST_REAL_GGML)
#include <ggml.h>
struct real_names {
  using tensor = ggml_tensor;
  static constexpr ggml_type f32 = GGML_TYPE_F32, f16 = GGML_TYPE_F16, q4_0 = GGML_TYPE_Q4_0,
                             q8_k = GGML_TYPE_Q8_K;
};
#endif

namespace stridelock {
namespace {

float memory[1024];

template <class Names>
typename Names::tensor tensor_of(decltype(Names::tensor::type) type, std::int64_t n0, std::int64_t n1,
                                 std::size_t nb0, std::size_t nb1, void* data = memory) {
  typename Names::tensor t{};
  t.type = type;
  t.ne[0] = n0;
  t.ne[1] = n1;
  t.ne[2] = t.ne[3] = 1;
  t.nb[0] = nb0;
  t.nb[1] = nb1;
  t.nb[2] = t.nb[3] = nb1 * static_cast<std::size_t>(n1);
  t.data = data;
  return t;
}

template <class Names>
class every_ggml : public ::testing::Test {};
using names = ::testing::Types<small_ggml::names
#if defined(STRIDELOCK_TEST_REAL_GGML)
                               ,
                               real_names
#endif
                               >;
TYPED_TEST_SUITE(every_ggml, names);

TYPED_TEST(every_ggml, dimensions_are_turned_round_and_strides_count_elements) {
  static constexpr auto rows =
      make_contract("rows", arg("x").type(types::float32).shape(1, 1, 4, 8).layout(notion::row_pitched));
  static constexpr auto dense = make_contract("dense", arg("x").type(types::float32).layout(notion::dense));
  const auto t = tensor_of<TypeParam>(TypeParam::f32, 8, 4, 4, 64);
  EXPECT_TRUE(check<rows>(t).ok());
  EXPECT_TRUE(check<rows>(&t).ok());
  const report r = check<dense>(t);
  ASSERT_EQ(r.size(), 1);
  EXPECT_EQ(r[0].kind, violation_kind::row_pitch);
  EXPECT_EQ(r[0].found, 16);
  EXPECT_TRUE(check<dense>(tensor_of<TypeParam>(TypeParam::f32, 8, 4, 4, 32)).ok());
  const typename TypeParam::tensor* none = nullptr;
  EXPECT_EQ(check<dense>(none)[0].kind, violation_kind::missing);
}

TYPED_TEST(every_ggml, a_lower_rank_is_asked_for) {
  const auto t = tensor_of<TypeParam>(TypeParam::f32, 8, 4, 4, 64);
  const auto v = try_view<view<float, 2, row_pitched>>(ggml::as_rank<2>(t));
  ASSERT_TRUE(v);
  EXPECT_EQ(v->pitch(), 16);
  EXPECT_EQ(v->extent(0), 4);
  EXPECT_FALSE((try_view<view<float, 1>>(ggml::as_rank<1>(t))));  // dimension 1 is not 1
  EXPECT_FALSE((try_view<view<float, 2, row_pitched>>(t)));       // rank 4
  EXPECT_TRUE((try_view<view<float, 4, row_pitched>>(t)));
}

TYPED_TEST(every_ggml, bytes_that_are_no_multiple_of_the_element_are_malformed) {
  static constexpr auto anything = make_contract("anything", arg("x"));
  EXPECT_EQ(check<anything>(tensor_of<TypeParam>(TypeParam::f32, 8, 4, 4, 34))[0].kind,
            violation_kind::malformed);
  EXPECT_TRUE(check<anything>(tensor_of<TypeParam>(TypeParam::f32, 8, 1, 4, 34)).ok());  // never used
  EXPECT_EQ(check<anything>(tensor_of<TypeParam>(TypeParam::f32, 8, 4, 4, ~std::size_t{0}))[0].kind,
            violation_kind::malformed);
}

TYPED_TEST(every_ggml, a_block_is_one_element) {
  static constexpr auto q4_0 =
      make_contract("q4_0", arg("x").type(ggml::block_type(2, 18)).shape(1, 1, 4, 2).layout(notion::dense));
  const auto t = tensor_of<TypeParam>(TypeParam::q4_0, 64, 4, 18, 36);
  EXPECT_TRUE(check<q4_0>(t).ok());
  EXPECT_TRUE(same_representation(ggml::type_of(t), ggml::block_type(2, 18)));
  EXPECT_EQ(check<q4_0>(tensor_of<TypeParam>(TypeParam::q4_0, 64, 4, 18, 54))[0].kind,
            violation_kind::row_pitch);
  EXPECT_EQ(check<q4_0>(tensor_of<TypeParam>(TypeParam::q4_0, 48, 4, 18, 36))[0].kind,
            violation_kind::malformed);
  // The same size of block is not the same type.
  static constexpr auto iq4_nl = make_contract("iq4_nl", arg("x").type(ggml::block_type(20, 18)));
  EXPECT_EQ(check<iq4_nl>(t)[0].kind, violation_kind::type);
  // A block of 292 bytes is more than a dtype can say.
  static constexpr auto anything = make_contract("anything", arg("x"));
  EXPECT_EQ(check<anything>(tensor_of<TypeParam>(TypeParam::q8_k, 256, 4, 292, 292))[0].kind,
            violation_kind::malformed);
}

TYPED_TEST(every_ggml, a_tensor_that_is_not_allocated_yet_has_no_data_facts) {
  static constexpr auto dense =
      make_contract("dense", arg("x").type(types::float32).layout(notion::dense).aligned(16));
  const auto t = tensor_of<TypeParam>(TypeParam::f32, 8, 4, 4, 32, nullptr);
  EXPECT_EQ(check<dense>(t)[0].kind, violation_kind::null_data);
  EXPECT_TRUE(check_in<dense>(ggml::context_of(t), t).ok());
  const typename TypeParam::tensor* none = nullptr;
  EXPECT_TRUE(ggml::context_of(&t, none).without_data);
  EXPECT_FALSE(ggml::context_of(tensor_of<TypeParam>(TypeParam::f32, 8, 4, 4, 32), none).without_data);
}

TYPED_TEST(every_ggml, there_and_back) {
  auto t = tensor_of<TypeParam>(TypeParam::f32, 1, 1, 4, 4, nullptr);
  const view<float, 2, row_pitched> v{memory, {{4, 8}, 16}};
  ASSERT_TRUE(ggml::assign(t, v));
  EXPECT_EQ(t.ne[0], 8);
  EXPECT_EQ(t.ne[1], 4);
  EXPECT_EQ(t.ne[3], 1);
  EXPECT_EQ(t.nb[0], 4u);
  EXPECT_EQ(t.nb[1], 64u);
  EXPECT_EQ(t.nb[2], 256u);
  EXPECT_EQ(t.data, memory);
  EXPECT_EQ((try_view<view<float, 2, row_pitched>>(ggml::as_rank<2>(t))->pitch()), 16);
  EXPECT_FALSE(ggml::assign(t, view<float, 1, strided>{memory, {{4}, {-1}}}));
  EXPECT_FALSE(ggml::assign(t, view<int, 1>{nullptr, {{4}}}));
  EXPECT_EQ(t.ne[0], 8);  // as it was
}

}  // namespace
}  // namespace stridelock
