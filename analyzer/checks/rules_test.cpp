// Every message a rule can print, word for word.
#include <gtest/gtest.h>

#include "analyzer/checks/checks.h"
#include "analyzer/solve/test_program.h"

namespace stridelock::checks {
namespace {

using report::severity;

analysis_result run(std::initializer_list<std::string_view> units,
                    std::initializer_list<solve::requirement_row> rows = {}) {
  solve::program whole;
  for (std::string_view u : units) solve::add_unit(whole, u);
  for (const auto& r : rows) whole.add_requirement(r);
  whole.finish();
  return run_checks(whole, {});
}

std::string only(const analysis_result& result) {
  if (result.findings.size() != 1) return std::to_string(result.findings.size()) + " findings";
  return result.findings[0].message;
}

// A function that makes `view` of x and hands it to lib::run, which is declared contiguous.
std::string message_for(std::string_view view) {
  const std::string unit = R"ir(
unit u.cpp
function f
  param x "const at::Tensor &"
  param k long
b0:
  %0 = load @k
  %1 = )ir" + std::string(view) +
                           R"ir( ; 3:5 "v"
  call lib::run(%1: "const at::Tensor &" const as "y" at 4:9) ; 4
  return
)ir";
  return only(run({unit}, {{"lib::run", 0, "contiguous", "models.yaml:7"}}));
}

constexpr const char* reaches = ", and reaches 'lib::run', which needs a contiguous tensor";

TEST(NarrowedViewMessage, EveryViewSaysWhatItKeeps) {
  EXPECT_EQ(message_for("view narrow(&@x, 1, 0, %0)"),
            std::string("'y' is a slice of dimension 1 of 'x', which keeps its strides") + reaches);
  EXPECT_EQ(message_for("view slice(&@x, -1, 0, %0, 1)"),
            std::string("'y' is a slice of dimension -1 of 'x', which keeps its strides") + reaches);
  EXPECT_EQ(message_for("view columns(&@x, 0, %0)"),
            std::string("'y' is a range of columns of 'x', which keeps its row pitch") + reaches);
  EXPECT_EQ(message_for("view select(&@x, 1, %0)"),
            std::string("'y' is one index of dimension 1 of 'x', which keeps its strides") + reaches);
  EXPECT_EQ(message_for("view split(&@x, 2, 1)"),
            std::string("'y' is a piece of 'x' along dimension 1, which keeps its strides") + reaches);
  EXPECT_EQ(message_for("view unbind(&@x, 1)"),
            std::string("'y' is a piece of 'x' along dimension 1, which keeps its strides") + reaches);
  EXPECT_EQ(message_for("view transpose(&@x, 0, 1)"),
            std::string("'y' is a transpose of 'x': its rows are no longer next to each other") + reaches);
  EXPECT_EQ(message_for("view permute(&@x, %0)"),
            std::string("'y' is a permutation of the dimensions of 'x'") + reaches);
  EXPECT_EQ(message_for("view expand(&@x, %0)"),
            std::string("'y' is an expansion of 'x' with stride 0") + reaches);
}

TEST(NarrowedViewMessage, OtherLayoutsByName) {
  const std::string_view unit = R"ir(
unit u.cpp
function f
  param x "const at::Tensor &"
b0:
  %1 = view transpose(&@x, 0, 1) ; 3:5 "x.t()"
  call lib::run(%1: "const at::Tensor &" const as "y" at 4:9) ; 4
  return
)ir";
  auto with = [&](const char* layout) { return only(run({unit}, {{"lib::run", 0, layout, "m.yaml:1"}})); };
  EXPECT_NE(with("row_pitched").find("which needs dense rows with one pitch"), std::string::npos);
  EXPECT_EQ(with("permutation_dense"), "0 findings");
}

constexpr std::string_view threshold = R"ir(
unit consumer.cpp
function launch
  param p "const int *"
  param width int
function lib::attend signature="lib::attend(const at::Tensor &)" ; 10
  param idx "const at::Tensor &"
b0:
  %0 = query size(&@idx, 0)
  %1 = gt %0, 64
  branch %1 b1 b3
b1:
  %2 = test contiguous(&@idx)
  branch %2 b4 b2 ; 12:3
b2:
  stop throw
b3:
  %3 = pointer &@idx
  %4 = query size(&@idx, 1)
  call launch(%3: "const int *" as "idx.data()" at 15:10, %4) ; 15
  return
b4:
  return
)ir";

TEST(NarrowedViewMessage, BothSidesOfAThreshold) {
  const auto result = run({threshold, R"ir(
unit producer.cpp
function f signature="f(const at::Tensor &)" ; 1
  param buffer "const at::Tensor &"
b0:
  %1 = view narrow(&@buffer, 1, 0, 8) ; 3:5 "buffer.narrow(1, 0, 8)"
  call lib::attend(%1: "const at::Tensor &" const as "rows" at 4:14) ; 4:3
  return
)ir"});
  EXPECT_EQ(
      only(result),
      "'rows' is a slice of dimension 1 of 'buffer', which keeps its strides, and reaches 'lib::attend', "
      "which "
      "needs a contiguous tensor, when buffer.size(0) > 64; when buffer.size(0) <= 64 nobody looks, and rows "
      "after the first would be wrong");
  const report::finding& f = result.findings.at(0);
  EXPECT_EQ(f.level, severity::warning);
  EXPECT_EQ(f.function, "f(const at::Tensor &)");
  EXPECT_EQ(f.fingerprint, "narrowed-view|f(const at::Tensor &)|lib::attend|idx|rows");
  ASSERT_EQ(f.trace.size(), 3u);
  EXPECT_EQ(f.trace[0].message,
            "'buffer.narrow(1, 0, 8)' is a slice of dimension 1 of 'buffer', which keeps its strides");
  EXPECT_EQ(f.trace[1].message, "the program stops here unless idx.is_contiguous()");
  EXPECT_EQ(f.trace[2].message,
            "pointer and sizes go on to 'launch' without a stride: nobody looks at the layout");
}

TEST(NarrowedViewMessage, PointerWithoutStride) {
  const auto result = run({R"ir(
unit u.cpp
function launch signature="launch(const int *, int)"
  param p "const int *"
  param width int
function f ; 1
  param x "const at::Tensor &"
b0:
  %1 = view narrow(&@x, 1, 0, 8) ; 3:5 "x.narrow(1, 0, 8)"
  %2 = pointer %1
  %3 = query size(%1, 0)
  call launch(%2: "const int *" as "p" at 5:10, %3) ; 5
  return
)ir"});
  EXPECT_EQ(only(result),
            "'p' is a slice of dimension 1 of 'x', which keeps its strides, and its pointer goes to 'launch' "
            "with sizes "
            "and no stride: rows after the first would be read from the wrong place");
  EXPECT_EQ(result.findings.at(0).level, severity::warning);
}

TEST(NarrowedViewMessage, CheckInTheSameFunction) {
  const auto result = run({R"ir(
unit u.cpp
function f ; 1
  param x "const at::Tensor &"
b0:
  %1 = view narrow(&@x, 1, 0, 8) ; 3:5 "x.narrow(1, 0, 8)"
  %2 = test contiguous(%1)
  branch %2 b2 b1 ; 4:3
b1:
  stop throw
b2:
  return
)ir"});
  EXPECT_EQ(only(result),
            "'x.narrow(1, 0, 8)' is a slice of dimension 1 of 'x', which keeps its strides, but a contiguous "
            "tensor is "
            "required here");
  EXPECT_EQ(result.findings.at(0).level, severity::error);
}

TEST(NarrowedViewMessage, MemberOfAnArgument) {
  const auto result = run({R"ir(
unit u.cpp
record meta
  field idx at::Tensor
function use ; 1
  param m "const meta &"
b0:
  call lib::run(&@m.meta::idx: "const at::Tensor &" const as "m.idx" at 2:9) ; 2
  return
function f ; 5
  param x "const at::Tensor &"
  local m meta
b0:
  %1 = view narrow(&@x, 1, 0, 8) ; 6:5 "x.narrow(1, 0, 8)"
  store $m.meta::idx = %1 ; 6:3
  call use(&$m: "const meta &" const as "m" at 7:7) ; 7
  return
)ir"},
                          {{"lib::run", 0, "contiguous", "models.yaml:7"}});
  EXPECT_EQ(only(result),
            std::string("'m' holds a slice of dimension 1 of 'x', which keeps its strides") + reaches);
  const auto& trace = result.findings.at(0).trace;
  ASSERT_EQ(trace.size(), 4u);
  EXPECT_EQ(trace[1].message, "stored in 'idx' here");
  EXPECT_EQ(trace[3].message, "'argument 0' is declared \"contiguous\"");
}

// Copies x.narrow(…) inside a region that `begin` opens.
analysis_result copied(std::string_view begin, std::string_view copy, std::string_view result = "") {
  const std::string unit = R"ir(
unit u.cpp
function f ; 1
  param x "const at::Tensor &"
b0:
  capture begin(1) )ir" + std::string(begin) +
                           R"ir( by begin_it ; 2:3
  %0 = view narrow(&@x, 1, 0, 8) ; 3:9 "x.narrow(1, 0, 8)"
  %1 = maycopy )ir" + std::string(copy) +
                           R"ir( by at::Tensor::contiguous ; 3:20 "y.contiguous()"
  capture end(1) by end_it ; 4
  return )ir" + std::string(result) +
                           "\n";
  return run({unit});
}

TEST(CopyInCaptureMessage, RawStream) {
  const auto certain = copied("thread_local", "contiguous(%0)");
  EXPECT_EQ(only(certain),
            "'y.contiguous()' copies inside a capture region: the allocation behind it is refused while a "
            "stream is "
            "captured");
  EXPECT_EQ(certain.findings.at(0).level, severity::error);
  const auto& trace = certain.findings.at(0).trace;
  ASSERT_EQ(trace.size(), 3u);
  EXPECT_EQ(trace[0].message, "the capture region begins here ('begin_it')");
  EXPECT_EQ(trace[1].message,
            "'x.narrow(1, 0, 8)' is a slice of dimension 1 of 'x', which keeps its strides");
  EXPECT_EQ(
      trace[2].message,
      "pack it before the capture into a buffer that outlives the graph, or hand the strides to the kernel");

  const auto perhaps = copied("thread_local", "contiguous(&@x)");
  EXPECT_EQ(only(perhaps),
            "'y.contiguous()' may copy inside a capture region: the allocation behind it is refused while a "
            "stream is "
            "captured");
  EXPECT_EQ(perhaps.findings.at(0).level, severity::warning);
}

TEST(CopyInCaptureMessage, FrameworkGraph) {
  const auto certain = copied("framework", "contiguous(%0)");
  EXPECT_EQ(only(certain),
            "'y.contiguous()' copies inside a capture region: the copy is repeated by every replay, and its "
            "address is "
            "valid only inside this graph");
  EXPECT_EQ(certain.findings.at(0).level, severity::warning);
  EXPECT_EQ(certain.findings.at(0).trace.back().message,
            "hand the strides to the kernel, or pack it once before the capture");
  EXPECT_EQ(copied("framework", "contiguous(&@x)").findings.at(0).level, severity::note);
  const auto escapes = copied("framework", "contiguous(&@x)", "%1");
  EXPECT_EQ(escapes.findings.at(0).level, severity::warning);
  EXPECT_NE(only(escapes).find(", yet it leaves the region"), std::string::npos);
}

// A function that outsiders call hands the pointer of x and a size to launch_scale.
analysis_result pointer_handed_on(std::string_view contract, bool conditional) {
  const std::string unit = R"ir(
unit u.cpp
function launch_scale signature="launch_scale(const void *, long)"
  param data "const void *" )ir" +
                           std::string(contract) + R"ir( ; 1:30
  param rows long
function entry exported ; 5
  param x "const at::Tensor &" ; 5:12
  param flag bool
b0:
  %0 = load @flag
)ir" + (conditional ? "  branch %0 b1 b2\n" : "  jump b1\n") +
                           R"ir(b1:
  %1 = pointer &@x
  %2 = query size(&@x, 0)
  call launch_scale(%1 : "const void *" as "x.data_ptr()" at 7:16, %2 : long) ; 7
  return
b2:
  return
)ir";
  return run({unit});
}

TEST(UncheckedPointerMessage, SizesAndNoStride) {
  const auto result = pointer_handed_on("", false);
  EXPECT_EQ(
      only(result),
      "the pointer of 'x' goes to 'launch_scale' with sizes and no stride; nobody checks the layout, and "
      "a strided view would be read as dense");
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].check, "unchecked-pointer");
  EXPECT_EQ(result.findings[0].level, severity::note);
  EXPECT_EQ(result.findings[0].where.line, 7u);
  const auto& trace = result.findings[0].trace;
  ASSERT_EQ(trace.size(), 3u);
  EXPECT_EQ(trace[0].message, "'x' comes from outside the program: its layout is unknown");
  EXPECT_EQ(trace[1].message,
            "pointer and sizes go on to 'launch_scale' without a stride: nobody looks at the layout");
  EXPECT_EQ(trace[2].message,
            "check the layout of 'x' before the first use, or pass its strides with the pointer");
}

TEST(UncheckedPointerMessage, UnderACondition) {
  EXPECT_EQ(
      only(pointer_handed_on("", true)),
      "the pointer of 'x' goes to 'launch_scale' with sizes and no stride, when flag; nobody checks the "
      "layout, and a strided view would be read as dense");
}

TEST(UncheckedPointerMessage, DeclaredConsumer) {
  const auto result = pointer_handed_on("contract=\"contiguous\"", false);
  EXPECT_EQ(only(result),
            "the pointer of 'x' goes to 'launch_scale', which needs a contiguous tensor; nobody checks the "
            "layout, and a strided view would be read as dense");
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].level, severity::note);
}

TEST(MalformedContractMessage, NamesTheWord) {
  const auto result = run({}, {{"lib::run", 0, "contigous", "models.yaml:7"}});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].check, "malformed-contract");
  EXPECT_EQ(result.findings[0].level, severity::error);
  EXPECT_EQ(result.findings[0].where.line, 7u);
  EXPECT_NE(result.findings[0].message.find("'contigous'"), std::string::npos) << result.findings[0].message;
}

TEST(Globs, StarsAndQuestionMarks) {
  EXPECT_TRUE(matches_glob("narrowed-*", "narrowed-view"));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("a*b*c", "aXbXbc"));
  EXPECT_TRUE(matches_glob("?b", "ab"));
  EXPECT_FALSE(matches_glob("narrowed", "narrowed-view"));
  EXPECT_FALSE(matches_glob("?", ""));
  EXPECT_FALSE(matches_glob(std::string(60, '*') + "b", std::string(4000, 'a')));
}

TEST(Globs, TheLastMatchDecides) {
  EXPECT_TRUE(is_enabled("narrowed-view", {}));
  EXPECT_TRUE(is_enabled("narrowed-view", {"narrowed-*"}));
  EXPECT_FALSE(is_enabled("copy-in-capture", {"narrowed-*"}));
  EXPECT_FALSE(is_enabled("copy-in-capture", {"-copy-*"}));
  EXPECT_TRUE(is_enabled("narrowed-view", {"-copy-*"}));
  EXPECT_TRUE(is_enabled("narrowed-view", {"stridelock-narrowed-view"}));
}

TEST(Checks, EachHasAPage) {
  for (const check_info& c : all_checks()) {
    EXPECT_NE(c.page.find("## "), std::string::npos) << c.name;
    EXPECT_FALSE(c.summary.empty()) << c.name;
  }
}

}  // namespace
}  // namespace stridelock::checks
