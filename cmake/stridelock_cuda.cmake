# CUDA as a language, for kernels/: on where a toolkit is found. Without it contracts and host references still build.
#
# Sets STRIDELOCK_CUDA_KERNELS. sm_80, sm_90 and sm_120 unless CMAKE_CUDA_ARCHITECTURES says otherwise; cudart is linked
# statically, so that a binary built here runs on a machine that has a driver and nothing else.
# A sanitizer build has none: the sanitizers watch host code, and nvcc's linker does not take their options.
option(STRIDELOCK_BUILD_CUDA_KERNELS "Compile the CUDA kernels where a CUDA toolkit is found" ON)

set(STRIDELOCK_CUDA_KERNELS OFF)
if(STRIDELOCK_BUILD_CUDA_KERNELS AND STRIDELOCK_HAS_CUDA AND NOT STRIDELOCK_SANITIZE)
  if(NOT DEFINED CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 120-real)
  endif()
  if(CMAKE_CUDA_COMPILER AND EXISTS ${CMAKE_CUDA_COMPILER})
    enable_language(CUDA)
    set(CMAKE_CUDA_STANDARD 17)  # CMake 3.25 knows no later one for this compiler
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    set(CMAKE_CUDA_EXTENSIONS OFF)
    set(STRIDELOCK_CUDA_KERNELS ON)
  endif()
endif()
message(STATUS "CUDA kernels: ${STRIDELOCK_CUDA_KERNELS} (${CMAKE_CUDA_ARCHITECTURES})")
