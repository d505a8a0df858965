// Stubs for host code that starts a kernel. A kernel behind a plain stub indexes every pointer as row *
// columns + column, and says so; the _strided and _pitched stubs are told the strides and ask nothing.
#pragma once
#include <c10/util/ArrayRef.h>
#include <cuda_runtime.h>
#include <stridelock/annotate.h>

#include <cstdint>

// Contracts on pointers.
void launch_norm(STRIDELOCK_REQUIRES("contiguous") const float* in, float* out, std::int64_t count);
void launch_norm_pitched(const float* in, std::int64_t pitch, float* out, std::int64_t rows,
                         std::int64_t columns);
void launch_rows(STRIDELOCK_REQUIRES("row_pitched") const float* in, std::int64_t pitch, std::int64_t rows,
                 std::int64_t columns);
void launch_silu_mul(STRIDELOCK_REQUIRES("contiguous") const float* gate,
                     STRIDELOCK_REQUIRES("contiguous") const float* up, float* out, std::int64_t count);
void launch_silu_mul_pitched(const float* gate, const float* up, std::int64_t pitch, float* out,
                             std::int64_t columns);
void launch_gather(STRIDELOCK_REQUIRES("contiguous") const std::int32_t* indices, std::int64_t width,
                   std::int64_t rows, cudaStream_t stream);
void launch_gather_pitched(const std::int32_t* indices, std::int64_t pitch, std::int64_t width,
                           std::int64_t rows, cudaStream_t stream);
// Says nothing about its pointers: nobody knows what the kernel assumes.
void launch_anything(const void* in, std::int64_t rows, std::int64_t columns);

void launch_decode(STRIDELOCK_REQUIRES("contiguous") const float* keys, float* out, std::int64_t rows,
                   std::int64_t columns);
void launch_decode_strided(const float* keys, c10::IntArrayRef strides, float* out, std::int64_t rows,
                           std::int64_t columns);
