#include "stridelock/cuda/poison.h"

#include "driver.h"

namespace stridelock {
inline namespace v1 {
namespace cuda {
namespace {

// One side of the copy is dense host memory, the other device memory with a pitch.
CUDA_MEMCPY2D rows(std::uint64_t device, std::uint64_t pitch, std::uint64_t row_bytes, std::uint64_t count) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = copy.dstDevice = static_cast<CUdeviceptr>(device);
  copy.srcPitch = copy.dstPitch = pitch;
  copy.WidthInBytes = row_bytes;
  copy.Height = count;
  return copy;
}

}  // namespace

poison_device poison_device_for(CUgraphExec_st* exec, CUstream_st* stream) {
  std::string failure;
  const driver* d = driver::load(failure);
  const bool usable =
      d != nullptr && d->copy_2d != nullptr && d->graph_launch != nullptr && d->stream_synchronize != nullptr;
  poison_device out;
  out.fill = [d, usable](const poison_region& region, const std::vector<std::uint8_t>& sentinel) {
    if (!usable || sentinel.empty()) return false;
    std::vector<std::uint8_t> bytes(region.rows * region.row_bytes);
    for (std::uint64_t i = 0; i < bytes.size(); ++i)
      bytes[i] = sentinel[i % region.row_bytes % sentinel.size()];
    if (bytes.empty()) return true;
    CUDA_MEMCPY2D copy = rows(region.address, region.pitch, region.row_bytes, region.rows);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = bytes.data();
    copy.srcPitch = region.row_bytes;
    return d->copy_2d(&copy) == CUDA_SUCCESS;
  };
  out.replay = [d, usable, exec, stream] {
    return usable && d->graph_launch(exec, stream) == CUDA_SUCCESS &&
           d->stream_synchronize(stream) == CUDA_SUCCESS;
  };
  out.read = [d, usable](const watched_output& output, std::vector<std::uint8_t>& read) {
    if (!usable) return false;
    read.assign(output.rows * output.row_bytes, 0);
    if (read.empty()) return true;
    CUDA_MEMCPY2D copy = rows(output.address, output.pitch, output.row_bytes, output.rows);
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = read.data();
    copy.dstPitch = output.row_bytes;
    return d->copy_2d(&copy) == CUDA_SUCCESS;
  };
  return out;
}

}  // namespace cuda
}  // namespace v1
}  // namespace stridelock
