// The structs of DLPack as its versions have them, in words of our own and in a namespace each, so that one test judges all.
// What differs between versions: the name of the device before 0.6, the managed tensor with a version since 1.0.
// 1.1 to 1.3 changed no struct that is used here; they differ in what a producer may send.
#pragma once

#include <cstdint>

namespace dlpack_0_2 {

enum DLDeviceType { kDLCPU = 1, kDLGPU = 2, kDLCPUPinned = 3, kDLOpenCL = 4 };
struct DLContext {
  DLDeviceType device_type;
  int device_id;
};
struct DLDataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLContext ctx;
  int ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};

}  // namespace dlpack_0_2

namespace dlpack_0_8 {

using dlpack_0_2::DLDataType;
enum DLDeviceType : std::int32_t {
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3,
  kDLVulkan = 7,
  kDLCUDAManaged = 13
};
struct DLDevice {
  DLDeviceType device_type;
  std::int32_t device_id;
};
struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};

}  // namespace dlpack_0_8

namespace dlpack_1_0 {

using dlpack_0_8::DLManagedTensor;
using dlpack_0_8::DLTensor;
struct DLPackVersion {
  std::uint32_t major, minor;
};
struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  std::uint64_t flags;
  DLTensor dl_tensor;
};

}  // namespace dlpack_1_0

struct dlpack_0_2_names {
  using tensor = dlpack_0_2::DLTensor;
  using managed = dlpack_0_2::DLManagedTensor;
};
struct dlpack_0_8_names {
  using tensor = dlpack_0_8::DLTensor;
  using managed = dlpack_0_8::DLManagedTensor;
};
struct dlpack_1_0_names {
  using tensor = dlpack_1_0::DLTensor;
  using managed = dlpack_1_0::DLManagedTensor;
  using versioned = dlpack_1_0::DLManagedTensorVersioned;
};
