#include "stridelock/adapters/tvm_ffi.h"

#include <gtest/gtest.h>
#include <tvm/ffi/optional.h>

#include <memory>
#include <vector>

#include "stridelock/check.h"
#include "stridelock/to_view.h"

namespace stridelock {
namespace {

inline constexpr auto norm =
    make_contract("norm", arg("x").type(types::float32).shape(sym("T"), sym("D")).layout(notion::row_pitched),
                  arg("w").type(types::float32).shape(sym("D")).layout(notion::dense).optional());

constexpr device cpu{device_kind::cpu, 0};
float memory[64];

TEST(tvm_ffi, views_tensors_and_what_stands_for_none) {
  const view<float, 2, row_pitched> narrow{memory, {{4, 8}, 16}};
  dlpack::numbers store, weight_store;
  const tvm::ffi::TensorView x = *tvm_ffi::lend(narrow, cpu, store);
  const tvm::ffi::TensorView w = *tvm_ffi::lend(view<float, 1>{memory, {{8}}}, cpu, weight_store);
  EXPECT_TRUE(check<norm>(x, w).ok());
  EXPECT_TRUE(check<norm>(x, tvm::ffi::Optional<tvm::ffi::TensorView>(w)).ok());
  EXPECT_TRUE(check<norm>(x, tvm::ffi::Optional<tvm::ffi::TensorView>()).ok());
  EXPECT_TRUE(check<norm>(x, tvm::ffi::Tensor()).ok());
  EXPECT_TRUE(check<norm>(x, tvm::ffi::Optional<tvm::ffi::Tensor>()).ok());
  EXPECT_EQ(check<norm>(tvm::ffi::Tensor(), w)[0].kind, violation_kind::missing);
  EXPECT_EQ(check<norm>(x, x)[0].kind, violation_kind::rank);
  const auto back = try_view<view<float, 2, row_pitched>>(x);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->pitch(), 16);
  EXPECT_EQ(back->data, memory);
}

// IsContiguous() says true of these, and stride(0) would read a null pointer.
TEST(tvm_ffi, N1_null_strides_are_compact) {
  std::int64_t shape[] = {4, 8};
  DLTensor t{};
  t.data = memory;
  t.device = {kDLCPU, 0};
  t.ndim = 2;
  t.dtype = {kDLFloat, 32, 1};
  t.shape = shape;
  const tvm::ffi::TensorView x(&t);
  EXPECT_TRUE(x.IsContiguous());
  EXPECT_TRUE(check<norm>(x, absent).ok());
  EXPECT_EQ((try_view<view<float, 2>>(x)->stride(0)), 8);
}

TEST(tvm_ffi, an_owned_tensor_keeps_what_it_stands_on) {
  auto buffer = std::make_shared<std::vector<float>>(64);
  const view<float, 2, row_pitched> v{buffer->data(), {{4, 8}, 16}};
  {
    const tvm::ffi::Tensor t = tvm_ffi::lend_tensor(v, cpu, buffer);
    ASSERT_TRUE(t.defined());
    EXPECT_EQ(buffer.use_count(), 2);
    EXPECT_EQ(t.stride(0), 16);
    EXPECT_TRUE(check<norm>(t, absent).ok());
    EXPECT_FALSE((try_view<view<float, 2>>(t)));
    EXPECT_TRUE((try_view<view<float, 2, row_pitched>>(t)));
  }
  EXPECT_EQ(buffer.use_count(), 1);
}

TEST(tvm_ffi, nothing_is_lent_without_a_device) {
  dlpack::numbers store;
  const view<float, 1> v{memory, {{8}}};
  EXPECT_FALSE(tvm_ffi::lend(v, device{}, store).has_value());
  EXPECT_FALSE(tvm_ffi::lend_tensor(v, device{}, 0).defined());
}

}  // namespace
}  // namespace stridelock
