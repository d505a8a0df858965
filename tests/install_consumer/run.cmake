# Installs the libraries of BUILD_DIR under WORK_DIR, then configures, builds and runs a project that finds them there.
cmake_minimum_required(VERSION 3.25)

function(step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${what} failed with ${code}: ${command}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
set(configure ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX_COMPILER}
              -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}")

step("installation" ${CMAKE_COMMAND} --install ${BUILD_DIR} --component libraries --prefix ${WORK_DIR}/prefix)
step("configuration of the consumer" ${configure} -B ${WORK_DIR}/build)
step("build of the consumer" ${CMAKE_COMMAND} --build ${WORK_DIR}/build)
step("the consumer" ${WORK_DIR}/build/consumer)

# An installed header that reaches back into the source tree would only show after the sources are gone.
file(GLOB_RECURSE installed ${WORK_DIR}/prefix/*.cmake)
get_filename_component(source_dir ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
foreach(package_file IN LISTS installed)
  file(READ ${package_file} text)
  string(FIND "${text}" "${source_dir}/" position)
  if(NOT position EQUAL -1)
    message(FATAL_ERROR "${package_file} names the source tree ${source_dir}")
  endif()
endforeach()
