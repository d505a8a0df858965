// DLPack tensors of any content: a malformed one is an error value and nothing that it points to is read; a good one is
// described as it is, judged, lent again and read back the same; the deleter runs exactly once.
#include <memory>

#include "bytes.h"
#include "runtime/tests/adapters/dlpack_versions.h"
#include "stridelock/adapters/dlpack.h"
#include "stridelock/check.h"

namespace {

using namespace stridelock;
using namespace stridelock::fuzz;
using tensor = dlpack_1_0::DLTensor;
using managed = dlpack_1_0::DLManagedTensor;
using versioned = dlpack_1_0::DLManagedTensorVersioned;

inline constexpr auto dense_rows =
    make_contract("dense_rows", arg("x").shape(sym("T"), sym("W")).layout(notion::dense).aligned(16));

int deleted = 0;

// Where nothing may be read: an address that no process has.
std::int64_t* const nowhere = reinterpret_cast<std::int64_t*>(std::uintptr_t{0x10});

struct numbers {
  std::unique_ptr<std::int64_t[]> shape, strides;
};

// What the version or the rank forbids to read points nowhere; everything else has exactly the room it needs.
tensor make_tensor(bytes& in, numbers& store, bool readable) {
  constexpr std::int64_t sizes[] = {2, 1, 4, 0, 16, -1, INT64_MAX, INT64_MIN, std::int64_t{1} << 40};
  tensor t{};
  t.data = in.below(4) == 3 ? nullptr
                            : reinterpret_cast<void*>(std::uintptr_t{0x1000} + in.number<std::uint16_t>());
  t.device.device_type =
      static_cast<dlpack_0_8::DLDeviceType>(in.below(4) == 3 ? in.number<std::int32_t>() : 2);
  t.device.device_id = in.number<std::int8_t>();
  t.ndim = in.byte() < 160 ? 2 : in.flag() ? in.below(12) - 1 : in.number<std::int32_t>();
  t.dtype = {static_cast<std::uint8_t>(in.byte() % 20), in.byte() < 200 ? std::uint8_t{32} : in.byte(),
             in.byte() < 200 ? std::uint16_t{1} : in.number<std::uint16_t>()};
  t.byte_offset = in.below(4) == 3 ? in.number<std::uint64_t>() : 0;
  const bool lanes_ok = t.dtype.lanes >= 1 && t.dtype.lanes <= 255;
  if (!readable || t.ndim < 0 || t.ndim > max_rank || !lanes_ok) {
    t.shape = t.strides = nowhere;
    return t;
  }
  const auto fill = [&](std::unique_ptr<std::int64_t[]>& array) {
    array = std::make_unique<std::int64_t[]>(static_cast<std::size_t>(t.ndim));
    for (int i = 0; i < t.ndim; ++i)
      array[static_cast<std::size_t>(i)] = in.byte() < 220 ? in.one_of(sizes) : in.number<std::int64_t>();
    return array.get();
  };
  t.shape = in.below(16) == 15 || t.ndim == 0 ? nullptr : fill(store.shape);
  t.strides = in.below(3) == 2 ? nullptr : t.shape == nullptr ? nowhere : fill(store.strides);
  return t;
}

void expect_description(const dlpack::description& d, const tensor& t) {
  FUZZ_EXPECT(d.value.rank == t.ndim && d.value.data == t.data && d.value.byte_offset == t.byte_offset);
  FUZZ_EXPECT(d.value.extents == t.shape && d.value.strides == t.strides);
  const report r = check<dense_rows>(d.value);
  FUZZ_EXPECT(!r.incomplete());

  dlpack::numbers store;
  const auto again = dlpack::lend<tensor>(d.value, store);
  if (!again.ok()) return;
  const dlpack::description back = dlpack::read(again.tensor);
  FUZZ_EXPECT(back.ok() && back.value.rank == d.value.rank && back.value.where == d.value.where);
  for (int i = 0; i < d.value.rank; ++i)
    FUZZ_EXPECT(back.value.extents[i] == d.value.extents[i] && back.stride(i) == d.stride(i));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bytes in(data, size);
  numbers store;
  deleted = 0;
  if (in.flag()) {
    versioned m{};
    m.version = {in.below(4) == 3 ? in.number<std::uint32_t>() : 1, in.byte() % 5u};
    m.flags = in.byte() % 8u;
    m.deleter = [](versioned*) { ++deleted; };
    m.dl_tensor = make_tensor(in, store, m.version.major == 1);
    const dlpack::description d = dlpack::read(m);
    FUZZ_EXPECT(m.version.major == 1 || d.error == dlpack::error::foreign_major_version);
    FUZZ_EXPECT(d.ok() || !check<dense_rows>(m).ok());
    if (d.ok()) expect_description(d, m.dl_tensor);
    {
      dlpack::taken<versioned> owner(&m);
      FUZZ_EXPECT(owner.ok() == d.ok() && owner.error() == d.error);
      dlpack::taken<versioned> moved(std::move(owner));
      FUZZ_EXPECT(d.ok() || !check<dense_rows>(moved).ok());
    }
  } else {
    managed m{};
    m.deleter = [](managed*) { ++deleted; };
    m.dl_tensor = make_tensor(in, store, true);
    const dlpack::description d = dlpack::read(m);
    FUZZ_EXPECT(d.value.read_only == tri::unknown);
    FUZZ_EXPECT(d.ok() || !check<dense_rows>(m.dl_tensor).ok());
    if (d.ok()) expect_description(d, m.dl_tensor);
    {
      const dlpack::taken<managed> owner(&m);
    }
  }
  FUZZ_EXPECT(deleted == 1);
  return 0;
}
