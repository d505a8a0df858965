// TVM-FFI: IsContiguous and IsAligned. D1 and D2 of docs/differences.md are the only differences.
#include <gtest/gtest.h>
#include <tvm/ffi/container/tensor.h>

#include "random_layouts.h"
#include "stridelock/adapters/dlpack.h"
#include "stridelock/check.h"

namespace stridelock::testing {
namespace {

constexpr int layouts = 1'000'000;

TEST(differential_tvm_ffi, is_contiguous) {
  random_layouts random(5);
  int contiguous = 0;
  for (int i = 0; i < layouts; ++i) {
    small_layout l = random.next(6);
    DLTensor t{};
    t.ndim = l.rank;
    t.shape = l.extents;
    t.strides = l.strides;
    ASSERT_EQ(tvm::ffi::IsContiguous(t), is_dense(l)) << l.text();
    contiguous += is_dense(l);
  }
  EXPECT_GT(contiguous, layouts / 5);
  EXPECT_LT(contiguous, layouts * 4 / 5);
}

TEST(differential_tvm_ffi, D1_an_element_count_beyond_64_bits_has_no_notion_for_us) {
  std::int64_t extents[] = {index_t{1} << 32, index_t{1} << 32}, strides[] = {index_t{1} << 32, 1};
  DLTensor t{};
  t.ndim = 2;
  t.shape = extents;
  t.strides = strides;
  EXPECT_TRUE(tvm::ffi::IsContiguous(t));
  EXPECT_FALSE(is_dense({2, extents, strides}));
}

TEST(differential_tvm_ffi, is_aligned) {
  random_layouts random(6);
  constexpr DLDeviceType devices[] = {kDLCPU,  kDLCUDA,     kDLCUDAHost, kDLCUDAManaged,
                                      kDLROCM, kDLROCMHost, kDLVulkan,   kDLMetal};
  for (int i = 0; i < layouts; ++i) {
    DLTensor t{};
    t.data = reinterpret_cast<void*>(static_cast<std::uintptr_t>(4096 + random.below(256)));
    t.byte_offset = static_cast<std::uint64_t>(random.below(64));
    t.device.device_type = devices[random.below(8)];
    const std::uint64_t bytes = std::uint64_t{1} << random.below(8);
    const device where{static_cast<device_kind>(t.device.device_type), 0};
    const std::uint64_t address = has_addresses(where) ? reinterpret_cast<std::uintptr_t>(t.data) : 0;
    ASSERT_EQ(tvm::ffi::IsAligned(t, bytes), is_aligned(address, t.byte_offset, bytes));
  }
}

// D2: an empty tensor addresses nothing, so we do not ask where it would begin.
TEST(differential_tvm_ffi, D2_alignment_of_an_argument) {
  static constexpr auto aligned16 = make_contract("load", arg("x").aligned(16));
  random_layouts random(9);
  int different = 0;
  for (int i = 0; i < 50'000; ++i) {
    small_layout l = random.next(4);
    DLTensor t{};
    t.ndim = l.rank;
    t.shape = l.extents;
    t.strides = l.strides;
    t.dtype = {kDLFloat, 32, 1};
    t.device.device_type = random.one_in(4) ? kDLVulkan : kDLCUDA;
    t.data = reinterpret_cast<void*>(static_cast<std::uintptr_t>(4096 + 8 * random.below(4)));
    t.byte_offset = static_cast<std::uint64_t>(8 * random.below(4));
    const bool theirs = tvm::ffi::IsAligned(t, 16);
    ASSERT_EQ(check<aligned16>(t).ok(), theirs || is_empty(l)) << l.text();
    different += !theirs && is_empty(l);
  }
  EXPECT_GT(different, 100);
}

}  // namespace
}  // namespace stridelock::testing
