#include "boundary_forms.h"

#include "stridelock/check.h"

// A null pointer to a description is an argument that is absent.
template <>
struct stridelock::adapter<stridelock::tensor_ref> {
  static described_ref describe(const tensor_ref& r) noexcept { return {r}; }
};

namespace stridelock::benchmarks {
namespace {

constexpr argument a_arg =
    arg("a").type(types::bfloat16).shape(sym("M"), sym("K")).layout(notion::row_pitched).aligned(16);
constexpr argument b_arg =
    arg("b").type(types::bfloat16).shape(sym("N"), sym("K")).layout(notion::dense).aligned(16);
constexpr argument c_arg =
    arg("c").type(types::bfloat16).shape(sym("M"), sym("N")).layout(notion::dense).output().aligned(16);

}  // namespace

inline constexpr auto product = make_contract("product", a_arg, b_arg, c_arg);
inline constexpr auto product_with_bias = make_contract(
    "product_with_bias", a_arg, b_arg, c_arg, arg("bias").type(types::bfloat16).shape(sym("N")).optional());
inline constexpr auto small_product =
    make_contract("small_product", a_arg, b_arg, c_arg).when(sym("M") <= 64);
inline constexpr auto large_product = make_contract("large_product", a_arg, b_arg, c_arg).when(sym("M") > 64);
inline constexpr auto either_product = make_dispatch("either_product", small_product, large_product);
inline constexpr auto float_product = make_contract(
    "float_product",
    arg("a").type(types::float32).shape(sym("M"), sym("K")).layout(notion::row_pitched).aligned(16),
    arg("b").type(types::float32).shape(sym("N"), sym("K")).layout(notion::dense).aligned(16),
    arg("c").type(types::float32).shape(sym("M"), sym("N")).layout(notion::dense).output().aligned(16));

bool holds_refs(const tensor_ref& a, const tensor_ref& b, const tensor_ref& c) {
  return holds<product>(a, b, c);
}
void require_refs(const tensor_ref& a, const tensor_ref& b, const tensor_ref& c) {
  require<product>(a, b, c);
}
report check_refs(const tensor_ref& a, const tensor_ref& b, const tensor_ref& c) {
  return check<product>(a, b, c);
}
void require_refs_and_optional(const tensor_ref& a, const tensor_ref& b, const tensor_ref& c,
                               const tensor_ref* bias) {
  require<product_with_bias>(a, b, c, bias);
}
report evaluate_refs(const tensor_ref& a, const tensor_ref& b, const tensor_ref& c) {
  const argument_value values[] = {argument_value(a), argument_value(b), argument_value(c)};
  return evaluate(product.view(), values, 3);
}
void require_dispatch(const tensor_ref& a, const tensor_ref& b, const tensor_ref& c) {
  require<either_product>(a, b, c);
}
void require_views(const float* a, index_t pitch, const float* b, float* c, index_t m, index_t n, index_t k) {
  require<float_product>(typed_rows{a, {{m, k}, pitch}}, typed_in{b, {{n, k}}}, typed_out{c, {{m, n}}});
}

}  // namespace stridelock::benchmarks
