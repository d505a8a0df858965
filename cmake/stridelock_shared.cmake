# One shared library of everything that programs link: contracts and runtime. Target stridelock::shared, file libstridelock.
#
# For programs in which several libraries use Stridelock and shall share hooks and pretended capabilities, and for
# callers from C and Python. The static libraries stay private to what links them.
option(STRIDELOCK_BUILD_SHARED "Build libstridelock as a shared library too" ${PROJECT_IS_TOP_LEVEL})

# The sources of the compiled libraries, with what they need to compile, as sources of another target.
function(stridelock_add_sources target)
  foreach(library stridelock_contracts stridelock_runtime)
    get_target_property(sources ${library} SOURCES)
    get_target_property(folder ${library} SOURCE_DIR)
    foreach(source IN LISTS sources)
      if(NOT IS_ABSOLUTE ${source})
        set(source ${folder}/${source})
      endif()
      target_sources(${target} PRIVATE ${source})
    endforeach()
    target_include_directories(${target} PRIVATE $<TARGET_PROPERTY:${library},INCLUDE_DIRECTORIES>)
    target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:${library},COMPILE_DEFINITIONS>)
  endforeach()
endfunction()

if(NOT STRIDELOCK_BUILD_SHARED)
  return()
endif()

add_library(stridelock_shared SHARED)
add_library(stridelock::shared ALIAS stridelock_shared)
stridelock_add_sources(stridelock_shared)
set_target_properties(stridelock_shared PROPERTIES
  OUTPUT_NAME stridelock
  EXPORT_NAME shared
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
foreach(library contracts runtime)
  target_include_directories(stridelock_shared INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/${library}/include> $<INSTALL_INTERFACE:include>)
endforeach()
target_compile_features(stridelock_shared PUBLIC cxx_std_17)
if(UNIX AND NOT APPLE)
  set(export_list ${CMAKE_CURRENT_LIST_DIR}/stridelock_shared.map)
  target_link_options(stridelock_shared PRIVATE "LINKER:--version-script=${export_list}")
  set_target_properties(stridelock_shared PROPERTIES LINK_DEPENDS ${export_list})
endif()
