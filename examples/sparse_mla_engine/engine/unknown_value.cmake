# cmake -DPROGRAM=FILE -DOPTION=--NAME=VALUE -P unknown_value.cmake
# PROGRAM must refuse the value: exit 2, nothing on standard output, the known values on standard error.
execute_process(COMMAND ${PROGRAM} ${OPTION} OUTPUT_VARIABLE output ERROR_VARIABLE error RESULT_VARIABLE code)
if(NOT code EQUAL 2 OR NOT output STREQUAL "" OR NOT error MATCHES "^sparse_mla_engine: unknown [a-z]+ '[a-z]*'; known: ")
  message(FATAL_ERROR "${PROGRAM} ${OPTION}: exit ${code}\n${output}${error}")
endif()
