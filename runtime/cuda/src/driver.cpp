#include "driver.h"

#include <dlfcn.h>

// The name behind a macro such as cuGraphGetEdges, which stands for cuGraphGetEdges_v2.
#define STRIDELOCK_TEXT_OF(symbol) #symbol
#define STRIDELOCK_NAME_OF(symbol) STRIDELOCK_TEXT_OF(symbol)

namespace stridelock {
inline namespace v1 {
namespace cuda {
namespace {

struct loaded {
  driver functions;
  std::string failure;
};

loaded load_driver() {
  loaded out;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    out.failure = "no CUDA driver: libcuda.so.1 could not be loaded";
    return out;
  }
  driver& d = out.functions;
  const auto optional = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
  };
  const auto needed = [&](auto& function, const char* name) {
    optional(function, name);
    if (function == nullptr && out.failure.empty()) {
      out.failure = std::string("the CUDA driver has no function ") + name +
                    ": expected a driver for CUDA 12.4 or later";
    }
  };
  decltype(&::cuInit) initialise = nullptr;
  needed(initialise, STRIDELOCK_NAME_OF(cuInit));
  needed(d.driver_version, STRIDELOCK_NAME_OF(cuDriverGetVersion));
  needed(d.error_name, STRIDELOCK_NAME_OF(cuGetErrorName));
  needed(d.device_count, STRIDELOCK_NAME_OF(cuDeviceGetCount));
  needed(d.device_name, STRIDELOCK_NAME_OF(cuDeviceGetName));
  needed(d.device_attribute, STRIDELOCK_NAME_OF(cuDeviceGetAttribute));
  needed(d.push_context, STRIDELOCK_NAME_OF(cuCtxPushCurrent));
  needed(d.pop_context, STRIDELOCK_NAME_OF(cuCtxPopCurrent));
  needed(d.context_device, STRIDELOCK_NAME_OF(cuCtxGetDevice));
  needed(d.exchange_capture_mode, STRIDELOCK_NAME_OF(cuThreadExchangeStreamCaptureMode));
  optional(d.capture_info, STRIDELOCK_NAME_OF(cuStreamGetCaptureInfo));
  needed(d.pointer_attributes, STRIDELOCK_NAME_OF(cuPointerGetAttributes));
  needed(d.graph_nodes, STRIDELOCK_NAME_OF(cuGraphGetNodes));
  needed(d.graph_edges, STRIDELOCK_NAME_OF(cuGraphGetEdges));
  needed(d.node_type, STRIDELOCK_NAME_OF(cuGraphNodeGetType));
  needed(d.kernel_parameters, STRIDELOCK_NAME_OF(cuGraphKernelNodeGetParams));
  optional(d.function_name, STRIDELOCK_NAME_OF(cuFuncGetName));
  optional(d.function_parameter, STRIDELOCK_NAME_OF(cuFuncGetParamInfo));
  optional(d.kernel_name, STRIDELOCK_NAME_OF(cuKernelGetName));
  optional(d.kernel_parameter, STRIDELOCK_NAME_OF(cuKernelGetParamInfo));
  needed(d.copy_parameters, STRIDELOCK_NAME_OF(cuGraphMemcpyNodeGetParams));
  needed(d.fill_parameters, STRIDELOCK_NAME_OF(cuGraphMemsetNodeGetParams));
  needed(d.host_parameters, STRIDELOCK_NAME_OF(cuGraphHostNodeGetParams));
  needed(d.child_graph, STRIDELOCK_NAME_OF(cuGraphChildGraphNodeGetGraph));
  needed(d.allocation_parameters, STRIDELOCK_NAME_OF(cuGraphMemAllocNodeGetParams));
  needed(d.free_parameters, STRIDELOCK_NAME_OF(cuGraphMemFreeNodeGetParams));
  optional(d.batch_parameters, STRIDELOCK_NAME_OF(cuGraphBatchMemOpNodeGetParams));
  optional(d.signal_parameters, STRIDELOCK_NAME_OF(cuGraphExternalSemaphoresSignalNodeGetParams));
  optional(d.wait_parameters, STRIDELOCK_NAME_OF(cuGraphExternalSemaphoresWaitNodeGetParams));
  optional(d.node_parameters, "cuGraphNodeGetParams");
  optional(d.graph_launch, STRIDELOCK_NAME_OF(cuGraphLaunch));
  optional(d.stream_synchronize, STRIDELOCK_NAME_OF(cuStreamSynchronize));
  optional(d.copy_2d, STRIDELOCK_NAME_OF(cuMemcpy2D));
  if (!out.failure.empty()) return out;
  const CUresult ready = initialise(0);
  if (ready != CUDA_SUCCESS) out.failure = "the CUDA driver does not start: " + d.text_of(ready);
  return out;
}

}  // namespace

std::string driver::text_of(CUresult code) const {
  const char* name = nullptr;
  if (error_name(code, &name) == CUDA_SUCCESS && name != nullptr) return name;
  return "error " + std::to_string(static_cast<int>(code));
}

const driver* driver::load(std::string& failure) {
  static const loaded once = load_driver();
  if (once.failure.empty()) return &once.functions;
  failure = once.failure;
  return nullptr;
}

}  // namespace cuda
}  // namespace v1
}  // namespace stridelock
