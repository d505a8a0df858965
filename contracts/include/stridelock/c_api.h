/* c_api.h: contracts for C99, for Python's ctypes and for anything else that can call C. Plain structs, no exceptions.
 *
 * Promises:  every function is safe to call from several threads, never throws, prints or ends the process. A contract is
 *            got from the function that its library exports (STRIDELOCK_EXPORT_CONTRACT, export_contract.h). A report may
 *            be read and released through any copy of this library in the process, of either C++ ABI.
 *            Structs and numbers here do not change: what comes later gets a new function, stridelock_v2_...
 * Does not:  keep anything it is given: tensors, extents and strides are borrowed for the call. Texts that it returns live as
 *            long as the report or the contract they come from, and have a length instead of a final 0.
 *
 *   const stridelock_tensor* arguments[] = {&q, &indices, NULL};         an optional argument that is absent is NULL
 *   stridelock_report report;
 *   if (stridelock_v1_check(sparse_mla_contract(), arguments, 3, NULL, &report) != STRIDELOCK_OK) {
 *     char message[2048];
 *     stridelock_v1_report_text(&report, message, sizeof message);
 *   }
 *   stridelock_v1_report_release(&report);
 */
#ifndef STRIDELOCK_C_API_H
#define STRIDELOCK_C_API_H

#include <stddef.h>
#include <stdint.h>

#include "stridelock/visibility.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Not terminated by 0. */
typedef struct stridelock_text {
  const char* data;
  size_t size;
} stridelock_text;

enum { STRIDELOCK_UNKNOWN = 0, STRIDELOCK_NO = 1, STRIDELOCK_YES = 2 };

/* Type codes and device kinds have the numbers of DLPack; device kind 0 is "not told". */
typedef struct stridelock_tensor {
  const void* data;
  const int64_t* extents;
  const int64_t* strides; /* in elements; NULL: compact row-major */
  uint64_t byte_offset;   /* part of the address */
  int32_t rank;
  int32_t device_kind;
  int32_t device_ordinal;
  uint8_t type_code;
  uint8_t type_bits;
  uint8_t type_lanes;
  uint8_t read_only; /* STRIDELOCK_UNKNOWN, _NO, _YES */
} stridelock_tensor;

typedef struct stridelock_parameter {
  const char* name;
  int64_t value;
} stridelock_parameter;

/* All zero, and a NULL context: nothing is given. */
typedef struct stridelock_context {
  const stridelock_parameter* parameters; /* replace the values that the contract declares */
  int32_t parameter_count;
  int32_t capability_major; /* 0: what scoped_capability says on the calling thread, or not known */
  int32_t capability_minor;
  int32_t without_data; /* not 0: facts about addresses are skipped */
} stridelock_context;

typedef struct stridelock_contract stridelock_contract;

/* In rising order of harm. */
enum { STRIDELOCK_OK = 0, STRIDELOCK_NO_KERNEL = 1, STRIDELOCK_REFUSED = 2, STRIDELOCK_SILENT = 3 };

/* Owned by the caller: release it. All zero is the report of a call that is fine. */
typedef struct stridelock_report {
  int32_t verdict;
  int32_t violation_count;
  int32_t headline;             /* the violation to show first */
  int32_t symbol_count;         /* of the branch taken */
  int32_t unevaluated;          /* facts that could not be judged */
  int32_t depends_on_parameter; /* not 0: other values of the library's parameters give another verdict */
  int32_t
      incomplete; /* not 0: memory ran out, or the call of the check was wrong; the verdict is "refused" */
  int32_t device_ordinal; /* of the call; -1: none */
  stridelock_text branch; /* the kernel chosen; empty if none applies */
  void* content;
} stridelock_report;

/* The name is that of the enumerator in report.h, where each kind says what `found` and `needed` are. Compare names:
 * kinds have no numbers here, so that a new one is not a new interface. Indices are -1 where there is none. */
typedef struct stridelock_violation {
  stridelock_text kind;          /* "row_pitch" */
  stridelock_text evidence;      /* "declared", "checked", "inferred", "unchecked" */
  stridelock_text argument_name; /* empty: the call as a whole */
  stridelock_text symbol;        /* empty: none */
  stridelock_text where;         /* file:line of the evidence */
  int64_t found;
  int64_t needed;
  int32_t argument;
  int32_t dim;
  int32_t other_argument;
  int32_t is_consequence; /* not 0: follows from another violation */
} stridelock_violation;

typedef struct stridelock_symbol {
  stridelock_text name;
  int64_t value;
  int32_t bound; /* 0: no value */
  int32_t argument;
  int32_t dim;
  int32_t by_stride;
} stridelock_symbol;

STRIDELOCK_PUBLIC stridelock_text stridelock_v1_contract_name(const stridelock_contract* contract);
STRIDELOCK_PUBLIC int32_t stridelock_v1_argument_count(const stridelock_contract* contract);
STRIDELOCK_PUBLIC stridelock_text stridelock_v1_argument_name(const stridelock_contract* contract, int32_t i);

/* Judges a call and returns the verdict. `report` may be NULL; otherwise it is overwritten, not released. */
STRIDELOCK_PUBLIC int32_t stridelock_v1_check(const stridelock_contract* contract,
                                              const stridelock_tensor* const* arguments, int32_t count,
                                              const stridelock_context* context, stridelock_report* report);

/* Not 0 if there is an i-th one. */
STRIDELOCK_PUBLIC int32_t stridelock_v1_report_violation(const stridelock_report* report, int32_t i,
                                                         stridelock_violation* violation);
STRIDELOCK_PUBLIC int32_t stridelock_v1_report_symbol(const stridelock_report* report, int32_t i,
                                                      stridelock_symbol* symbol);

/* The message in five fields. Writes at most `capacity` bytes including a final 0; returns the length of the whole text. */
STRIDELOCK_PUBLIC size_t stridelock_v1_report_text(const stridelock_report* report, char* to,
                                                   size_t capacity);

/* Frees what the report holds and makes it all zero. */
STRIDELOCK_PUBLIC void stridelock_v1_report_release(stridelock_report* report);

#ifdef __cplusplus
}
#endif

#endif
