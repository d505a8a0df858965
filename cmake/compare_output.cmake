# cmake -DPROGRAM=FILE -DEXPECTED=FILE -P compare_output.cmake
# Runs PROGRAM and compares its standard output and exit code with EXPECTED, whose last line is `exit CODE`.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE output RESULT_VARIABLE code)
file(READ ${EXPECTED} expected)
if(NOT "${output}exit ${code}\n" STREQUAL expected)
  message(FATAL_ERROR "${PROGRAM} printed\n${output}exit ${code}\nexpected (${EXPECTED})\n${expected}")
endif()
