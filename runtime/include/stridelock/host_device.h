// host_device.h: marks functions that also run in kernels. Empty unless a CUDA or HIP compiler reads the header.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)
#define STRIDELOCK_HOST_DEVICE __host__ __device__
#else
#define STRIDELOCK_HOST_DEVICE
#endif
