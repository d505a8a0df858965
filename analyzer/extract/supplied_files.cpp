#include "analyzer/extract/supplied_files.h"

namespace stridelock::extract {

const char* const supplied_cuda_headers = "/stridelock-supplied/cuda";
const char* const supplied_openmp_headers = "/stridelock-supplied/openmp";
const char* const supplied_generated_headers = "/stridelock-supplied/generated";
const char* const supplied_cuda_prelude = "/stridelock-supplied/prelude/cuda.h";

const std::vector<supplied_file>& supplied_files() {
  static const std::vector<supplied_file> files = {
      {"/stridelock-supplied/cuda/texture_fetch_functions.h", "#pragma once\n"},
      // Made when torch is built with CUDA; the headers of a torch without it include it all the same.
      {"/stridelock-supplied/generated/c10/cuda/impl/cuda_cmake_macros.h", "#pragma once\n"},
      // Of the OpenMP runtime, what host code around kernels uses.
      {"/stridelock-supplied/openmp/omp.h", R"(#pragma once
#ifdef __cplusplus
extern "C" {
#endif
typedef struct { void* opaque[2]; } omp_lock_t;
typedef struct { void* opaque[3]; } omp_nest_lock_t;
typedef enum { omp_sched_static = 1, omp_sched_dynamic, omp_sched_guided, omp_sched_auto } omp_sched_t;
typedef enum { omp_proc_bind_false, omp_proc_bind_true, omp_proc_bind_master, omp_proc_bind_close, omp_proc_bind_spread } omp_proc_bind_t;
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_thread_limit(void);
int omp_get_num_procs(void);
void omp_set_num_threads(int);
int omp_in_parallel(void);
int omp_get_dynamic(void);
void omp_set_dynamic(int);
int omp_get_nested(void);
void omp_set_nested(int);
int omp_get_level(void);
int omp_get_active_level(void);
int omp_get_max_active_levels(void);
void omp_set_max_active_levels(int);
void omp_set_schedule(omp_sched_t, int);
void omp_get_schedule(omp_sched_t*, int*);
omp_proc_bind_t omp_get_proc_bind(void);
double omp_get_wtime(void);
double omp_get_wtick(void);
void omp_init_lock(omp_lock_t*);
void omp_destroy_lock(omp_lock_t*);
void omp_set_lock(omp_lock_t*);
void omp_unset_lock(omp_lock_t*);
int omp_test_lock(omp_lock_t*);
void omp_init_nest_lock(omp_nest_lock_t*);
void omp_destroy_nest_lock(omp_nest_lock_t*);
void omp_set_nest_lock(omp_nest_lock_t*);
void omp_unset_nest_lock(omp_nest_lock_t*);
int omp_test_nest_lock(omp_nest_lock_t*);
int omp_get_num_devices(void);
int omp_get_default_device(void);
void omp_set_default_device(int);
int omp_is_initial_device(void);
#ifdef __cplusplus
}
#endif
)"},
      // nvcc lets host code call min and max unqualified; Clang's wrapper declares them for the device only.
      {"/stridelock-supplied/prelude/cuda.h", R"(#pragma once
#if defined(__CUDA__) && defined(__cplusplus)
#define STRIDELOCK_HOST __attribute__((host)) static inline constexpr
STRIDELOCK_HOST int min(int a, int b) { return b < a ? b : a; }
STRIDELOCK_HOST int max(int a, int b) { return a < b ? b : a; }
STRIDELOCK_HOST unsigned min(unsigned a, unsigned b) { return b < a ? b : a; }
STRIDELOCK_HOST unsigned max(unsigned a, unsigned b) { return a < b ? b : a; }
STRIDELOCK_HOST unsigned min(int a, unsigned b) { return min(static_cast<unsigned>(a), b); }
STRIDELOCK_HOST unsigned max(int a, unsigned b) { return max(static_cast<unsigned>(a), b); }
STRIDELOCK_HOST unsigned min(unsigned a, int b) { return min(a, static_cast<unsigned>(b)); }
STRIDELOCK_HOST unsigned max(unsigned a, int b) { return max(a, static_cast<unsigned>(b)); }
STRIDELOCK_HOST long min(long a, long b) { return b < a ? b : a; }
STRIDELOCK_HOST long max(long a, long b) { return a < b ? b : a; }
STRIDELOCK_HOST unsigned long min(unsigned long a, unsigned long b) { return b < a ? b : a; }
STRIDELOCK_HOST unsigned long max(unsigned long a, unsigned long b) { return a < b ? b : a; }
STRIDELOCK_HOST long long min(long long a, long long b) { return b < a ? b : a; }
STRIDELOCK_HOST long long max(long long a, long long b) { return a < b ? b : a; }
STRIDELOCK_HOST unsigned long long min(unsigned long long a, unsigned long long b) { return b < a ? b : a; }
STRIDELOCK_HOST unsigned long long max(unsigned long long a, unsigned long long b) { return a < b ? b : a; }
STRIDELOCK_HOST float min(float a, float b) { return b < a ? b : a; }
STRIDELOCK_HOST float max(float a, float b) { return a < b ? b : a; }
STRIDELOCK_HOST double min(double a, double b) { return b < a ? b : a; }
STRIDELOCK_HOST double max(double a, double b) { return a < b ? b : a; }
#undef STRIDELOCK_HOST
#endif
)"},
  };
  return files;
}

}  // namespace stridelock::extract
