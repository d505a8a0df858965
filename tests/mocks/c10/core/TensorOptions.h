// Mock of c10/core/TensorOptions.h.
#pragma once
#include <c10/core/MemoryFormat.h>

namespace c10 {

struct TensorOptions {
  TensorOptions();
  TensorOptions(ScalarType dtype);
  TensorOptions(Device device);
  TensorOptions(DeviceType device);
  TensorOptions dtype(ScalarType dtype) const;
  TensorOptions device(Device device) const;
  TensorOptions device(DeviceType device) const;
};

TensorOptions dtype(ScalarType dtype);
TensorOptions device(Device device);

}  // namespace c10
