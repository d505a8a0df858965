// Mock of ggml.h: the tensor, its views, its predicates, its assertion.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GGML_MAX_DIMS 4
#define GGML_MAX_SRC 10

#ifdef __cplusplus
#define GGML_NORETURN [[noreturn]]
extern "C" {
#else
#define GGML_NORETURN _Noreturn
#endif

#define GGML_ABORT(...) ggml_abort(__FILE__, __LINE__, __VA_ARGS__)
#define GGML_ASSERT(x) \
  if (!(x)) GGML_ABORT("GGML_ASSERT(%s) failed", #x)

GGML_NORETURN void ggml_abort(const char* file, int line, const char* fmt, ...);

enum ggml_type { GGML_TYPE_F32 = 0, GGML_TYPE_F16 = 1, GGML_TYPE_Q4_0 = 2, GGML_TYPE_I32 = 26 };
enum ggml_op { GGML_OP_NONE = 0, GGML_OP_ADD, GGML_OP_MUL, GGML_OP_RMS_NORM, GGML_OP_CLAMP };

struct ggml_context;
struct ggml_backend_buffer;

struct ggml_tensor {
  enum ggml_type type;
  struct ggml_backend_buffer* buffer;
  int64_t ne[GGML_MAX_DIMS];
  size_t nb[GGML_MAX_DIMS];
  enum ggml_op op;
  int32_t op_params[16];
  int32_t flags;
  struct ggml_tensor* src[GGML_MAX_SRC];
  struct ggml_tensor* view_src;
  size_t view_offs;
  void* data;
  char name[64];
  void* extra;
};

int64_t ggml_nelements(const struct ggml_tensor* tensor);
int64_t ggml_nrows(const struct ggml_tensor* tensor);
size_t ggml_nbytes(const struct ggml_tensor* tensor);
size_t ggml_type_size(enum ggml_type type);
size_t ggml_row_size(enum ggml_type type, int64_t ne);
int64_t ggml_blck_size(enum ggml_type type);
size_t ggml_element_size(const struct ggml_tensor* tensor);

bool ggml_is_contiguous(const struct ggml_tensor* tensor);
bool ggml_is_contiguous_0(const struct ggml_tensor* tensor);
bool ggml_is_contiguous_1(const struct ggml_tensor* tensor);
bool ggml_is_contiguous_2(const struct ggml_tensor* tensor);
bool ggml_is_contiguous_rows(const struct ggml_tensor* tensor);
bool ggml_is_contiguously_allocated(const struct ggml_tensor* tensor);
bool ggml_is_permuted(const struct ggml_tensor* tensor);
bool ggml_are_same_shape(const struct ggml_tensor* t0, const struct ggml_tensor* t1);

struct ggml_tensor* ggml_new_tensor_2d(struct ggml_context* ctx, enum ggml_type type, int64_t ne0,
                                       int64_t ne1);
struct ggml_tensor* ggml_new_tensor_3d(struct ggml_context* ctx, enum ggml_type type, int64_t ne0,
                                       int64_t ne1, int64_t ne2);
struct ggml_tensor* ggml_dup_tensor(struct ggml_context* ctx, const struct ggml_tensor* src);
struct ggml_tensor* ggml_view_1d(struct ggml_context* ctx, struct ggml_tensor* a, int64_t ne0, size_t offset);
struct ggml_tensor* ggml_view_2d(struct ggml_context* ctx, struct ggml_tensor* a, int64_t ne0, int64_t ne1,
                                 size_t nb1, size_t offset);
struct ggml_tensor* ggml_view_3d(struct ggml_context* ctx, struct ggml_tensor* a, int64_t ne0, int64_t ne1,
                                 int64_t ne2, size_t nb1, size_t nb2, size_t offset);
struct ggml_tensor* ggml_permute(struct ggml_context* ctx, struct ggml_tensor* a, int axis0, int axis1,
                                 int axis2, int axis3);
struct ggml_tensor* ggml_transpose(struct ggml_context* ctx, struct ggml_tensor* a);
struct ggml_tensor* ggml_cont(struct ggml_context* ctx, struct ggml_tensor* a);
struct ggml_tensor* ggml_reshape_2d(struct ggml_context* ctx, struct ggml_tensor* a, int64_t ne0,
                                    int64_t ne1);
struct ggml_tensor* ggml_mul_mat(struct ggml_context* ctx, struct ggml_tensor* a, struct ggml_tensor* b);
struct ggml_tensor* ggml_rms_norm(struct ggml_context* ctx, struct ggml_tensor* a, float eps);

#ifdef __cplusplus
}
#endif
