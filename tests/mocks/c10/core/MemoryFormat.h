// Mock of c10/core/MemoryFormat.h and the small enumerations that tensors speak in.
#pragma once
#include <cstdint>

namespace c10 {

enum class MemoryFormat : std::int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d, NumOptions };

enum class ScalarType : std::int8_t { Byte, Char, Short, Int, Long, Half, Float, Double, BFloat16, Bool };
constexpr ScalarType kByte = ScalarType::Byte;
constexpr ScalarType kInt = ScalarType::Int;
constexpr ScalarType kLong = ScalarType::Long;
constexpr ScalarType kHalf = ScalarType::Half;
constexpr ScalarType kFloat = ScalarType::Float;
constexpr ScalarType kBFloat16 = ScalarType::BFloat16;

enum class DeviceType : std::int8_t { CPU = 0, CUDA = 1 };
constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;
using DeviceIndex = std::int8_t;

struct Device {
  Device(DeviceType type, DeviceIndex index = -1);
  bool is_cuda() const;
  DeviceIndex index() const;
};

}  // namespace c10
