# Looks for what Stridelock can use and never requires, and says what it found.
#
# Sets STRIDELOCK_HAS_<CUDA|TORCH|TVM_FFI|DLPACK|GGML|CUDA_MDSPAN|STD_MDSPAN> and, where found, STRIDELOCK_<…>_INCLUDE_DIR.
# TORCH and TVM_FFI also have STRIDELOCK_<…>_LIBRARIES, empty where only headers are there; GGML needs a source tree, by
# -DSTRIDELOCK_GGML_SOURCE_DIR=DIR, of which one file is compiled into a test.
# CUDA also offers the targets and CUDAToolkit_* variables of CMake's own FindCUDAToolkit.
#
# Headers are searched for directly: the package configuration that libtorch ships stops the whole configuration when
# the CUDA it was built with is not there, which is no way to treat an optional part.
# To point at an installation: -DCMAKE_PREFIX_PATH=DIR, or the INCLUDE_DIR variable itself.

# Python wheels carry these headers inside the package's folder.
file(GLOB stridelock_python_packages LIST_DIRECTORIES true
     $ENV{VIRTUAL_ENV}/lib/python3*/site-packages
     /usr/local/lib/python3*/dist-packages
     /usr/local/lib/python3*/site-packages
     /usr/lib/python3/dist-packages)

find_package(CUDAToolkit QUIET)
set(STRIDELOCK_HAS_CUDA ${CUDAToolkit_FOUND})
if(STRIDELOCK_HAS_CUDA)
  list(GET CUDAToolkit_INCLUDE_DIRS 0 STRIDELOCK_CUDA_INCLUDE_DIR)
endif()

function(stridelock_find_headers name header)
  set(hints ${stridelock_python_packages})
  list(TRANSFORM hints APPEND /${ARGV2})
  find_path(STRIDELOCK_${name}_INCLUDE_DIR ${header} PATHS ${hints} PATH_SUFFIXES include
            DOC "Folder that holds ${header}; optional")
  mark_as_advanced(STRIDELOCK_${name}_INCLUDE_DIR)
  if(STRIDELOCK_${name}_INCLUDE_DIR)
    set(STRIDELOCK_HAS_${name} TRUE PARENT_SCOPE)
  else()
    set(STRIDELOCK_HAS_${name} FALSE PARENT_SCOPE)
  endif()
endfunction()

# Reads `#define MACRO 12` or `"1.2.3"` from a header; empty where there is no such line.
function(stridelock_read_macro out file macro)
  set(value "")
  if(EXISTS ${file})
    file(STRINGS ${file} line REGEX "^#define[ \t]+${macro}[ \t]" LIMIT_COUNT 1)
    if(line MATCHES "${macro}[ \t]+\"?([0-9.]+)")
      set(value ${CMAKE_MATCH_1})
    endif()
  endif()
  set(${out} "${value}" PARENT_SCOPE)
endfunction()

stridelock_find_headers(TORCH ATen/ATen.h torch/include)
stridelock_find_headers(TVM_FFI tvm/ffi/c_api.h tvm_ffi/include)
stridelock_find_headers(DLPACK dlpack/dlpack.h tvm_ffi/include)

function(stridelock_report title name version)
  if(NOT STRIDELOCK_HAS_${name})
    message(STATUS "  ${title} not found (optional)")
  elseif(version)
    message(STATUS "  ${title} ${version} in ${STRIDELOCK_${name}_INCLUDE_DIR}")
  else()
    message(STATUS "  ${title} in ${STRIDELOCK_${name}_INCLUDE_DIR}")
  endif()
endfunction()

# Where libraries are not beside the headers' prefix (wheels), CMAKE_PREFIX_PATH or the variable helps.
function(stridelock_find_libraries name)
  set(found "")
  foreach(library IN LISTS ARGN)
    find_library(STRIDELOCK_${name}_${library}_LIBRARY ${library}
                 HINTS ${STRIDELOCK_${name}_INCLUDE_DIR}/../lib)
    mark_as_advanced(STRIDELOCK_${name}_${library}_LIBRARY)
    if(NOT STRIDELOCK_${name}_${library}_LIBRARY)
      set(STRIDELOCK_${name}_LIBRARIES "" PARENT_SCOPE)
      return()
    endif()
    list(APPEND found ${STRIDELOCK_${name}_${library}_LIBRARY})
  endforeach()
  set(STRIDELOCK_${name}_LIBRARIES ${found} PARENT_SCOPE)
endfunction()

# Programs with sanitizers do without libtorch, which is not built for them.
if(STRIDELOCK_HAS_TORCH AND NOT STRIDELOCK_SANITIZE AND NOT STRIDELOCK_SANITIZE_THREAD)
  stridelock_find_libraries(TORCH torch torch_cpu c10)
endif()
if(STRIDELOCK_HAS_TVM_FFI)
  stridelock_find_libraries(TVM_FFI tvm_ffi)
endif()

# cuda::std::mdspan is in a folder of its own since CUDA 13.
find_path(STRIDELOCK_CUDA_MDSPAN_INCLUDE_DIR cuda/std/mdspan HINTS ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES cccl
          DOC "Folder that holds cuda/std/mdspan; optional")
mark_as_advanced(STRIDELOCK_CUDA_MDSPAN_INCLUDE_DIR)
set(STRIDELOCK_HAS_CUDA_MDSPAN FALSE)
if(STRIDELOCK_CUDA_MDSPAN_INCLUDE_DIR)
  set(STRIDELOCK_HAS_CUDA_MDSPAN TRUE)
endif()

# std::mdspan is part of the standard library, if it is new enough.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS ${CMAKE_CXX23_STANDARD_COMPILE_OPTION})
check_cxx_source_compiles("#include <mdspan>
int main() { return std::mdspan<int, std::dextents<int, 1>>(nullptr, 0).extent(0); }" STRIDELOCK_HAS_STD_MDSPAN)
unset(CMAKE_REQUIRED_FLAGS)

set(STRIDELOCK_GGML_SOURCE_DIR "" CACHE PATH "Source tree of ggml, for the tests that compare with it; optional")
set(STRIDELOCK_HAS_GGML FALSE)
if(STRIDELOCK_GGML_SOURCE_DIR AND EXISTS ${STRIDELOCK_GGML_SOURCE_DIR}/src/ggml.c)
  set(STRIDELOCK_HAS_GGML TRUE)
  set(STRIDELOCK_GGML_INCLUDE_DIR ${STRIDELOCK_GGML_SOURCE_DIR}/include)
endif()

# A Python that has NumPy, only to compare with it in a test.
if(NOT DEFINED STRIDELOCK_PYTHON_WITH_NUMPY)
  set(python_with_numpy "")
  foreach(python $ENV{VIRTUAL_ENV}/bin/python3 python3)
    execute_process(COMMAND ${python} -c "import numpy" RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(python_with_numpy ${python})
      break()
    endif()
  endforeach()
  set(STRIDELOCK_PYTHON_WITH_NUMPY "${python_with_numpy}" CACHE STRING "A Python that has NumPy; optional")
endif()

set(torch_version "")
foreach(part MAJOR MINOR PATCH)
  foreach(header torch/version.h torch/csrc/api/include/torch/version.h)
    stridelock_read_macro(number ${STRIDELOCK_TORCH_INCLUDE_DIR}/${header} TORCH_VERSION_${part})
    if(NOT number STREQUAL "")
      string(APPEND torch_version .${number})
      break()
    endif()
  endforeach()
endforeach()
string(REGEX REPLACE "^\\." "" torch_version "${torch_version}")

set(tvm_ffi_version "")
foreach(part MAJOR MINOR PATCH)
  stridelock_read_macro(number ${STRIDELOCK_TVM_FFI_INCLUDE_DIR}/tvm/ffi/c_api.h TVM_FFI_VERSION_${part})
  if(NOT number STREQUAL "")
    string(APPEND tvm_ffi_version .${number})
  endif()
endforeach()
string(REGEX REPLACE "^\\." "" tvm_ffi_version "${tvm_ffi_version}")

stridelock_read_macro(dlpack_version ${STRIDELOCK_DLPACK_INCLUDE_DIR}/dlpack/dlpack.h DLPACK_MAJOR_VERSION)
if(NOT dlpack_version STREQUAL "")
  stridelock_read_macro(number ${STRIDELOCK_DLPACK_INCLUDE_DIR}/dlpack/dlpack.h DLPACK_MINOR_VERSION)
  string(APPEND dlpack_version .${number})
endif()

message(STATUS "Optional parts:")
stridelock_report("CUDA toolkit  " CUDA "${CUDAToolkit_VERSION}")
stridelock_report("libtorch      " TORCH "${torch_version}")
stridelock_report("TVM-FFI       " TVM_FFI "${tvm_ffi_version}")
stridelock_report("DLPack        " DLPACK "${dlpack_version}")
stridelock_report("CUDA mdspan   " CUDA_MDSPAN "")
if(STRIDELOCK_HAS_STD_MDSPAN)
  message(STATUS "  std::mdspan    in the standard library")
else()
  message(STATUS "  std::mdspan    not found (optional)")
endif()
stridelock_report("ggml          " GGML "")
if(STRIDELOCK_PYTHON_WITH_NUMPY)
  message(STATUS "  NumPy          of ${STRIDELOCK_PYTHON_WITH_NUMPY}")
else()
  message(STATUS "  NumPy          not found (optional)")
endif()
