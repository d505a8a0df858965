# Compiles SOURCE twice: as it stands, which must work, and with -DMISUSE, which must fail with the text that the file
# announces in its first line. The first half is the guard against failing for another reason.
#   cmake -DCOMPILER=... -DSOURCE=... -DSTANDARD=17 "-DINCLUDES=dir;dir" -P must_not_compile.cmake
set(command ${COMPILER} -std=c++${STANDARD} -fsyntax-only -fno-diagnostics-color)
foreach(dir IN LISTS INCLUDES)
  list(APPEND command -I${dir})
endforeach()

execute_process(COMMAND ${command} ${SOURCE} RESULT_VARIABLE status ERROR_VARIABLE diagnostics)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the correct form of ${SOURCE} does not compile:\n${diagnostics}")
endif()

file(STRINGS ${SOURCE} first_line LIMIT_COUNT 1)
string(REGEX REPLACE "^// expect-error: " "" expected "${first_line}")
if(expected STREQUAL first_line OR expected STREQUAL "")
  message(FATAL_ERROR "${SOURCE} does not start with '// expect-error: TEXT'")
endif()

execute_process(COMMAND ${command} -DMISUSE ${SOURCE} RESULT_VARIABLE status ERROR_VARIABLE diagnostics)
if(status EQUAL 0)
  message(FATAL_ERROR "the misuse in ${SOURCE} compiles")
endif()
if(NOT diagnostics MATCHES "${expected}")
  message(FATAL_ERROR "the diagnostic of ${SOURCE} does not contain '${expected}':\n${diagnostics}")
endif()
