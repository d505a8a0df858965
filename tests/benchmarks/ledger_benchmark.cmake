# What a replay pays for its ledger. Built where Google Benchmark is installed, run by hand (docs/benchmarks.md).
find_package(benchmark QUIET)
if(benchmark_FOUND AND TARGET stridelock_runtime)
  add_executable(ledger_benchmark
    ${CMAKE_CURRENT_LIST_DIR}/ledger_benchmark.cpp
    ${PROJECT_SOURCE_DIR}/runtime/tests/fake_cuda.cpp)
  target_include_directories(ledger_benchmark PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(ledger_benchmark PRIVATE stridelock_runtime benchmark::benchmark)
endif()
