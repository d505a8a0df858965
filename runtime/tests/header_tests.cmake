# What compilers say about the public headers: misuse does not compile, and every header compiles on its own, as C++17
# and C++20, with the project's compiler, with Clang 19 and with nvcc where they are found.
set(public_includes ${PROJECT_SOURCE_DIR}/contracts/include ${PROJECT_SOURCE_DIR}/runtime/include)
find_program(STRIDELOCK_CLANGXX NAMES clang++-19 clang++ HINTS /usr/lib/llvm-19/bin)
find_program(STRIDELOCK_NVCC NAMES nvcc HINTS /usr/local/cuda/bin)

set(header_compilers ${CMAKE_CXX_COMPILER})
if(STRIDELOCK_CLANGXX AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND header_compilers ${STRIDELOCK_CLANGXX})
endif()

file(GLOB misuses CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/misuse/*.cpp)
file(GLOB public_headers CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/contracts/include/stridelock/*.h
  ${PROJECT_SOURCE_DIR}/runtime/include/stridelock/*.h
  ${PROJECT_SOURCE_DIR}/runtime/include/stridelock/adapters/*.h)
# Adapters that include their library are compiled by the tests that need it.
list(FILTER public_headers EXCLUDE REGEX "/adapters/(aten|tvm_ffi)\\.h$")

foreach(compiler IN LISTS header_compilers)
  get_filename_component(compiler_name ${compiler} NAME)
  foreach(source IN LISTS misuses)
    get_filename_component(name ${source} NAME_WE)
    add_test(NAME must_not_compile.${name}.${compiler_name}
      COMMAND ${CMAKE_COMMAND} -DCOMPILER=${compiler} -DSOURCE=${source} -DSTANDARD=17
              "-DINCLUDES=${public_includes}" -P ${CMAKE_CURRENT_LIST_DIR}/must_not_compile.cmake)
  endforeach()
  add_test(NAME headers_alone.${compiler_name}
    COMMAND ${CMAKE_COMMAND} -DCOMPILER=${compiler} -DSTANDARD=17
            "-DHEADERS=${public_headers}" "-DINCLUDES=${public_includes}"
            -DSCRATCH=${CMAKE_CURRENT_BINARY_DIR}/headers_${compiler_name}
            -P ${CMAKE_CURRENT_LIST_DIR}/headers_alone.cmake)
  add_test(NAME headers_together.${compiler_name}
    COMMAND ${CMAKE_COMMAND} -DCOMPILER=${compiler} -DSTANDARD=20 -DTOGETHER=ON
            "-DHEADERS=${public_headers}" "-DINCLUDES=${public_includes}"
            -DSCRATCH=${CMAKE_CURRENT_BINARY_DIR}/headers_${compiler_name}
            -P ${CMAKE_CURRENT_LIST_DIR}/headers_alone.cmake)
endforeach()

if(STRIDELOCK_NVCC)
  add_test(NAME headers_together.nvcc
    COMMAND ${CMAKE_COMMAND} -DCOMPILER=${STRIDELOCK_NVCC} -DSTANDARD=17 -DNVCC=ON -DTOGETHER=ON
            "-DHEADERS=${public_headers}" "-DINCLUDES=${public_includes}"
            -DSCRATCH=${CMAKE_CURRENT_BINARY_DIR}/headers_nvcc
            -P ${CMAKE_CURRENT_LIST_DIR}/headers_alone.cmake)
  add_test(NAME device_code.nvcc
    COMMAND ${STRIDELOCK_NVCC} -std=c++17 -Werror all-warnings -arch=sm_90
            -I${PROJECT_SOURCE_DIR}/contracts/include -I${PROJECT_SOURCE_DIR}/runtime/include
            -c ${CMAKE_CURRENT_LIST_DIR}/device_code.cu -o ${CMAKE_CURRENT_BINARY_DIR}/device_code.o)
endif()
