// device.h: where memory lives, with the device numbers of DLPack.
#pragma once

#include <cstdint>
#include <string_view>

namespace stridelock {
inline namespace v1 {

enum class device_kind : std::int32_t {
  none = 0,  // not told: compared with nothing, and the data word is taken for an address
  cpu = 1,
  cuda = 2,
  cuda_host = 3,
  opencl = 4,
  vulkan = 7,
  metal = 8,
  vpi = 9,
  rocm = 10,
  rocm_host = 11,
  extension = 12,
  cuda_managed = 13,
  oneapi = 14,
  webgpu = 15,
  hexagon = 16,
  maia = 17,
};

struct device {
  device_kind kind = device_kind::none;
  std::int32_t ordinal = 0;

  friend constexpr bool operator==(device a, device b) { return a.kind == b.kind && a.ordinal == b.ordinal; }
  friend constexpr bool operator!=(device a, device b) { return !(a == b); }
};

// The data word is an address. On other devices it is an opaque handle, and only byte offsets can be judged.
constexpr bool has_addresses(device where) {
  switch (where.kind) {
    case device_kind::none:
    case device_kind::cpu:
    case device_kind::cuda:
    case device_kind::cuda_host:
    case device_kind::cuda_managed:
    case device_kind::rocm:
    case device_kind::rocm_host:
      return true;
    default:
      return false;
  }
}

constexpr std::string_view to_string(device_kind kind) {
  switch (kind) {
    case device_kind::none:
      return "none";
    case device_kind::cpu:
      return "cpu";
    case device_kind::cuda:
      return "cuda";
    case device_kind::cuda_host:
      return "cuda_host";
    case device_kind::opencl:
      return "opencl";
    case device_kind::vulkan:
      return "vulkan";
    case device_kind::metal:
      return "metal";
    case device_kind::vpi:
      return "vpi";
    case device_kind::rocm:
      return "rocm";
    case device_kind::rocm_host:
      return "rocm_host";
    case device_kind::extension:
      return "extension";
    case device_kind::cuda_managed:
      return "cuda_managed";
    case device_kind::oneapi:
      return "oneapi";
    case device_kind::webgpu:
      return "webgpu";
    case device_kind::hexagon:
      return "hexagon";
    case device_kind::maia:
      return "maia";
  }
  return "unknown device";
}

}  // namespace v1
}  // namespace stridelock
