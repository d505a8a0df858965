// An operator for PyTorch that says what it takes. The contract stands at the boundary, the kernel behind it takes views whose
// types say the same, and nothing in between can lose the row pitch.
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>
#include <torch/library.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "stridelock/adapters/aten.h"
#include "stridelock/check.h"
#include "stridelock/to_view.h"

namespace {

using namespace stridelock;

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

at::Tensor rms_norm(const at::Tensor& x, const c10::optional<at::Tensor>& weight, double epsilon) {
  const at::Tensor out = at::empty(x.sizes(), x.options());
  require<rms_norm_contract>(x, weight,
                             out);  // throws what PyTorch turns into a RuntimeError with the whole message
  const auto w = try_view<view<const float, 1>>(weight);
  kernel(require_view<view<const float, 2, row_pitched>>(x), w ? w->data : nullptr,
         require_view<view<float, 2>>(out), static_cast<float>(epsilon));
  return out;
}

// For fake and meta tensors: the same contract, without the facts about addresses.
at::Tensor rms_norm_meta(const at::Tensor& x, const c10::optional<at::Tensor>& weight, double) {
  const at::Tensor out = at::empty(x.sizes(), x.options());
  require_in<rms_norm_contract>(aten::context_of(x, weight, out), x, weight, out);
  return out;
}

TORCH_LIBRARY(stridelock_example, m) {
  m.def("rms_norm(Tensor x, Tensor? weight, float epsilon) -> Tensor");
}
TORCH_LIBRARY_IMPL(stridelock_example, CPU, m) {
  m.impl("rms_norm", rms_norm);
}
TORCH_LIBRARY_IMPL(stridelock_example, Meta, m) {
  m.impl("rms_norm", rms_norm_meta);
}

}  // namespace

// ---- what a user of the operator sees ------------------------------------------------------------------------------------

int main() {
  const c10::InferenceMode without_autograd;
  const auto op = c10::Dispatcher::singleton()
                      .findSchemaOrThrow("stridelock_example::rms_norm", "")
                      .typed<at::Tensor(const at::Tensor&, const c10::optional<at::Tensor>&, double)>();
  const at::Tensor qkv = at::empty({4, 96}, at::kFloat).fill_(2);
  const auto run = [&](const char* what, const at::Tensor& x) {
    try {
      const at::Tensor y = op.call(x, c10::nullopt, 0.0);
      std::printf("%s: (%d,%d), first %.1f\n", what, static_cast<int>(y.size(0)), static_cast<int>(y.size(1)),
                  y.is_meta() ? 0.0 : static_cast<double>(*y.data_ptr<float>()));
    } catch (const std::exception& e) {
      const std::string message = e.what();
      std::printf("%s: refused\n  %s\n", what,
                  message.substr(0, message.find('\n')).c_str());  // the headline
    }
  };
  run("columns of a wider buffer", qkv.narrow(1, 32, 32));
  run("the same without data", qkv.to(at::kMeta).narrow(1, 32, 32));
  run("transposed", qkv.transpose(0, 1));
  run("another type", qkv.to(at::kHalf));
}
