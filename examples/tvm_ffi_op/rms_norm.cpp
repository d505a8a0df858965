// An operator for TVM-FFI that says what it takes: the output is given, nothing is allocated, and a wrong layout is an error on the
// other side of the C interface, with the whole message.
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>

#include <cmath>
#include <cstdio>

#include "stridelock/adapters/tvm_ffi.h"
#include "stridelock/check.h"
#include "stridelock/to_view.h"

namespace {

using namespace stridelock;
using tvm::ffi::TensorView;

inline constexpr auto rms_norm_contract = make_contract(
    "rms_norm", arg("x").type(types::float32).shape(sym("T"), sym("D")).layout(notion::row_pitched),
    arg("weight").type(types::float32).shape(sym("D")).layout(notion::dense).optional(),
    arg("out").type(types::float32).shape(sym("T"), sym("D")).layout(notion::dense).output());

void kernel(view<const float, 2, row_pitched> x, const float* weight, view<float, 2> out, float epsilon) {
  for (index_t t = 0; t < x.extent(0); ++t) {
    float sum = 0;
    for (index_t d = 0; d < x.extent(1); ++d) sum += x(t, d) * x(t, d);
    const float scale = 1 / std::sqrt(sum / static_cast<float>(x.extent(1)) + epsilon);
    for (index_t d = 0; d < x.extent(1); ++d)
      out(t, d) = x(t, d) * scale * (weight != nullptr ? weight[d] : 1);
  }
}

void rms_norm(TensorView x, tvm::ffi::Optional<TensorView> weight, TensorView out, double epsilon) {
  require<rms_norm_contract>(x, weight, out);  // crosses the C interface as an error of TVM-FFI
  const auto w = try_view<view<const float, 1>>(weight);
  kernel(require_view<view<const float, 2, row_pitched>>(x), w ? w->data : nullptr,
         require_view<view<float, 2>>(out), static_cast<float>(epsilon));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(rms_norm, rms_norm);

}  // namespace

// ---- what a user of the operator sees ------------------------------------------------------------------------------------

int main() {
  static float qkv[4 * 96], result[4 * 32];
  for (float& value : qkv) value = 2;
  constexpr device cpu{device_kind::cpu, 0};
  const auto run = [&](const char* what, const auto& x, const auto& out) {
    dlpack::numbers of_x, of_out;
    try {
      tvm::ffi::Function::InvokeExternC(nullptr, __tvm_ffi_rms_norm, *tvm_ffi::lend(x, cpu, of_x), nullptr,
                                        *tvm_ffi::lend(out, cpu, of_out), 0.0);
      std::printf("%s: first %.1f\n", what, static_cast<double>(out.data[0]));
    } catch (const tvm::ffi::Error& e) {
      std::printf("%s: refused\n  %s\n", what,
                  e.message().substr(0, e.message().find('\n')).c_str());  // the headline
    }
  };
  const view<float, 2> buffer{qkv, {{4, 96}}}, out{result, {{4, 32}}};
  run("columns of a wider buffer", buffer.columns(32, 64), out);
  run("transposed", buffer.columns(0, 4).transposed(), view<float, 2>{result, {{4, 4}}});
  run("into columns", buffer.columns(0, 32), buffer.columns(32, 64));
}
