#include "stridelock/adapters/aten.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stridelock/check.h"
#include "stridelock/message.h"
#include "stridelock/to_view.h"

namespace stridelock {
namespace {

inline constexpr auto norm = make_contract(
    "norm", arg("x").type(types::float32).shape(sym("T"), sym("D")).layout(notion::row_pitched),
    arg("w").type(types::float32).shape(sym("D")).layout(notion::dense).optional(),
    arg("out").type(types::float32).shape(sym("T"), sym("D")).layout(notion::dense).aligned(16).output());

TEST(aten, tensors_and_what_stands_for_none) {
  const at::Tensor x = at::zeros({4, 16}), w = at::zeros({8}), out = at::zeros({4, 8});
  const at::Tensor narrow = x.narrow(1, 8, 8);
  EXPECT_TRUE(check<norm>(narrow, w, out).ok());
  EXPECT_TRUE(check<norm>(narrow, at::Tensor(), out).ok());
  EXPECT_TRUE(check<norm>(narrow, c10::optional<at::Tensor>(), out).ok());
  EXPECT_TRUE(check<norm>(narrow, c10::optional<at::Tensor>(w), out).ok());
  EXPECT_TRUE(check<norm>(narrow, std::optional<at::Tensor>(), out).ok());
  EXPECT_TRUE(check<norm>(narrow, std::optional<at::Tensor>(at::Tensor()), out).ok());
  EXPECT_EQ(check<norm>(at::Tensor(), w, out)[0].kind, violation_kind::missing);
  EXPECT_EQ(check<norm>(x.narrow(1, 0, 8), w, x.narrow(1, 0, 8))[0].kind, violation_kind::row_pitch);
  EXPECT_EQ(check<norm>(narrow.to(at::kDouble), w, out)[0].kind, violation_kind::type);
  EXPECT_EQ(check<norm>(x.narrow(1, 0, 4).transpose(0, 1), absent, at::zeros({4, 4}))[0].kind,
            violation_kind::layout);
  EXPECT_EQ(check<norm>(x.narrow(1, 0, 1).expand({4, 8}), w, out)[0].kind, violation_kind::layout);
}

TEST(aten, storage_offset_is_a_byte_offset_of_the_storage) {
  const at::Tensor buffer = at::zeros({4, 16});
  const at::Tensor narrow = buffer.narrow(1, 3, 8);
  const auto d = aten::describe(narrow);
  EXPECT_EQ(d.value.ref().data, buffer.data_ptr());
  EXPECT_EQ(d.value.ref().byte_offset, 12u);
  EXPECT_EQ((try_view<view<float, 2, row_pitched>>(narrow)->data), narrow.data_ptr<float>());
  const report r = check<norm>(buffer.narrow(1, 0, 8), absent, narrow);
  EXPECT_NE(text(r).find("address is 12 bytes past a multiple of 16"), std::string::npos) << text(r);
}

TEST(aten, empty_and_scalar_tensors) {
  static constexpr auto aligned =
      make_contract("load", arg("x").type(types::float32).layout(notion::dense).aligned(64));
  EXPECT_TRUE(check<aligned>(at::zeros({0, 3})).ok());
  EXPECT_TRUE(check<aligned>(at::scalar_tensor(1.0f)).ok());
  EXPECT_TRUE((try_view<view<float, 2>>(at::zeros({0, 3}))));
  EXPECT_TRUE((try_view<view<float, 0>>(at::scalar_tensor(1.0f))));
  const at::Tensor nine = at::zeros({1, 1, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(check<aligned>(nine)[0].kind, violation_kind::malformed);
}

TEST(aten, autograd_is_left_alone) {
  at::Tensor x = at::zeros({4, 8}).set_requires_grad(true);
  const auto version = x._version();
  EXPECT_TRUE(check<norm>(x, absent, at::zeros({4, 8})).ok());
  EXPECT_TRUE((try_view<view<float, 2>>(x)));
  EXPECT_TRUE(x.requires_grad());
  EXPECT_TRUE(x.is_leaf());
  EXPECT_EQ(x._version(), version);
}

TEST(aten, meta_tensors_have_no_data_facts) {
  const auto meta = at::TensorOptions().device(at::kMeta).dtype(at::kFloat);
  const at::Tensor x = at::empty({4, 8}, meta), out = at::empty({4, 8}, meta);
  EXPECT_FALSE(aten::describe(x).value.has_data);
  EXPECT_EQ(check<norm>(x, absent, out)[0].kind, violation_kind::null_data);
  EXPECT_TRUE(check_in<norm>(aten::context_of(x, c10::optional<at::Tensor>(), out), x, absent, out).ok());
  const at::Tensor narrow = at::empty({4, 16}, meta).narrow(1, 1, 8);
  const report r = check_in<norm>(aten::context_of(x, narrow), x, absent, narrow);
  ASSERT_EQ(r.size(), 1);  // the pitch is judged, the address is not
  EXPECT_EQ(r[0].kind, violation_kind::row_pitch);
  EXPECT_FALSE((try_view<view<float, 2>>(x)));
  EXPECT_FALSE(aten::context_of(at::zeros({1}), at::Tensor()).without_data);
}

// Freed behind its back: that is no fake tensor, and must not pass as one.
TEST(aten, storage_without_memory_is_null_data) {
  const at::Tensor x = at::zeros({4, 8});
  x.storage().unsafeGetStorageImpl()->set_data_ptr_noswap(at::DataPtr(nullptr, at::kCPU));
  EXPECT_EQ(check_in<norm>(aten::context_of(x), x, absent, at::zeros({4, 8}))[0].kind,
            violation_kind::null_data);
}

TEST(aten, what_its_memory_does_not_show_is_malformed) {
  static constexpr auto anything = make_contract("anything", arg("x"));
  const auto malformed = [](const at::Tensor& t) {
    const report r = check<anything>(t);
    return r.size() == 1 && r[0].kind == violation_kind::malformed;
  };
  const at::Tensor complex = at::zeros({4}, at::kComplexFloat);
  EXPECT_FALSE(malformed(complex));
  EXPECT_TRUE(malformed(complex.conj()));
  EXPECT_FALSE(malformed(complex.conj().resolve_conj()));
  EXPECT_TRUE(malformed(at::imag(complex.conj())));  // negated
  EXPECT_TRUE(malformed(at::_efficientzerotensor({4}, at::TensorOptions())));
  EXPECT_TRUE(malformed(at::zeros({4, 4}).to_sparse()));
  EXPECT_TRUE(malformed(at::quantize_per_tensor(at::zeros({4}), 0.1, 0, at::kQInt8)));
}

#if defined(STRIDELOCK_ATEN_HAS_COPY_ON_WRITE)
TEST(aten, memory_that_is_shared_until_it_is_written_is_no_output) {
  const at::Tensor x = at::zeros({4, 8}), copy = x._lazy_clone();
  EXPECT_EQ(check<norm>(x, absent, copy)[0].kind, violation_kind::read_only);
  EXPECT_FALSE((try_view<view<float, 2>>(copy)));
  EXPECT_TRUE((try_view<view<const float, 2>>(copy)));
  copy.mutable_data_ptr();
  EXPECT_TRUE(check<norm>(x, absent, copy).ok());
}
#endif

TEST(aten, every_type_that_this_version_has_is_known_or_refused) {
  static_assert(same_representation(aten::type_of(at::kBFloat16), types::bfloat16));
  for (int i = 0; i < static_cast<int>(at::ScalarType::Undefined); ++i) {
    const auto scalar = static_cast<at::ScalarType>(i);
    const std::string name = at::toString(scalar);
    const auto starts = [&](const char* word) { return name.rfind(word, 0) == 0; };
    const bool narrow_integer = (starts("Int") || starts("UInt")) && name.back() >= '1' &&
                                name.back() <= '7' && name.find_first_of("0123456789") == name.size() - 1;
    const bool refused = starts("QInt") || starts("QUInt") || starts("Bits") || narrow_integer;
    const dtype type = aten::type_of(scalar);
    EXPECT_EQ(type.bits == 0, refused) << name;
    if (refused) continue;
    EXPECT_EQ(static_cast<std::size_t>(type.storage_bytes()), at::elementSize(scalar)) << name;
    if (!type.is_sub_byte()) {
      EXPECT_EQ(aten::scalar_type_of(type), scalar) << name;
    }
  }
  EXPECT_EQ(aten::type_of(at::ScalarType::Undefined).bits, 0);
  EXPECT_EQ(aten::type_of(static_cast<at::ScalarType>(44)).code, type_code::float8_e8m0fnu);
}

TEST(aten, pairs_are_counted_as_values) {
  const index_t sizes[] = {4, 8}, strides[] = {16, 1}, wrong[] = {1, 4};
  aten::description d;
  d.value.rank = 2;
  d.value.extents = sizes;
  d.value.strides = strides;
  aten::detail::count_values_of_pairs(d);
  EXPECT_EQ(d.ref().extents[1], 16);
  EXPECT_EQ(d.ref().strides[0], 32);
  EXPECT_EQ(d.ref().strides[1], 1);
  aten::description transposed;
  transposed.value.rank = 2;
  transposed.value.extents = sizes;
  transposed.value.strides = wrong;
  aten::detail::count_values_of_pairs(transposed);
  EXPECT_EQ(transposed.ref().rank, -1);
}

TEST(aten, there_and_back) {
  auto buffer = std::make_shared<std::vector<float>>(64, 0.0f);
  const view<float, 2, row_pitched> v{buffer->data(), {{4, 8}, 16}};
  {
    const at::Tensor t = aten::lend(v, at::kCPU, buffer);
    ASSERT_TRUE(t.defined());
    EXPECT_EQ(buffer.use_count(), 2);
    EXPECT_EQ(t.data_ptr(), v.data);
    EXPECT_EQ(t.stride(0), 16);
    EXPECT_FALSE(t.requires_grad());
    const auto back = try_view<view<float, 2, row_pitched>>(t);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->pitch(), 16);
    t.fill_(3.0f);
    EXPECT_EQ((*buffer)[16], 3.0f);
    EXPECT_EQ((*buffer)[8], 0.0f);
  }
  EXPECT_EQ(buffer.use_count(), 1);
}

TEST(aten, what_it_cannot_say_is_not_lent) {
  float data[8] = {};
  const view<const float, 1> locked{data, {{8}}};
  const auto d = describe(locked);
  EXPECT_FALSE(aten::lend(d.ref(), at::kCPU, 0).defined());
  const view<float, 1, strided> reversed{data + 7, {{8}, {-1}}};
  EXPECT_FALSE(aten::lend(reversed, at::kCPU, 0).defined());
  const auto elsewhere = describe(view<float, 1>{data, {{8}}}, {device_kind::cuda, 0});
  EXPECT_FALSE(aten::lend(elsewhere.ref(), at::kCPU, 0).defined());
  const auto null = describe(view<float, 1>{nullptr, {{8}}});
  EXPECT_FALSE(aten::lend(null.ref(), at::kCPU, 0).defined());
  const tensor_desc fp4 = tensor_desc::dense("w", types::float4_e2m1fn, {8}, {device_kind::cpu, 0}, data);
  EXPECT_FALSE(aten::lend(fp4.ref(), at::kCPU, 0).defined());
  EXPECT_TRUE(aten::lend(view<float, 1>{nullptr, {{0}}}, at::kCPU, 0).defined());
}

}  // namespace
}  // namespace stridelock
