# Programs for a machine with a GPU: no GoogleTest, label `gpu`, exit 77 without a device. scripts/gpu-test runs whatever
# is called *_gpu_test, and the probe.
foreach(program graph_gpu_test capture_probe)
  add_executable(${program} ${CMAKE_CURRENT_LIST_DIR}/${program}.cu)
  target_link_libraries(${program} PRIVATE stridelock_runtime_cuda CUDA::cudart_static ${CMAKE_DL_LIBS})
  set_target_properties(${program} PROPERTIES CUDA_RUNTIME_LIBRARY Static)
  if(STRIDELOCK_BUILD_TESTS)
    add_test(NAME gpu.${program} COMMAND ${program})
    set_tests_properties(gpu.${program} PROPERTIES LABELS gpu SKIP_RETURN_CODE 77 RUN_SERIAL ON TIMEOUT 300)
  endif()
endforeach()

find_program(STRIDELOCK_PYTHON NAMES python3)
if(STRIDELOCK_BUILD_TESTS AND STRIDELOCK_PYTHON)
  add_test(NAME gpu.torch_graph_audit
           COMMAND ${STRIDELOCK_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/torch_graph_audit_test.py
                   $<TARGET_FILE:stridelock_graph_audit>)
  add_test(NAME gpu.torch_graph_audit_example
           COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${PROJECT_SOURCE_DIR}/runtime/cuda/python ${STRIDELOCK_PYTHON}
                   ${PROJECT_SOURCE_DIR}/examples/torch_graph_audit/audit.py $<TARGET_FILE:stridelock_graph_audit>)
  set_tests_properties(gpu.torch_graph_audit gpu.torch_graph_audit_example
                       PROPERTIES LABELS gpu SKIP_RETURN_CODE 77 RUN_SERIAL ON TIMEOUT 300)
endif()
