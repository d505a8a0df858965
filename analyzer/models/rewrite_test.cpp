#include "analyzer/models/rewrite.h"

#include <gtest/gtest.h>

#include <string>

#include "analyzer/ir/random_unit.h"
#include "analyzer/ir/text.h"

namespace stridelock::models {
namespace {

ir::unit parsed(std::string_view text) {
  auto result = ir::parse(text, "test.ir");
  if (const auto* e = std::get_if<ir::parse_error>(&result)) {
    ADD_FAILURE() << e->str() << "\n" << text;
    return {};
  }
  return std::get<ir::unit>(std::move(result));
}

model_set with(std::string_view rows) {
  model_set set = model_set::builtin();
  if (auto error = set.add("schema: 1\nlibrary: test\n" + std::string(rows), "test.yaml"))
    ADD_FAILURE() << error->str();
  return set;
}

// The unit that `before` becomes equals `after`; both are text forms.
void expect_rewritten(const model_set& models, std::string_view before, std::string_view after) {
  ir::unit unit = parsed(before);
  rewrite(unit, models);
  EXPECT_EQ(ir::print(unit), ir::print(parsed(after)));
  // References stayed in range: what was printed can be read.
  EXPECT_TRUE(std::holds_alternative<ir::unit>(ir::parse(ir::print(unit), "again")));
}
void expect_rewritten(std::string_view before, std::string_view after) {
  expect_rewritten(model_set::builtin(), before, after);
}

// A body of one block in a function that declares what the tests name.
std::string body(std::string_view lines, std::string_view values = "") {
  return "function f" + std::string(values) +
         "\n  param x \"const at::Tensor &\"\n  param n long\n  local t at::Tensor\n  local o "
         "\"std::optional<at::Tensor>\"\nb0:\n" +
         std::string(lines) + "\n  return\n";
}

TEST(Rewrite, CallsBecomeWhatTheTableOfLayoutIrSays) {
  expect_rewritten(body(R"ir(
    %0 = call at::Tensor::narrow(&@x: at::Tensor, 1: long, 0: long, 256: long) method -> at::Tensor ; 12:5 "x.narrow(1, 0, 256)"
    init $t = %0
    %1 = call at::TensorBase::is_contiguous(&$t: at::Tensor, 0(c10::MemoryFormat::Contiguous): c10::MemoryFormat) method record=at::Tensor -> bool
    %2 = call at::TensorBase::contiguous(&$t: at::Tensor, 0(c10::MemoryFormat::Contiguous): c10::MemoryFormat) method record=at::Tensor -> at::Tensor
    %3 = call at::TensorBase::data_ptr(&$t: at::Tensor) method record=at::Tensor -> "float *"
    %4 = call std::move(&$t: "at::Tensor &") -> "at::Tensor &&"
    %5 = call at::TensorBase::size(&$t: at::Tensor, -1: long) method -> long)ir"),
                   body(R"ir(
    %0 = view narrow(&@x, 1, 0, 256) by at::Tensor::narrow ; 12:5 "x.narrow(1, 0, 256)"
    init $t = %0
    %1 = test contiguous(&$t) by at::TensorBase::is_contiguous
    %2 = maycopy contiguous(&$t) by at::TensorBase::contiguous
    %3 = pointer &$t
    %4 = same &$t
    %5 = query size(&$t, -1))ir"));
}

TEST(Rewrite, OptionalsShareTheirObjectsPlace) {
  expect_rewritten(body(R"ir(
    construct std::optional::optional(&$o: "std::optional<at::Tensor>", &$t: "at::Tensor &&")
    %0 = call "std::optional::operator bool"(&$o: "std::optional<at::Tensor>") method -> bool
    %1 = call std::optional::value(&$o: "std::optional<at::Tensor>") method -> "at::Tensor &"
    construct std::optional::optional(&$o: "std::optional<at::Tensor>", 0: std::nullopt_t))ir"),
                   body(R"ir(
    %2 = load $t : at::Tensor
    init $o = %2
    %0 = test present(&$o) by "std::optional::operator bool"
    %1 = same &$o
    init $o = 0)ir"));
}

TEST(Rewrite, AFunctionThatReturnsByValueIsALoad) {
  expect_rewritten(body(R"ir(
    %0 = call tvm::ffi::Optional::value(&$o: "tvm::ffi::Optional<tvm::ffi::Tensor>") method -> tvm::ffi::Tensor
    %1 = call tvm::ffi::Optional::value(&$o: "tvm::ffi::Optional<tvm::ffi::TensorView>") method -> "const tvm::ffi::TensorView &"
    %2 = call "tvm::ffi::ShapeView::operator[]"(&$o: tvm::ffi::ShapeView, 1: "unsigned long") method -> long
    %3 = call "c10::ArrayRef::operator[]"(&$o: "c10::ArrayRef<long>", 9: "unsigned long") method -> "const long &")ir"),
                   body(R"ir(
    %0 = load $o : tvm::ffi::Tensor
    %1 = same &$o
    %2 = load $o[1] : long
    %3 = same &$o[*])ir"));
}

TEST(Rewrite, ValuesBehindReferencesAreLoaded) {
  // TVM_FFI_ICHECK_EQ(x, 3): both sides come by reference, and the message is a unique_ptr.
  expect_rewritten(body(R"ir(
    %0 = call tvm::ffi::detail::LogCheck_EQ(&@n: "const long &", &$t: "const int &") -> "std::unique_ptr<std::string>"
    init $o = %0
    %1 = call "std::unique_ptr::operator bool"(&$o: "std::unique_ptr<std::string>") method -> bool)ir"),
                   body(R"ir(
    %2 = load @n : long
    %3 = load $t : int
    %0 = ne %2, %3
    init $o = %0
    %4 = load $o : "std::unique_ptr<std::string>"
    %1 = ne %4, 0)ir"));
}

TEST(Rewrite, SmartPointersAndContainers) {
  expect_rewritten(body(R"ir(
    %0 = call std::unique_ptr::get(&$o) method -> "T *"
    %1 = call "std::vector::operator[]"(&$o, 3) method -> "T &"
    %2 = call "std::vector::operator[]"(&$o, %0) method -> "T &"
    call std::vector::push_back(&$o, &$t: "const at::Tensor &") method
    construct std::pair::pair(&$o, &$t: "at::Tensor &", 4: int)
    %3 = load $o.std::pair::second : int)ir"),
                   body(R"ir(
    %0 = load $o : "T *"
    %1 = same &$o[3]
    %2 = same &$o[*]
    %4 = load $t : at::Tensor
    store $o[*] = %4
    %5 = load $t : at::Tensor
    init $o[0] = %5
    init $o[1] = 4
    %3 = load $o[1] : int)ir"));
}

TEST(Rewrite, FieldsThatAreReadDirectly) {
  expect_rewritten(body(R"ir(
    %0 = load *%5.ggml_tensor::nb[1] : "unsigned long"
    %1 = load *%5.ggml_tensor::ne[*] : long
    %2 = load *%5.ggml_tensor::data : "void *"
    %3 = load $t.params::src.DLTensor::ndim : int
    store *%5.ggml_tensor::data = 0)ir"),
                   body(R"ir(
    %0 = query stride_bytes(%5, -2)
    %1 = query size(%5)
    %2 = pointer %5
    %3 = query ndim(&$t.params::src)
    store *%5.ggml_tensor::data = 0)ir"));
}

TEST(Rewrite, ListsOfArguments) {
  expect_rewritten(body("%0 = call ggml_reshape_3d(%4, %5, 64, 8, %6) -> \"ggml_tensor *\""),
                   body("%7 = list %6, 8, 64\n%0 = view view(%5, %7) by ggml_reshape_3d"));
}

TEST(Rewrite, InPlaceViewsChangeTheObject) {
  expect_rewritten(
      body("%0 = call at::Tensor::transpose_(&$t, 0, 1) method -> \"at::Tensor &\""),
      body("%1 = view transpose(&$t, 0, 1) by at::Tensor::transpose_\nstore $t = %1\n%0 = same &$t"));
}

TEST(Rewrite, AllocationWrittenThroughAPointer) {
  // cudaMalloc((void**)&p, n): the cast is looked through.
  expect_rewritten(body(R"ir(
    %0 = pointer_cast &$t -> "void **"
    %1 = call cudaMalloc(%0: "void **", 64: "unsigned long") -> cudaError)ir"),
                   body(R"ir(
    %0 = pointer_cast &$t -> "void **"
    effect allocates by cudaMalloc
    %1 = call cudaMalloc(%0: "void **", 64: "unsigned long") -> cudaError
    %2 = alloc device by cudaMalloc
    store $t = %2)ir"));
}

TEST(Rewrite, Capture) {
  expect_rewritten(body(R"ir(
    %0 = call cudaStreamBeginCapture(%4: "CUstream_st *", 2(cudaStreamCaptureModeRelaxed): cudaStreamCaptureMode) -> cudaError
    call at::cuda::CUDAGraph::capture_begin(&$t: at::cuda::CUDAGraph, %5, 0(cudaStreamCaptureModeGlobal)) method
    call at::cuda::CUDAGraph::capture_end(&$t: at::cuda::CUDAGraph) method
    %1 = call cudaStreamIsCapturing(%4: "CUstream_st *", &$o: "cudaStreamCaptureStatus *") -> cudaError
    %2 = call c10::cuda::currentStreamCaptureStatusMayInitCtx() -> c10::cuda::CaptureStatus)ir"),
                   body(R"ir(
    capture begin(%4) relaxed by cudaStreamBeginCapture
    %0 = call cudaStreamBeginCapture(%4: "CUstream_st *", 2(cudaStreamCaptureModeRelaxed): cudaStreamCaptureMode) -> cudaError
    capture begin(&$t) global framework by at::cuda::CUDAGraph::capture_begin
    call at::cuda::CUDAGraph::capture_begin(&$t: at::cuda::CUDAGraph, %5, 0(cudaStreamCaptureModeGlobal)) method
    capture end(&$t) framework by at::cuda::CUDAGraph::capture_end
    call at::cuda::CUDAGraph::capture_end(&$t: at::cuda::CUDAGraph) method
    %1 = call cudaStreamIsCapturing(%4: "CUstream_st *", &$o: "cudaStreamCaptureStatus *") -> cudaError
    %6 = test is_capturing(%4) by cudaStreamIsCapturing
    store $o = %6
    %2 = test is_capturing() by c10::cuda::currentStreamCaptureStatusMayInitCtx)ir"));
}

TEST(Rewrite, CallablesRunNowOrLater) {
  expect_rewritten(body(R"ir(
    %0 = closure "f#0" [&x = &$t]
    init $o = %0
    call std::call_once(&$t: "std::once_flag &", &$o: "lambda &&")
    construct std::thread::thread(&$t: std::thread, &$o: "lambda &&"))ir"),
                   body(R"ir(
    %0 = closure "f#0" [&x = &$t]
    init $o = %0
    %1 = load $o : lambda
    invoke %1 by std::call_once
    %2 = load $o : lambda
    invoke %2 deferred by std::thread::thread)ir"));
}

TEST(Rewrite, NoreturnEndsTheBlock) {
  expect_rewritten(body("call ggml_abort(\"f.c\", 3) ; 7\n%0 = load $t : at::Tensor"),
                   "function f values=1\n  param x \"const at::Tensor &\"\n  param n long\n  local t "
                   "at::Tensor\n  local o "
                   "\"std::optional<at::Tensor>\"\nb0:\ncall ggml_abort(\"f.c\", 3) ; 7\nstop abort ; 7\n");
}

TEST(Rewrite, AssertSplitsTheBlock) {
  expect_rewritten(
      with("functions:\n  - {call: my::check_dense, assert: {predicate: contiguous, of: [0]}}\n"), R"ir(
function f
  local t at::Tensor
b0:
  call my::check_dense(&$t) ; 5
  call my::check_dense(&$t) ; 6
  %0 = load $t
  return %0 ; 7
)ir",
      R"ir(
function f
  local t at::Tensor
b0:
  %1 = test contiguous(&$t) by my::check_dense ; 5
  call my::check_dense(&$t) ; 5
  branch %1 b1 b2 ; 5
b1:
  %2 = test contiguous(&$t) by my::check_dense ; 6
  call my::check_dense(&$t) ; 6
  branch %2 b3 b4 ; 6
b2:
  stop abort ; 5
b3:
  %0 = load $t
  return %0 ; 7
b4:
  stop abort ; 6
)ir");
}

TEST(Rewrite, RowsOfTheUserWinOverBuiltin) {
  const model_set models =
      with("functions:\n  - {call: \"at::Tensor::narrow\", args: 2, copy: {op: copy, of: 0}}\n");
  expect_rewritten(
      models,
      body("%0 = call at::Tensor::narrow(&$t, 1) method\n%1 = call at::Tensor::narrow(&$t, 1, 2, 3) method"),
      body("%0 = maycopy copy(&$t) by at::Tensor::narrow\n%1 = view narrow(&$t, 1, 2, 3) by "
           "at::Tensor::narrow"));
}

TEST(Rewrite, MethodsMatchByTheClassOfTheObject) {
  const model_set models = with(
      "types:\n  - {name: my::tensor, bases: [at::TensorBase]}\n"
      "functions:\n  - {call: my::tensor::len, query: {op: numel, of: 0}}\n");
  expect_rewritten(models, body(R"ir(
    %0 = call my::base::len(&$t) method record=my::tensor
    %1 = call my::base::numel(&$t) method record=my::tensor
    %2 = call my::base::len(&$t) method record=my::other)ir"),
                   body(R"ir(
    %0 = query numel(&$t)
    %1 = query numel(&$t)
    %2 = call my::base::len(&$t) method record=my::other)ir"));
}

TEST(Rewrite, GlobsDoNotReachFunctionsOfTheProgram) {
  const model_set models = with(
      "functions:\n  - {call: \"my::*\", ignore: true, effects: [{op: grows}]}\n"
      "  - {call: my::named, effects: [{op: frees}], ignore: true}\n");
  const std::string defined = "function my::f\nb0:\n  return\nfunction my::named\nb0:\n  return\n";
  expect_rewritten(models, defined + body("call my::f()\ncall my::g()\ncall my::named()"),
                   defined + body("call my::f()\neffect grows by my::g\ncall my::g()\neffect frees by "
                                  "my::named\ncall my::named()"));
}

TEST(Rewrite, ACallThatDoesNotFitStays) {
  const std::string odd =
      body("%0 = call \"std::vector::operator[]\"(3) method\n%1 = call at::Tensor::narrow() method");
  expect_rewritten(odd, odd);
}

TEST(Rewrite, StatisticsCountTensorCallsWithoutAModel) {
  ir::unit unit = parsed("function defined\nb0:\n  return\n" + body(R"ir(
    %0 = call my::mystery(&$t: "const at::Tensor &")
    %1 = call my::mystery(&$t: "std::optional<at::Tensor>")
    %2 = call my::maker(1: int) -> "std::vector<at::Tensor, std::allocator<at::Tensor> >"
    %3 = call my::harmless(1: int) -> int
    call defined(&$t: "const at::Tensor &")
    %4 = call at::TensorBase::is_cuda(&$t: at::Tensor) method
    destroy at::Tensor::~Tensor(&$t: at::Tensor))ir"));
  const rewrite_statistics s = rewrite(unit, model_set::builtin());
  EXPECT_EQ(s.calls, 7u);
  EXPECT_EQ(s.modelled, 1u);
  const std::vector<unmodelled_call> expected = {{"my::maker", "my::maker", 1},
                                                 {"my::mystery", "my::mystery", 2}};
  EXPECT_EQ(s.unmodelled, expected);

  rewrite_statistics sum = s;
  sum += s;
  EXPECT_EQ(sum.calls, 14u);
  EXPECT_EQ(sum.unmodelled.at(1).count, 4u);
}

TEST(Rewrite, RequirementsAreListed) {
  const model_set models =
      with("functions:\n  - call: [my::run, my::step]\n    requires: [{param: 1, layout: contiguous}]\n");
  ASSERT_EQ(models.requirements().size(), 2u);
  EXPECT_EQ(models.requirements()[0].callee, "my::run");
  EXPECT_EQ(models.requirements()[1].callee, "my::step");
  EXPECT_EQ(models.requirements()[0].param, 1u);
  EXPECT_EQ(models.requirements()[0].text, "contiguous");
  EXPECT_EQ(models.requirements()[0].file, "test.yaml");
  EXPECT_EQ(models.requirements()[0].line, 4u);
}

TEST(Rewrite, AnyUnitStaysReadable) {
  const model_set models = model_set::builtin();
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    ir::unit unit = ir::random_unit(seed);
    rewrite(unit, models);
    const std::string text = ir::print(unit);
    auto back = ir::parse(text, "random");
    ASSERT_TRUE(std::holds_alternative<ir::unit>(back)) << std::get<ir::parse_error>(back).str();
  }
}

}  // namespace
}  // namespace stridelock::models
