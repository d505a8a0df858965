/* graph_audit_c.h: the graph audit for C and for Python's ctypes. Library: stridelock_graph_audit.
 *
 * Promises:  no exception leaves it, nothing is printed; the text is always terminated. `*needed` is its full length, so
 *            that a call with capacity 0 asks for it.
 * Does not:  keep anything of what it is given.
 */
#ifndef STRIDELOCK_CUDA_GRAPH_AUDIT_C_H
#define STRIDELOCK_CUDA_GRAPH_AUDIT_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As stridelock::known_range. */
typedef struct stridelock_known_range {
  const char* name;
  uint64_t begin;
  uint64_t bytes;
  uint64_t generation;
  uint32_t role; /* 0 persistent, 1 graph_private, 2 segment, 3 block, 4 host_buffer, 5 static_host */
  uint32_t live; /* 0: gone */
} stridelock_known_range;

enum {
  STRIDELOCK_GRAPH_AUDIT_TEXT = 0,
  STRIDELOCK_GRAPH_AUDIT_JSON = 1,
  STRIDELOCK_GRAPH_SNAPSHOT_TEXT = 2,
  STRIDELOCK_GRAPH_SNAPSHOT_JSON = 3
};

/* The worst verdict, or that nothing could be done: then the text says why. */
enum {
  STRIDELOCK_GRAPH_OK = 0,
  STRIDELOCK_GRAPH_UNKNOWN = 1,
  STRIDELOCK_GRAPH_POSSIBLE = 2,
  STRIDELOCK_GRAPH_VIOLATED = 3,
  STRIDELOCK_GRAPH_FAILED = 4
};

__attribute__((visibility("default"))) int stridelock_graph_audit(void* graph, const char* label,
                                                                  const stridelock_known_range* known,
                                                                  size_t known_count, int form, char* text,
                                                                  size_t capacity, size_t* needed);

#ifdef __cplusplus
}
#endif

#endif
