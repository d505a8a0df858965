# What a build of this repository itself wants, and a project that merely adds it must not inherit:
# a default build type, a compile database, warnings, ccache where it is installed, sanitizers on request.
option(STRIDELOCK_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(STRIDELOCK_SANITIZE_THREAD "Build with ThreadSanitizer; not together with STRIDELOCK_SANITIZE" OFF)

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(STRIDELOCK_CCACHE ccache)
  mark_as_advanced(STRIDELOCK_CCACHE)
  if(STRIDELOCK_CCACHE)
    set(CMAKE_C_COMPILER_LAUNCHER ${STRIDELOCK_CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${STRIDELOCK_CCACHE})
  endif()
endif()

add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wall> $<$<COMPILE_LANGUAGE:CXX>:-Wextra>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)  # false alarms in std::string, GCC bug 105651
endif()

if(STRIDELOCK_SANITIZE)
  # No recovery: a report of undefined behaviour must fail the test that caused it.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>)
  add_link_options(-fsanitize=address,undefined)
endif()

if(STRIDELOCK_SANITIZE_THREAD)
  if(STRIDELOCK_SANITIZE)
    message(FATAL_ERROR "STRIDELOCK_SANITIZE and STRIDELOCK_SANITIZE_THREAD exclude each other")
  endif()
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=thread> $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>)
  add_link_options(-fsanitize=thread)
endif()
