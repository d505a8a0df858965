#include "analyzer/solve/solve.h"

#include <gtest/gtest.h>

#include "analyzer/solve/test_program.h"

namespace stridelock::solve {
namespace {

struct solved {
  program whole;
  std::unique_ptr<solution> result;
};

std::unique_ptr<solved> run(std::initializer_list<std::string_view> units,
                            std::initializer_list<requirement_row> rows = {}) {
  auto s = std::make_unique<solved>();
  for (std::string_view u : units) add_unit(s->whole, u);
  for (const requirement_row& r : rows) s->whole.add_requirement(r);
  s->whole.finish();
  s->result = solve(s->whole, {});
  return s;
}

// A consumer that stops unless its argument is contiguous.
constexpr std::string_view checked_consumer = R"ir(
unit consumer.cpp
function consume exported ; 10
  param idx "const at::Tensor &"
b0:
  %0 = test contiguous(&@idx)
  branch %0 b2 b1 ; 11:3
b1:
  stop throw
b2:
  return
)ir";

constexpr std::string_view copier = R"ir(
unit copier.cpp
function pack ; 1
  param x "const at::Tensor &"
b0:
  %0 = view narrow(&@x, 1, 0, 8) ; 2:3 "x.narrow(1, 0, 8)"
  %1 = maycopy contiguous(%0) by at::Tensor::contiguous ; 2:20 "x.narrow(1, 0, 8).contiguous()"
  return %1
function step ; 5
  param x "const at::Tensor &"
b0:
  %0 = call pack(&@x : "const at::Tensor &" const) ; 6
  return
)ir";

TEST(Solve, RequirementIsDerivedFromABranchToAStop) {
  auto s = run({checked_consumer});
  ASSERT_EQ(s->result->summaries[0].requirements.size(), 1u);
  const requirement& r = s->result->summaries[0].requirements[0];
  EXPECT_EQ(describe(s->result->graph, r.formula, s->whole.functions()[0]), "idx.is_contiguous()");
  EXPECT_EQ(r.how, evidence::checked);
  EXPECT_TRUE(s->result->graph.children(r.guard).empty());
  EXPECT_TRUE(s->result->disagreements.empty());
}

TEST(Solve, NarrowedViewReachesTheConsumerInAnotherUnit) {
  auto s = run({checked_consumer, R"ir(
unit producer.cpp
function produce ; 1
  param buffer "const at::Tensor &"
  param n long
  local v at::Tensor
b0:
  %0 = load @n : long
  %1 = view narrow(&@buffer, 1, 0, %0) ; 3:5 "buffer.narrow(1, 0, n)"
  init $v = %1
  call consume(&$v : "const at::Tensor &" const as "v" at 4:11) ; 4:3
  return
)ir"});
  ASSERT_EQ(s->result->disagreements.size(), 1u);
  const disagreement& d = s->result->disagreements[0];
  EXPECT_EQ(d.where.line, 4u);
  EXPECT_EQ(d.where.column, 11u);
  EXPECT_EQ(s->result->graph.at(d.culprit).where.line, 3u);
  EXPECT_TRUE(d.guard_proved);
  EXPECT_FALSE(d.may);
}

TEST(Solve, RowSliceOfADenseTensorAndDenseCopyAreSilent) {
  auto s = run({checked_consumer, R"ir(
unit producer.cpp
function rows ; 1
  param n long
b0:
  %0 = load @n : long
  %1 = alloc device by at::empty
  %2 = view narrow(%1, 0, 0, %0)
  call consume(%2)
  return
function copied ; 9
  param buffer "const at::Tensor &"
  param n long
b0:
  %0 = load @n : long
  %1 = view narrow(&@buffer, 1, 0, %0)
  %2 = maycopy contiguous(%1)
  call consume(%2)
  return
)ir"});
  EXPECT_TRUE(s->result->disagreements.empty());
}

TEST(Solve, GuardTravelsToTheCaller) {
  auto s = run({R"ir(
unit consumer.cpp
function consume ; 10
  param q "const at::Tensor &"
  param idx "const at::Tensor &"
b0:
  %0 = query size(&@q, 0)
  %1 = gt %0, 64
  branch %1 b1 b3
b1:
  %2 = test contiguous(&@idx)
  branch %2 b3 b2
b2:
  stop throw
b3:
  return
)ir",
                R"ir(
unit producer.cpp
function unknown_rows ; 1
  param q "const at::Tensor &"
  param buffer "const at::Tensor &"
b0:
  %1 = view narrow(&@buffer, 1, 0, 8) ; 3:5
  call consume(&@q, %1) ; 4
  return
function few_rows ; 6
  param buffer "const at::Tensor &"
b0:
  %0 = list 32, 8
  %1 = alloc device shape=%0
  %2 = view narrow(&@buffer, 1, 0, 8)
  call consume(%1, %2)
  return
function many_rows ; 16
  param buffer "const at::Tensor &"
b0:
  %0 = list 128, 8
  %1 = alloc device shape=%0
  %2 = view narrow(&@buffer, 1, 0, 8)
  call consume(%1, %2) ; 21
  return
)ir"});
  ASSERT_EQ(s->result->disagreements.size(), 2u);
  EXPECT_FALSE(s->result->disagreements[0].guard_proved);
  EXPECT_EQ(s->result->disagreements[0].when, "q.size(0) > 64");
  EXPECT_EQ(s->result->disagreements[1].where.line, 21u);
  EXPECT_TRUE(s->result->disagreements[1].guard_proved);
}

TEST(Solve, EarlyReturnGuards) {
  auto s = run({checked_consumer, R"ir(
unit producer.cpp
function guarded ; 1
  param buffer "const at::Tensor &"
  local v at::Tensor
b0:
  %1 = view narrow(&@buffer, 1, 0, 8)
  init $v = %1
  %2 = test contiguous(&$v)
  branch %2 b2 b1
b1:
  return
b2:
  call consume(&$v)
  return
)ir"});
  EXPECT_TRUE(s->result->disagreements.empty());
}

TEST(Solve, OneArmOfABranchIsEnough) {
  auto s = run({checked_consumer, R"ir(
unit producer.cpp
function arms ; 1
  param buffer "const at::Tensor &"
  param wide bool
  local v at::Tensor
b0:
  %0 = load @wide
  branch %0 b1 b2
b1:
  %1 = alloc device
  init $v = %1
  jump b3
b2:
  %2 = view narrow(&@buffer, 1, 0, 8) ; 9:5
  init $v = %2
  jump b3
b3:
  call consume(&$v) ; 12
  return
)ir"});
  ASSERT_EQ(s->result->disagreements.size(), 1u);
  EXPECT_EQ(s->result->disagreements[0].when, "!wide");
}

TEST(Solve, DensifiedOnTheSlowPathIsSilent) {
  auto s = run({checked_consumer, R"ir(
unit producer.cpp
function densified ; 1
  param buffer "const at::Tensor &"
  local v at::Tensor
b0:
  %2 = view narrow(&@buffer, 1, 0, 8)
  init $v = %2
  %3 = test contiguous(&$v)
  branch %3 b2 b1
b1:
  %4 = maycopy contiguous(&$v)
  store $v = %4
  jump b2
b2:
  call consume(&$v)
  return
)ir"});
  EXPECT_TRUE(s->result->disagreements.empty());
}

constexpr std::string_view field_writer = R"ir(
unit writer.cpp
record engine::meta
  field idx at::Tensor
function build ; 1
  param m "engine::meta &"
  param buffer "const at::Tensor &"
b0:
  %1 = view narrow(&@buffer, 1, 0, 8) ; 3:5 "buffer.narrow(1, 0, 8)"
  store @m.engine::meta::idx = %1 ; 3:3
  return
)ir";

TEST(Solve, FieldsAreJoinedAcrossFilesAsMay) {
  auto s = run({checked_consumer, field_writer, R"ir(
unit reader.cpp
function forward ; 1
  param m "const engine::meta &"
b0:
  call consume(&@m.engine::meta::idx : "const at::Tensor &" const as "m.idx" at 2:11) ; 2
  return
)ir"});
  ASSERT_EQ(s->result->disagreements.size(), 1u);
  EXPECT_TRUE(s->result->disagreements[0].may);
  EXPECT_EQ(s->result->disagreements[0].where.line, 2u);
  EXPECT_EQ(s->result->disagreements[0].where.column, 11u);
}

TEST(Solve, AccessPathsDecideBeforeTheJoin) {
  auto s = run({checked_consumer, field_writer, R"ir(
unit reader.cpp
function forward ; 1
  param m "const engine::meta &"
b0:
  call consume(&@m.engine::meta::idx : "const at::Tensor &" const as "m.idx" at 2:11) ; 2
  return
function dense ; 5
  local m engine::meta
b0:
  %0 = alloc device
  store $m.engine::meta::idx = %0
  call forward(&$m : "const engine::meta &" const)
  return
function narrowed ; 12
  param buffer "const at::Tensor &"
  local m engine::meta
b0:
  call build(&$m : "engine::meta &", &@buffer : "const at::Tensor &" const)
  call forward(&$m : "const engine::meta &" const as "m" at 15:11) ; 15
  return
)ir"});
  ASSERT_EQ(s->result->disagreements.size(), 1u);
  EXPECT_FALSE(s->result->disagreements[0].may);
  EXPECT_EQ(s->result->disagreements[0].where.line, 15u);
}

TEST(Solve, OppositeSidesOfOneFlagDoNotMeet) {
  const std::string_view writer = R"ir(
unit writer.cpp
record engine::config
  field wide bool
record engine::meta
  field idx at::Tensor
function build ; 1
  param m "engine::meta &"
  param c "const engine::config &"
  param buffer "const at::Tensor &"
b0:
  %0 = load @c.engine::config::wide
  branch %0 b1 b2
b1:
  %1 = alloc device
  store @m.engine::meta::idx = %1
  jump b3
b2:
  %2 = view narrow(&@buffer, 1, 0, 8) ; 3:5
  store @m.engine::meta::idx = %2
  jump b3
b3:
  return
)ir";
  auto reader = [](std::string_view branch) {
    return std::string(R"ir(
unit reader.cpp
function forward ; 1
  param m "const engine::meta &"
  param c "const engine::config &"
b0:
  %0 = load @c.engine::config::wide
  branch %0 )ir") +
           std::string(branch) +
           R"ir(
b1:
  call consume(&@m.engine::meta::idx : "const at::Tensor &" const as "m.idx" at 2:11) ; 2
  return
b2:
  return
)ir";
  };
  EXPECT_TRUE(run({checked_consumer, writer, reader("b1 b2")})->result->disagreements.empty());
  EXPECT_EQ(run({checked_consumer, writer, reader("b2 b1")})->result->disagreements.size(), 1u);
}

TEST(Solve, DeclaredRequirementsComeFromRowsAndAnnotations) {
  const std::string_view unit = R"ir(
unit u.cpp
function annotated
  param p "float *" contract=contiguous
function by_row ; 1
  param buffer "const at::Tensor &"
b0:
  %1 = view narrow(&@buffer, 1, 0, 8)
  call lib::run(%1) ; 3
  return
function by_annotation ; 5
  param buffer "const at::Tensor &"
b0:
  %1 = view narrow(&@buffer, 1, 0, 8)
  %2 = pointer %1
  call annotated(%2) ; 8
  return
)ir";
  auto s = run({unit}, {{"lib::run", 0, "contiguous", "models.yaml:7"}});
  ASSERT_EQ(s->result->disagreements.size(), 2u);
  EXPECT_EQ(s->result->disagreements[0].where.line, 3u);
  EXPECT_EQ(s->result->disagreements[0].asked.how, evidence::declared);
  EXPECT_EQ(s->result->disagreements[1].where.line, 8u);
}

TEST(Solve, PointerAndSizesWithoutStrideIsUnchecked) {
  auto s = run({R"ir(
unit u.cpp
function kernel_launcher
  param p "const int *"
  param width int
function decode ; 1 
  param idx "const at::Tensor &"
b0:
  %1 = pointer &@idx
  %2 = query size(&@idx, 1)
  call kernel_launcher(%1, %2) ; 4
  return
function decode_pitched ; 6
  param idx "const at::Tensor &"
b0:
  %1 = pointer &@idx
  %2 = query size(&@idx, 1)
  %3 = query stride(&@idx, 0)
  call kernel_launcher(%1, %2, %3)
  return
)ir"});
  ASSERT_EQ(s->result->summaries.size(), 2u);
  ASSERT_EQ(s->result->summaries[0].requirements.size(), 1u);
  EXPECT_EQ(s->result->summaries[0].requirements[0].how, evidence::unchecked);
  EXPECT_TRUE(s->result->summaries[1].requirements.empty());
}

TEST(Solve, ChecksBehindAFunctionThatNeverReturns) {
  auto s = run({R"ir(
unit u.cpp
function my_fail
b0:
  stop throw
function consume ; 5
  param idx "const at::Tensor &"
b0:
  %0 = test contiguous(&@idx)
  branch %0 b2 b1
b1:
  call my_fail()
  jump b2
b2:
  return
)ir"});
  const auto& functions = s->whole.functions();
  for (function_index f = 0; f < functions.size(); ++f)
    if (functions[f]->symbol == ir::name("consume")) {
      EXPECT_EQ(s->result->summaries[f].requirements.size(), 1u);
    }
}

TEST(Solve, CopyBelowARegionIsFoundAndOutsideIsNot) {
  auto s = run({copier, R"ir(
unit runner.cpp
function record ; 1
  param x "const at::Tensor &"
b0:
  call step(&@x) ; 2
  capture begin(1) by cudaStreamBeginCapture ; 3
  call step(&@x) ; 4
  capture end(1) by cudaStreamEndCapture ; 5
  call step(&@x) ; 6
  return
)ir"});
  ASSERT_EQ(s->result->capture_hits.size(), 1u);
  const capture_hit& hit = s->result->capture_hits[0];
  EXPECT_EQ(hit.region.where.line, 3u);
  EXPECT_EQ(hit.source_dense, tri::no);
  EXPECT_EQ(hit.effect.where.line, 2u);
  ASSERT_EQ(hit.effect.path.size(), 2u);
  EXPECT_EQ(hit.effect.path[0].where.line, 4u);
}

TEST(Solve, RegionOpenedByAConstructorAndClosedByADestructor) {
  auto s = run({copier, R"ir(
unit runner.cpp
function guard::guard record=guard method constructor ; 1
  param this "guard &"
b0:
  capture begin(1) by cudaStreamBeginCapture ; 2
  return
function guard::~guard record=guard method destructor ; 4
  param this "guard &"
b0:
  capture end(1) by cudaStreamEndCapture ; 5
  return
function record ; 8
  param x "const at::Tensor &"
  local g guard
b0:
  construct guard::guard(&$g)
  call step(&@x) ; 10
  destroy guard::~guard(&$g)
  call step(&@x) ; 12
  return
)ir"});
  ASSERT_EQ(s->result->capture_hits.size(), 1u);
  EXPECT_EQ(s->result->capture_hits[0].effect.path[0].where.line, 10u);
}

TEST(Solve, CallableRunsInTheRegionOfItsWrapper) {
  auto s = run({copier, R"ir(
unit runner.cpp
function with_capture ; 1
  param body "std::function<void()>"
b0:
  capture begin(1) by cudaStreamBeginCapture ; 2
  %0 = load @body
  call_indirect %0() ; 3
  capture end(1) by cudaStreamEndCapture
  return
function record#0 lambda signature="record (lambda)" ; 8
  param this "lambda"
b0:
  %0 = load @this.x
  call step(&*%0) ; 9
  return
function record ; 7
  param x "const at::Tensor &"
b0:
  %0 = closure record#0 [&x = &@x]
  call with_capture(%0 : "std::function<void()>")
  return
)ir"});
  ASSERT_EQ(s->result->capture_hits.size(), 1u);
  EXPECT_EQ(s->result->capture_hits[0].region.where.line, 2u);
}

TEST(Solve, NotCapturingTestExempts) {
  auto s = run({copier, R"ir(
unit runner.cpp
function careful ; 1
  param x "const at::Tensor &"
b0:
  %0 = test is_capturing()
  branch %0 b2 b1
b1:
  call step(&@x)
  return
b2:
  return
function record ; 8
  param x "const at::Tensor &"
b0:
  capture begin(1) by cudaStreamBeginCapture
  call careful(&@x)
  capture end(1) by cudaStreamEndCapture
  return
)ir"});
  EXPECT_TRUE(s->result->capture_hits.empty());
}

TEST(Solve, LoopsAndRecursionTerminate) {
  auto s = run({checked_consumer, R"ir(
unit u.cpp
function looped ; 1
  param x "const at::Tensor &"
  param n int
  local v at::Tensor
  local i int
b0:
  %0 = load @x
  init $v = %0
  init $i = 0
  jump b1
b1:
  %1 = load $i
  %2 = load @n
  %3 = lt %1, %2
  branch %3 b2 b3 loop
b2:
  %4 = view narrow(&$v, 1, 0, 8)
  store $v = %4
  %5 = add %1, 1
  store $i = %5
  jump b1
b3:
  call consume(&$v)
  return
function recursive ; 20
  param x "const at::Tensor &"
b0:
  %0 = view narrow(&@x, 1, 0, 8)
  call recursive(%0)
  call consume(&@x)
  return
)ir"});
  EXPECT_GE(s->result->summaries.size(), 3u);
}

TEST(Solve, AfterACheckInACalleeItHolds) {
  auto s = run({checked_consumer, R"ir(
unit u.cpp
function twice ; 1
  param x "const at::Tensor &"
b0:
  %0 = view narrow(&@x, 1, 0, 8) ; 2
  call consume(%0) ; 3
  call consume(%0) ; 4
  return
)ir"});
  ASSERT_EQ(s->result->disagreements.size(), 1u);
  EXPECT_EQ(s->result->disagreements[0].where.line, 3u);
}

TEST(Solve, DestroyingALambdaDoesNotRunIt) {
  auto s = run({copier, R"ir(
unit u.cpp
function record#0 lambda signature="record (lambda)" ; 8
  param this "lambda"
b0:
  %0 = load @this.x
  call step(&*%0) ; 9
  return
function record ; 7
  param x "const at::Tensor &"
  local f "(lambda)"
b0:
  capture begin(1) by cudaStreamBeginCapture
  %0 = closure record#0 [&x = &@x]
  init $f = %0
  destroy "(lambda)::~(lambda)"(&$f: "(lambda)")
  capture end(1) by cudaStreamEndCapture
  return
)ir"});
  EXPECT_TRUE(s->result->capture_hits.empty());
}

TEST(Solve, NotCapturingTestOfAStreamExempts) {
  auto s = run({copier, R"ir(
unit runner.cpp
function record ; 8
  param x "const at::Tensor &"
  param stream "CUstream_st *"
b0:
  %0 = load @stream
  capture begin(%0) by cudaStreamBeginCapture
  %1 = test is_capturing(%0)
  branch %1 b2 b1
b1:
  call step(&@x)
  jump b2
b2:
  capture end(%0) by cudaStreamEndCapture
  return
)ir"});
  EXPECT_TRUE(s->result->capture_hits.empty());
}

TEST(Solve, CopyThatLeavesItsRegionEscapes) {
  auto s = run({copier, R"ir(
unit runner.cpp
function record ; 8
  param x "const at::Tensor &"
b0:
  capture begin(1) framework by capture_begin
  %0 = call pack(&@x)
  capture end(1) framework by capture_end
  return %0
)ir"});
  ASSERT_EQ(s->result->capture_hits.size(), 1u);
  EXPECT_TRUE(s->result->capture_hits[0].escapes);
}

TEST(Solve, OneElementAmongOthersIsAtMostMay) {
  auto s = run({checked_consumer, R"ir(
unit u.cpp
function f ; 1
  param x "const at::Tensor &"
  local v "std::vector<at::Tensor>"
b0:
  %0 = maycopy contiguous(&@x)
  store $v[*] = %0
  %1 = view narrow(&@x, 1, 0, 8) ; 4
  store $v[*] = %1
  call consume(&$v[0] : "const at::Tensor &" const) ; 6
  return
)ir"});
  ASSERT_EQ(s->result->disagreements.size(), 1u);
  EXPECT_TRUE(s->result->disagreements[0].may);
}

TEST(Solve, ElementOfAContainerThatWasMadeWithOthers) {
  auto s = run({checked_consumer, R"ir(
unit u.cpp
function f ; 1
  param x "const at::Tensor &"
  local v "std::vector<at::Tensor>"
b0:
  %0 = maycopy contiguous(&@x)
  %1 = list %0
  init $v = %1
  %2 = view narrow(&@x, 1, 0, 8) ; 4
  store $v[*] = %2
  call consume(&$v[0] : "const at::Tensor &" const) ; 6
  return
)ir"});
  ASSERT_EQ(s->result->disagreements.size(), 1u);
  EXPECT_TRUE(s->result->disagreements[0].may);
}

TEST(Solve, OptionalRegionUnderOneFlag) {
  auto s = run({copier, R"ir(
unit runner.cpp
function record ; 8
  param x "const at::Tensor &"
  param graph bool
b0:
  %0 = load @graph
  branch %0 b1 b2
b1:
  capture begin(1) framework by capture_begin
  jump b2
b2:
  branch %0 b4 b3
b3:
  call pack(&@x) ; 20
  jump b5
b4:
  capture end(1) framework by capture_end
  jump b5
b5:
  call pack(&@x) ; 25
  return
)ir"});
  EXPECT_TRUE(s->result->capture_hits.empty());
}

TEST(Solve, LongChainsOfForwarders) {
  std::string unit = "unit chain.cpp\n";
  for (int k = 0; k < 9; ++k) {
    const std::string callee = k == 0 ? "consume" : "g" + std::to_string(k - 1);
    unit += "function g" + std::to_string(k) + " ; " + std::to_string(10 + k) +
            "\n  param x \"const at::Tensor &\"\nb0:\n  call " + callee +
            "(&@x : \"const at::Tensor &\" const)\n  return\n";
  }
  unit +=
      "function top ; 40\n  param x \"const at::Tensor &\"\nb0:\n  %0 = view narrow(&@x, 1, 0, 8)\n  call "
      "g8(%0)\n  return\n";
  auto s = run({checked_consumer, unit});
  EXPECT_EQ(s->result->disagreements.size(), 1u);
}

TEST(Solve, MetadataOfACalleeIsPartOfTheContract) {
  auto s = run({R"ir(
unit u.cpp
function check_rank ; 1
  param t "const at::Tensor &"
b0:
  %0 = query ndim(&@t)
  %1 = eq %0, 2
  branch %1 b2 b1
b1:
  stop throw
b2:
  return
function entry exported ; 9
  param t "const at::Tensor &"
b0:
  call check_rank(&@t : "const at::Tensor &" const)
  return
)ir"});
  for (function_index f = 0; f < s->whole.functions().size(); ++f) {
    ASSERT_EQ(s->result->summaries[f].requirements.size(), 1u);
    EXPECT_EQ(
        describe(s->result->graph, s->result->summaries[f].requirements[0].formula, s->whole.functions()[f]),
        "t.ndim() == 2");
  }
}

TEST(Solve, ConditionsCarryNoStrideAndNoSize) {
  // The pointer is taken only if the tensor is there; its width goes on, its stride does not.
  auto s = run({R"ir(
unit u.cpp
function launch
  param p "const int *"
  param width int
function decode ; 1
  param idx "const std::optional<at::Tensor> &"
  local w int
b0:
  %0 = test present(&@idx)
  branch %0 b1 b2
b1:
  %1 = pointer &@idx
  %2 = query size(&@idx, -1)
  init $w = %2
  jump b3
b2:
  init $w = 0
  jump b3
b3:
  %3 = select %0, %1, 0
  %4 = load $w
  call launch(%3, %4) ; 9
  return
)ir"});
  ASSERT_EQ(s->result->summaries[0].requirements.size(), 1u);
  EXPECT_EQ(s->result->summaries[0].requirements[0].how, evidence::unchecked);
  EXPECT_EQ(
      describe(s->result->graph, s->result->summaries[0].requirements[0].guard, s->whole.functions()[0]),
      "idx.has_value()");
}

TEST(Solve, SameProgramGivesTheSameSolution) {
  auto text = [](const solved& s) {
    std::string out;
    for (const auto& d : s.result->disagreements)
      out +=
          d.function + d.when + std::to_string(d.where.line) + describe(s.result->graph, d.tensor, d.context);
    return out;
  };
  auto a = run({checked_consumer, field_writer});
  auto b = run({checked_consumer, field_writer});
  EXPECT_EQ(text(*a), text(*b));
}

}  // namespace
}  // namespace stridelock::solve
