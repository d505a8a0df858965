#include "stridelock/adapters/dlpack.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <string>

#include "dlpack_versions.h"
#include "stridelock/check.h"
#include "stridelock/message.h"
#include "stridelock/to_view.h"

#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#define STRIDELOCK_TEST_REAL_DLPACK 1
struct dlpack_real_names {
  using tensor = DLTensor;
  using managed = DLManagedTensor;
#if defined(DLPACK_MAJOR_VERSION)
  using versioned = DLManagedTensorVersioned;
#endif
};
#endif

namespace stridelock {
namespace {

inline constexpr auto dense_input =
    make_contract("copy", arg("in").type(types::float32).shape(sym("M"), sym("N")).layout(notion::dense));
inline constexpr auto strided_output = make_contract("fill", arg("out").type(types::float32).output());
inline constexpr auto aligned16 = make_contract("load", arg("in").type(types::float32).aligned(16));

alignas(256) float memory[1024];

template <class Tensor>
Tensor tensor_over(void* data, int ndim, std::int64_t* shape, std::int64_t* strides, int device = 1) {
  Tensor t{};
  t.data = data;
  t.ndim = ndim;
  t.dtype.code = 2;
  t.dtype.bits = 32;
  t.dtype.lanes = 1;
  t.shape = shape;
  t.strides = strides;
  auto& where = dlpack::detail::device_member<Tensor>::of(t);
  where.device_type = static_cast<std::remove_reference_t<decltype(where.device_type)>>(device);
  return t;
}

template <class Managed>
Managed managed_over(const decltype(Managed::dl_tensor)& t, std::uint32_t major = 1, std::uint32_t minor = 0,
                     std::uint64_t flags = 0) {
  Managed m{};
  m.dl_tensor = t;
  m.version.major = major;
  m.version.minor = minor;
  m.flags = flags;
  return m;
}

// ---- every header gives the same verdicts ------------------------------------------------------------------------------

template <class Names>
class every_header : public ::testing::Test {};
using headers = ::testing::Types<dlpack_0_2_names, dlpack_0_8_names, dlpack_1_0_names
#if defined(STRIDELOCK_TEST_REAL_DLPACK)
                                 ,
                                 dlpack_real_names
#endif
                                 >;
TYPED_TEST_SUITE(every_header, headers);

TYPED_TEST(every_header, N1_null_strides_of_a_bare_tensor_are_compact_and_never_read) {
  using tensor = typename TypeParam::tensor;
  std::int64_t shape[] = {4, 8};
  const tensor t = tensor_over<tensor>(memory, 2, shape, nullptr);
  EXPECT_TRUE(check<dense_input>(t).ok());
  EXPECT_TRUE(check<dense_input>(&t).ok());
  const dlpack::description d = dlpack::read(t);
  EXPECT_EQ(d.stride(0), 8);
  EXPECT_EQ(d.stride(1), 1);
  EXPECT_FALSE(d.null_strides_forbidden);
  const auto v = try_view<view<const float, 2>>(t);
  ASSERT_TRUE(v);
  EXPECT_EQ(v->stride(0), 8);
}

TYPED_TEST(every_header, N2_a_pitched_tensor_is_refused_and_a_bare_one_may_be_written) {
  using tensor = typename TypeParam::tensor;
  std::int64_t shape[] = {4, 8}, strides[] = {16, 1};
  const tensor t = tensor_over<tensor>(memory, 2, shape, strides);
  const report r = check<dense_input>(t);
  ASSERT_EQ(r.size(), 1);
  EXPECT_EQ(r[0].kind, violation_kind::row_pitch);
  EXPECT_EQ(r[0].found, 16);
  EXPECT_TRUE(check<strided_output>(t).ok());
  EXPECT_EQ(dlpack::read(t).ref().read_only, tri::unknown);
}

TYPED_TEST(every_header, N2_a_legacy_capsule_says_unknown) {
  using managed = typename TypeParam::managed;
  std::int64_t shape[] = {4, 8};
  managed m{};
  m.dl_tensor = tensor_over<typename TypeParam::tensor>(memory, 2, shape, nullptr);
  EXPECT_EQ(dlpack::read(m).ref().read_only, tri::unknown);
  EXPECT_TRUE(check<strided_output>(m).ok());
}

TYPED_TEST(every_header, scalars_may_leave_shape_and_strides_out) {
  using tensor = typename TypeParam::tensor;
  const tensor t = tensor_over<tensor>(memory, 0, nullptr, nullptr);
  static constexpr auto scalar =
      make_contract("scalar", arg("x").type(types::float32).shape().layout(notion::dense));
  EXPECT_TRUE(check<scalar>(t).ok());
  EXPECT_TRUE((try_view<view<float, 0>>(t)));
}

TYPED_TEST(every_header, empty_tensors_may_have_null_data) {
  std::int64_t shape[] = {0, 8};
  const auto t = tensor_over<typename TypeParam::tensor>(nullptr, 2, shape, nullptr);
  EXPECT_TRUE(check<dense_input>(t).ok());
  EXPECT_TRUE(check<aligned16>(t).ok());
  const auto v = try_view<view<float, 2>>(t);
  ASSERT_TRUE(v);
  EXPECT_EQ(v->data, nullptr);
  shape[0] = 1;
  EXPECT_EQ(check<dense_input>(t)[0].kind, violation_kind::null_data);
  EXPECT_FALSE((try_view<view<float, 2>>(t)));
}

TYPED_TEST(every_header, what_makes_no_tensor_is_an_error_value_and_a_violation) {
  using tensor = typename TypeParam::tensor;
  std::int64_t shape[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  const auto expect = [](const tensor& t, dlpack::error e) {
    EXPECT_EQ(dlpack::read(t).error, e);
    EXPECT_EQ(check<aligned16>(t)[0].kind, violation_kind::malformed);
    EXPECT_FALSE((try_view<view<float, 2>>(t)));
    EXPECT_THROW((require_view<view<float, 2>>(t)), contract_violation);
  };
  expect(tensor_over<tensor>(memory, 2, nullptr, nullptr), dlpack::error::null_shape);
  expect(tensor_over<tensor>(memory, -1, shape, nullptr), dlpack::error::rank);
  expect(tensor_over<tensor>(memory, 9, shape, nullptr), dlpack::error::rank);
  tensor t = tensor_over<tensor>(memory, 2, shape, nullptr);
  t.dtype.lanes = 0;
  expect(t, dlpack::error::lanes);
  t.dtype.lanes = 256;
  expect(t, dlpack::error::lanes);
  t.dtype.lanes = 0xffff;  // how some producers say "scalable"
  expect(t, dlpack::error::lanes);
}

TYPED_TEST(every_header, A1_byte_offset_is_part_of_the_address) {
  std::int64_t shape[] = {4};
  auto shifted = tensor_over<typename TypeParam::tensor>(memory, 1, shape, nullptr);
  shifted.byte_offset = 4;
  const report r = check<aligned16>(shifted);
  ASSERT_EQ(r.size(), 1);
  EXPECT_EQ(r[0].kind, violation_kind::aligned);
  EXPECT_NE(text(r).find("address is 4 bytes past a multiple of 16 (data 0, byte offset 4)"),
            std::string::npos)
      << text(r);
  // The form that PyTorch sends: the same verdict, and the same view.
  auto moved = tensor_over<typename TypeParam::tensor>(memory + 1, 1, shape, nullptr);
  EXPECT_EQ(check<aligned16>(moved)[0].kind, violation_kind::aligned);
  EXPECT_EQ((try_view<view<float, 1>>(shifted)->data), (try_view<view<float, 1>>(moved)->data));
  shifted.byte_offset = 2;
  EXPECT_FALSE((try_view<view<float, 1>>(shifted)));  // a float at an address of 2
  shifted.byte_offset = ~std::uint64_t{0} - 3;        // 4 bytes below: the sum is an address modulo 2^64
  shifted.data = memory + 1;
  EXPECT_TRUE(check<aligned16>(shifted).ok());
  EXPECT_EQ((try_view<view<float, 1>>(shifted)->data), memory);
}

TYPED_TEST(every_header, lanes_make_a_vector_type) {
  std::int64_t shape[] = {4};
  auto t = tensor_over<typename TypeParam::tensor>(memory, 1, shape, nullptr);
  t.dtype.lanes = 4;
  static constexpr auto vectors = make_contract("vectors", arg("x").type(types::float32.vector(4)));
  EXPECT_TRUE(check<vectors>(t).ok());
  EXPECT_EQ(check<aligned16>(t)[0].kind, violation_kind::type);
  EXPECT_FALSE((try_view<view<float, 1>>(t)));
}

TYPED_TEST(every_header, A2_sub_byte_types_skip_no_fact) {
  std::int64_t shape[] = {4, 8}, strides[] = {8, 2};
  auto t = tensor_over<typename TypeParam::tensor>(reinterpret_cast<char*>(memory) + 1, 2, shape, nullptr);
  t.dtype.code = 17;
  t.dtype.bits = 4;
  static constexpr auto fp4 =
      make_contract("fp4", arg("x").type(types::float4_e2m1fn).shape(4, 8).aligned(16));
  EXPECT_EQ(check<fp4>(t).size(), 1);
  EXPECT_EQ(check<fp4>(t)[0].kind, violation_kind::aligned);
  t.data = memory;
  EXPECT_TRUE(check<fp4>(t).ok());
  t.strides = strides;
  EXPECT_EQ(check<fp4>(t)[0].kind, violation_kind::packed_stride);
  t.strides = nullptr;
  t.dtype.code = 0;
  shape[1] = 6;
  const report two = check<fp4>(t);
  ASSERT_EQ(two.size(), 2);
  EXPECT_EQ(two[0].kind, violation_kind::type);
  EXPECT_EQ(two[1].kind, violation_kind::extent);
}

TYPED_TEST(every_header, opaque_devices_are_judged_by_offset_only) {
  std::int64_t shape[] = {4};
  auto t = tensor_over<typename TypeParam::tensor>(reinterpret_cast<void*>(std::uintptr_t{3}), 1, shape,
                                                   nullptr, 4);
  EXPECT_TRUE(check<aligned16>(t).ok());  // the handle is no address
  t.byte_offset = 8;
  EXPECT_EQ(check<aligned16>(t)[0].kind, violation_kind::aligned);
  t.byte_offset = 0;
  t.data = nullptr;
  EXPECT_TRUE(check<aligned16>(t).ok());
  EXPECT_FALSE((try_view<view<float, 1>>(t)));
  EXPECT_THROW((require_view<view<float, 1>>(t)), contract_violation);
  auto cuda = tensor_over<typename TypeParam::tensor>(memory, 1, shape, nullptr, 2);
  EXPECT_TRUE((try_view<view<float, 1>>(cuda)));
}

TYPED_TEST(every_header, there_and_back_keeps_everything_a_bare_tensor_can_say) {
  using tensor = typename TypeParam::tensor;
  const view<float, 3, inner_contiguous> v{memory, {{2, 3, 4}, {64, 16}}};
  dlpack::numbers store;
  const auto there = dlpack::lend<tensor>(v, {device_kind::cuda, 3}, store);
  ASSERT_TRUE(there.ok());
  EXPECT_EQ(there.tensor.strides[0], 64);
  const auto d = dlpack::read(there.tensor);
  EXPECT_EQ(d.ref().where, (device{device_kind::cuda, 3}));
  const auto back = try_view<view<float, 3, inner_contiguous>>(there.tensor);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->data, v.data);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(back->extent(i), v.extent(i));
    EXPECT_EQ(back->stride(i), v.stride(i));
  }
  EXPECT_EQ(dlpack::lend<tensor>(v, {}, store).error, dlpack::error::no_device);
}

TYPED_TEST(every_header, a_legacy_tensor_is_not_lent_where_it_would_lose_read_only) {
  using managed = typename TypeParam::managed;
  const view<const float, 1> v{memory, {{4}}};
  auto keep = std::make_shared<int>(0);
  EXPECT_EQ(dlpack::lend_managed<managed>(v, {device_kind::cpu, 0}, keep).error(),
            dlpack::error::read_only_unsaid);
  const view<float, 1> w{memory, {{4}}};
  {
    const auto lent = dlpack::lend_managed<managed>(w, {device_kind::cpu, 0}, keep);
    ASSERT_TRUE(lent.ok());
    EXPECT_EQ(keep.use_count(), 2);
    EXPECT_TRUE(check<aligned16>(lent).ok());
  }
  EXPECT_EQ(keep.use_count(), 1);
  EXPECT_EQ(dlpack::lend_managed<managed>(w, device{}, keep).error(), dlpack::error::no_device);
  EXPECT_EQ(keep.use_count(), 1);
}

// ---- managed tensors with a version --------------------------------------------------------------------------------------

template <class Names>
class every_versioned_header : public ::testing::Test {};
using versioned_headers = ::testing::Types<dlpack_1_0_names
#if defined(STRIDELOCK_TEST_REAL_DLPACK) && defined(DLPACK_MAJOR_VERSION)
                                           ,
                                           dlpack_real_names
#endif
                                           >;
TYPED_TEST_SUITE(every_versioned_header, versioned_headers);

TYPED_TEST(every_versioned_header, N1_null_strides_of_a_producer_of_1_2_are_accepted_and_flagged) {
  using managed = typename TypeParam::versioned;
  std::int64_t shape[] = {4, 8};
  const auto t = tensor_over<typename TypeParam::tensor>(memory, 2, shape, nullptr);
  for (std::uint32_t minor = 0; minor < 4; ++minor) {
    const managed m = managed_over<managed>(t, 1, minor);
    EXPECT_TRUE(check<dense_input>(m).ok());
    EXPECT_EQ(dlpack::read(m).null_strides_forbidden, minor >= 2) << minor;
    EXPECT_EQ(dlpack::read(m).stride(0), 8);
  }
  const auto scalar = tensor_over<typename TypeParam::tensor>(memory, 0, nullptr, nullptr);
  EXPECT_FALSE(dlpack::read(managed_over<managed>(scalar, 1, 2)).null_strides_forbidden);
}

TYPED_TEST(every_versioned_header, N2_a_read_only_capsule_is_no_output) {
  using managed = typename TypeParam::versioned;
  std::int64_t shape[] = {4, 8};
  const auto t = tensor_over<typename TypeParam::tensor>(memory, 2, shape, nullptr);
  const managed locked = managed_over<managed>(t, 1, 0, dlpack::read_only_flag);
  const report r = check<strided_output>(locked);
  ASSERT_EQ(r.size(), 1);
  EXPECT_EQ(r[0].kind, violation_kind::read_only);
  EXPECT_TRUE(check<dense_input>(locked).ok());
  EXPECT_FALSE((try_view<view<float, 2>>(locked)));
  EXPECT_TRUE((try_view<view<const float, 2>>(locked)));
  const managed open = managed_over<managed>(t);
  EXPECT_EQ(dlpack::read(open).ref().read_only, tri::no);
  EXPECT_TRUE(check<strided_output>(open).ok());
  EXPECT_TRUE(dlpack::read(managed_over<managed>(t, 1, 0, dlpack::is_copied_flag)).is_copied);
}

TYPED_TEST(every_versioned_header, padded_sub_byte_values_are_bytes) {
  using managed = typename TypeParam::versioned;
  std::int64_t shape[] = {4, 8};
  auto t = tensor_over<typename TypeParam::tensor>(memory, 2, shape, nullptr);
  t.dtype.code = 17;
  t.dtype.bits = 4;
  static constexpr auto packed = make_contract("packed", arg("x").type(types::float4_e2m1fn));
  static constexpr auto bytes = make_contract("bytes", arg("x").type(types::uint8.meaning(tag::raw_bytes)));
  EXPECT_TRUE(check<packed>(managed_over<managed>(t, 1, 1)).ok());
  const managed padded = managed_over<managed>(t, 1, 1, dlpack::sub_byte_padded_flag);
  EXPECT_TRUE(dlpack::read(padded).is_padded);
  EXPECT_EQ(check<packed>(padded)[0].kind, violation_kind::type);
  EXPECT_TRUE(check<bytes>(padded).ok());
  t.dtype.lanes = 2;
  EXPECT_EQ(dlpack::read(managed_over<managed>(t, 1, 1, dlpack::sub_byte_padded_flag)).error,
            dlpack::error::padded_vector);
}

TYPED_TEST(every_versioned_header, there_and_back_keeps_read_only_and_the_owner) {
  using managed = typename TypeParam::versioned;
  auto keep = std::make_shared<int>(0);
  const view<const float, 2, row_pitched> v{memory, {{4, 8}, 16}};
  auto lent = dlpack::lend_managed<managed>(v, {device_kind::cuda, 1}, keep);
  ASSERT_TRUE(lent.ok());
  EXPECT_EQ(lent.get()->version.minor, 0u);
  EXPECT_EQ(keep.use_count(), 2);
  managed* raw = lent.release();  // as if handed to a capsule
  dlpack::taken<managed> again(raw);
  dlpack::taken<managed> moved = std::move(again);
  again = std::move(moved);
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE((try_view<view<float, 2, row_pitched>>(again)));
  const auto back = try_view<view<const float, 2, row_pitched>>(again);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->pitch(), 16);
  again = {};
  EXPECT_EQ(keep.use_count(), 1);
}

TYPED_TEST(every_versioned_header, a_lent_tensor_claims_the_lowest_version_that_defines_its_type) {
  using managed = typename TypeParam::versioned;
  const tensor_desc fp8 =
      tensor_desc::dense("weights", types::float8_e4m3fn, {4, 8}, {device_kind::cuda, 0}, memory);
  const tensor_desc columns = fp8.columns(4, 8);
  const auto lent = dlpack::lend_managed<managed>(columns.ref(), 0);
  ASSERT_TRUE(lent.ok());
  EXPECT_EQ(lent.get()->version.minor, 1u);
  EXPECT_EQ(lent.get()->flags, 0u);  // not known to be read-only
  EXPECT_EQ(lent.get()->dl_tensor.byte_offset, 4u);
  EXPECT_EQ(lent.get()->dl_tensor.strides[0], 8);
  const tensor_desc beyond = fp8.rows(3, 9);
  EXPECT_EQ(dlpack::lend_managed<managed>(beyond.ref(), 0).error(), dlpack::error::malformed);
}

// Calls the deleter of a foreign version and touches nothing behind it: everything after it lies in a page that cannot be read.
TYPED_TEST(every_versioned_header, of_a_foreign_major_version_only_the_deleter_is_used) {
  using managed = typename TypeParam::versioned;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(mprotect(static_cast<char*>(pages) + page, page, PROT_NONE), 0);
  constexpr std::size_t known = offsetof(managed, flags);
  static int deleted = 0;
  deleted = 0;
  managed* m = reinterpret_cast<managed*>(static_cast<char*>(pages) + page - known);
  m->version.major = 2;
  m->version.minor = 0;
  m->deleter = [](managed*) { ++deleted; };
  EXPECT_EQ(dlpack::read(*m).error, dlpack::error::foreign_major_version);
  EXPECT_EQ(check<aligned16>(*m)[0].kind, violation_kind::malformed);
  EXPECT_EQ(deleted, 0);
  {
    const dlpack::taken<managed> t(m);
    EXPECT_FALSE(t.ok());
    EXPECT_EQ(t.error(), dlpack::error::foreign_major_version);
    EXPECT_EQ(deleted, 1);
    EXPECT_EQ(check<aligned16>(t)[0].kind, violation_kind::malformed);
  }
  EXPECT_EQ(deleted, 1);
  m->version.major = 0;
  EXPECT_EQ(dlpack::taken<managed>(m).error(), dlpack::error::foreign_major_version);
  EXPECT_EQ(deleted, 2);
  m->deleter = nullptr;  // allowed
  EXPECT_FALSE(dlpack::taken<managed>(m).ok());
  munmap(pages, 2 * page);
}

TYPED_TEST(every_versioned_header, a_tensor_that_makes_no_sense_is_given_back_at_once) {
  using managed = typename TypeParam::versioned;
  static int deleted = 0;
  deleted = 0;
  managed m = managed_over<managed>(tensor_over<typename TypeParam::tensor>(memory, 2, nullptr, nullptr));
  m.deleter = [](managed*) { ++deleted; };
  EXPECT_EQ(dlpack::taken<managed>(&m).error(), dlpack::error::null_shape);
  EXPECT_EQ(deleted, 1);
  EXPECT_EQ(dlpack::taken<managed>(nullptr).error(), dlpack::error::null_tensor);
}

TEST(dlpack_adapter, every_error_has_a_text) {
  for (int e = 0; e <= static_cast<int>(dlpack::error::out_of_memory); ++e)
    EXPECT_FALSE(to_string(static_cast<dlpack::error>(e)).empty()) << e;
}

}  // namespace
}  // namespace stridelock
