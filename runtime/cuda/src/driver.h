// The driver's functions, loaded at run time. Private to the library.
//
// Promises:  a function that this driver lacks is null; those without which nothing can be read are there, or load()
//            says which is missing. Nothing is linked: a machine without a GPU loads this code and gets the failure.
#pragma once

#include <cuda.h>

#include <string>

namespace stridelock {
inline namespace v1 {
namespace cuda {

struct driver {
  decltype(&::cuDriverGetVersion) driver_version = nullptr;
  decltype(&::cuGetErrorName) error_name = nullptr;
  decltype(&::cuDeviceGetCount) device_count = nullptr;
  decltype(&::cuDeviceGetName) device_name = nullptr;
  decltype(&::cuDeviceGetAttribute) device_attribute = nullptr;
  decltype(&::cuCtxPushCurrent) push_context = nullptr;
  decltype(&::cuCtxPopCurrent) pop_context = nullptr;
  decltype(&::cuCtxGetDevice) context_device = nullptr;
  decltype(&::cuThreadExchangeStreamCaptureMode) exchange_capture_mode = nullptr;
  decltype(&::cuStreamGetCaptureInfo) capture_info = nullptr;
  decltype(&::cuPointerGetAttributes) pointer_attributes = nullptr;

  decltype(&::cuGraphGetNodes) graph_nodes = nullptr;
  decltype(&::cuGraphGetEdges) graph_edges = nullptr;
  decltype(&::cuGraphNodeGetType) node_type = nullptr;
  decltype(&::cuGraphKernelNodeGetParams) kernel_parameters = nullptr;
  decltype(&::cuFuncGetName) function_name = nullptr;
  decltype(&::cuFuncGetParamInfo) function_parameter = nullptr;
  decltype(&::cuKernelGetName) kernel_name = nullptr;
  decltype(&::cuKernelGetParamInfo) kernel_parameter = nullptr;
  decltype(&::cuGraphMemcpyNodeGetParams) copy_parameters = nullptr;
  decltype(&::cuGraphMemsetNodeGetParams) fill_parameters = nullptr;
  decltype(&::cuGraphHostNodeGetParams) host_parameters = nullptr;
  decltype(&::cuGraphChildGraphNodeGetGraph) child_graph = nullptr;
  decltype(&::cuGraphMemAllocNodeGetParams) allocation_parameters = nullptr;
  decltype(&::cuGraphMemFreeNodeGetParams) free_parameters = nullptr;
  decltype(&::cuGraphBatchMemOpNodeGetParams) batch_parameters = nullptr;
  decltype(&::cuGraphExternalSemaphoresSignalNodeGetParams) signal_parameters = nullptr;
  decltype(&::cuGraphExternalSemaphoresWaitNodeGetParams) wait_parameters = nullptr;
  // CUDA 13.2: everything about any node, bodies of conditionals included.
  CUresult (*node_parameters)(CUgraphNode, CUgraphNodeParams*) = nullptr;

  decltype(&::cuGraphLaunch) graph_launch = nullptr;
  decltype(&::cuStreamSynchronize) stream_synchronize = nullptr;
  decltype(&::cuMemcpy2D) copy_2d = nullptr;

  std::string text_of(CUresult code) const;  // CUDA_ERROR_INVALID_VALUE

  // The same object for the whole process, or null with the reason.
  static const driver* load(std::string& failure);
};

}  // namespace cuda
}  // namespace v1
}  // namespace stridelock
