#include "analyzer/ir/text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <type_traits>

#include "analyzer/ir/random_unit.h"
#include "analyzer/ir/text_words.h"

namespace stridelock::ir {
namespace {

unit parsed(std::string_view text) {
  auto result = parse(text, "test.ir");
  if (const auto* e = std::get_if<parse_error>(&result)) {
    ADD_FAILURE() << e->str() << "\n" << text;
    return {};
  }
  return std::get<unit>(std::move(result));
}

std::string error_of(std::string_view text) {
  auto result = parse(text, "test.ir");
  const auto* e = std::get_if<parse_error>(&result);
  return e == nullptr ? "no error" : e->str();
}

const instruction& only_instruction(const unit& u) {
  return u.functions.at(0).blocks.at(0).body.at(0);
}

// The instruction `text` in a function that declares what the tests below name.
unit with_instruction(const std::string& text) {
  return parsed("function f\n  param x \"const at::Tensor &\"\n  param n int\n  local t at::Tensor\nb0:\n  " +
                text + "\n  return\n");
}

// ---- round trip
// ----------------------------------------------------------------------------------------------

TEST(Text, RandomUnitsComeBackEqual) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const unit u = random_unit(seed);
    const std::string text = print(u);
    auto back = parse(text, "random");
    ASSERT_TRUE(std::holds_alternative<unit>(back))
        << "seed " << seed << ": " << std::get<parse_error>(back).str() << "\n"
        << text;
    ASSERT_TRUE(std::get<unit>(back) == u) << "seed " << seed << "\n" << text;
    ASSERT_EQ(print(std::get<unit>(back)), text) << "seed " << seed;
  }
}

// The generator would prove little if it left out an instruction.
TEST(Text, RandomUnitsHoldEveryInstruction) {
  std::vector<bool> payloads(std::variant_size_v<payload>), ends(std::variant_size_v<terminator>);
  for (std::uint64_t seed = 0; seed < 300; ++seed)
    for (const unit u = random_unit(seed); const function& f : u.functions)
      for (const block& b : f.blocks) {
        ends[b.end.index()] = true;
        for (const instruction& i : b.body) payloads[i.what.index()] = true;
      }
  for (std::size_t i = 0; i < payloads.size(); ++i) EXPECT_TRUE(payloads[i]) << "payload " << i;
  for (std::size_t i = 0; i < ends.size(); ++i) EXPECT_TRUE(ends[i]) << "terminator " << i;
}

TEST(Text, WordTablesCoverTheEnumerations) {
  EXPECT_EQ(words::expr_word(static_cast<std::size_t>(expr_op::aggregate)), "aggregate");
  EXPECT_EQ(words::expr_word(static_cast<std::size_t>(expr_op::floating)), "floating");
  EXPECT_EQ(words::expr_op_count, static_cast<std::size_t>(expr_op::floating) + 1);
  EXPECT_EQ(words::call_kind[static_cast<std::size_t>(call_kind::launch)], "launch");
  EXPECT_EQ(words::memory_space[static_cast<std::size_t>(memory_space::managed)], "managed");
  EXPECT_EQ(words::view_op[static_cast<std::size_t>(view_op::opaque)], "opaque");
  EXPECT_EQ(words::view_op[static_cast<std::size_t>(view_op::as_strided)], "as_strided");
  EXPECT_EQ(words::copy_op[static_cast<std::size_t>(copy_op::copy)], "copy");
  EXPECT_EQ(words::query_op[static_cast<std::size_t>(query_op::strides)], "strides");
  EXPECT_EQ(words::predicate[static_cast<std::size_t>(predicate::aligned)], "aligned");
  EXPECT_EQ(words::effect_op[static_cast<std::size_t>(effect_op::grows)], "grows");
  EXPECT_EQ(words::capture_op[static_cast<std::size_t>(capture_op::mode_pop)], "mode_pop");
  EXPECT_EQ(words::capture_mode[static_cast<std::size_t>(capture_mode::relaxed)], "relaxed");
  EXPECT_EQ(words::passing[static_cast<std::size_t>(passing::rvalue_reference)], "rvalue_reference");
  EXPECT_EQ(words::stop_kind[static_cast<std::size_t>(stop_kind::error_return)], "error_return");
  EXPECT_EQ(words::unit_state[static_cast<std::size_t>(unit_state::failed)], "failed");
}

// ---- by hand
// -------------------------------------------------------------------------------------------------

TEST(Text, SmallFunctionByHand) {
  const unit u = parsed(R"ir(
    // a comment
    function build
      param buffer "at::Tensor &"
      param n long
      local view at::Tensor
    b0:
      %0 = call at::Tensor::narrow(&@buffer, 1, 0, 256) method -> at::Tensor   ; 12:5 "buffer.narrow(1, 0, 256)"
      init $view = %0
      %1 = call at::TensorBase::is_contiguous(&$view) method record=at::Tensor
      branch %1 b1 b2
    b1:
      launch kernel<<<1, 2, 0, _>>>(%0)
      return %0
    b2:
      stop throw
  )ir");
  ASSERT_EQ(u.functions.size(), 1u);
  const function& f = u.functions[0];
  EXPECT_EQ(f.symbol, name("build"));
  EXPECT_EQ(f.qualified, name("build"));
  EXPECT_EQ(f.signature, name("build"));
  EXPECT_EQ(f.value_count, 2u);
  EXPECT_EQ(f.params[0].how, passing::reference);
  EXPECT_EQ(f.params[0].record, name("at::Tensor"));
  EXPECT_EQ(f.params[1].record, name());
  EXPECT_EQ(f.locals[0].record, name("at::Tensor"));
  const auto& narrow = std::get<call>(f.blocks[0].body[0].what);
  EXPECT_EQ(narrow.symbol, narrow.callee);
  EXPECT_EQ(narrow.record, name("at::Tensor"));
  EXPECT_TRUE(narrow.is_method);
  ASSERT_EQ(narrow.args.size(), 4u);
  EXPECT_EQ(narrow.args[0].what, operand(address_of{place{root_kind::param, 0, {}, {}}}));
  EXPECT_EQ(narrow.args[3].what, operand(integer{256, {}}));
  EXPECT_EQ(f.blocks[0].body[0].where, (location{name(), 12, 5}));
  EXPECT_EQ(f.blocks[0].body[0].spelling, name("buffer.narrow(1, 0, 256)"));
  EXPECT_EQ(f.blocks[0].end, terminator(branch{value_ref{1}, 1, 2, false}));
  EXPECT_EQ(std::get<call>(f.blocks[1].body[0].what).config.size(), 4u);
  EXPECT_EQ(f.blocks[2].end, terminator(stop{stop_kind::throw_}));
}

TEST(Text, LocationsInheritTheFile) {
  const unit u = parsed(R"ir(
    unit a.cu
    function f ; b.h:3
    b0:
      %0 = unknown why ; 4
      %1 = unknown why ; c.h:5:6
      return ; 7:8
    function g ; 9
    b0:
      return ; 10
  )ir");
  EXPECT_EQ(u.functions[0].where, (location{"b.h", 3, 0}));
  EXPECT_EQ(u.functions[0].blocks[0].body[0].where, (location{"b.h", 4, 0}));
  EXPECT_EQ(u.functions[0].blocks[0].body[1].where, (location{"c.h", 5, 6}));
  EXPECT_EQ(u.functions[0].blocks[0].where, (location{"b.h", 7, 8}));
  EXPECT_EQ(u.functions[1].where, (location{"a.cu", 9, 0}));
  EXPECT_EQ(u.functions[1].blocks[0].where, (location{"a.cu", 10, 0}));
}

TEST(Text, Places) {
  const unit u = with_instruction("%0 = load @x.engine::params::eidx[2][*].*.data : \"at::Tensor &\"");
  const auto& l = std::get<load>(only_instruction(u).what);
  EXPECT_EQ(l.from.root, root_kind::param);
  ASSERT_EQ(l.from.path.size(), 5u);
  EXPECT_EQ(l.from.path[0], (step{step_kind::field, "engine::params", "eidx", 0}));
  EXPECT_EQ(l.from.path[1], (step{step_kind::element, {}, {}, 2}));
  EXPECT_EQ(l.from.path[2].kind, step_kind::any_element);
  EXPECT_EQ(l.from.path[3].kind, step_kind::deref);
  EXPECT_EQ(l.from.path[4], (step{step_kind::field, {}, "data", 0}));

  const unit second = with_instruction("store ::\"table@a.cpp\".x = &*%3.y");
  const auto& g = std::get<store>(only_instruction(second).what);
  EXPECT_EQ(g.to.symbol, name("table@a.cpp"));
  EXPECT_EQ(std::get<address_of>(g.what).where.root, root_kind::value);
  EXPECT_EQ(std::get<address_of>(g.what).where.number, 3u);
}

TEST(Text, DefaultsFollowTheType) {
  const unit u = parsed(R"ir(
    function f
      param a "const at::Tensor &"
      param b "const float *"
      param c "const std::vector<int> &&"
      param d "const int" to_const=yes
      param e "float *const &"
  )ir");
  const auto& p = u.functions[0].params;
  EXPECT_EQ(p[0].how, passing::const_reference);
  EXPECT_TRUE(p[0].to_const);
  EXPECT_TRUE(p[1].is_pointer);
  EXPECT_TRUE(p[1].to_const);
  EXPECT_EQ(p[1].record, name());
  EXPECT_EQ(p[2].how, passing::rvalue_reference);
  EXPECT_EQ(p[2].record, name("std::vector"));
  EXPECT_TRUE(p[3].to_const);
  EXPECT_EQ(p[3].how, passing::value);
  EXPECT_EQ(p[4].how, passing::const_reference);
  EXPECT_TRUE(p[4].is_pointer);
  EXPECT_FALSE(p[4].to_const);
}

TEST(Text, PrintsByHandFormAgain) {
  // Indentation, defaults and order as the printer chooses them: what a reader sees.
  const std::string text = R"ir(stridelock-ir 1
unit a.cpp

function f ; 1
  param x "const at::Tensor &"
  local t at::Tensor
b0:
  %0 = call at::Tensor::narrow(&@x, 1, 0, 256: long as "k") method -> at::Tensor ; 2:3 "x.narrow(1, 0, k)"
  init $t = %0
  %1 = load $t : at::Tensor
  %2 = add %1, -1 : i32
  %3 = aggregate engine::params {eidx = %1, n = 3(engine::mode::decode)}
  branch %2 b1 b2 loop
b1:
  capture begin(%1) global by cudaStreamBeginCapture
  return %3
b2: handler
  stop throw
end
)ir";
  EXPECT_EQ(print(parsed(text)), text);
}

// ---- bad input
// -----------------------------------------------------------------------------------------------

TEST(TextError, SaysWhereAndWhatWasExpected) {
  EXPECT_EQ(error_of("function f\nb0:\n  %0 = laod $x\n"),
            "test.ir:3:8: error: expected an instruction (load, store, call, add, view, …), found 'laod'");
  EXPECT_EQ(error_of("function f\nb0:\n  %0 = load x\n"),
            "test.ir:3:13: error: expected a place ($local, @param, ::global, *%value), found 'x'");
  EXPECT_EQ(error_of("function f\nb0:\n  %0 = load $x\n"),
            "test.ir:3:14: error: expected a declared local variable, found 'x'");
  EXPECT_EQ(error_of("function f\nb0:\n  jump b4\n"),
            "test.ir:4:1: error: expected a block 'b4:' in 'f', which line 3 names, found only 1");
  EXPECT_EQ(error_of("function f\nb0:\n  %0 = add 1, 2 :\n"),
            "test.ir:3:18: error: expected the width of an integer (i32, u64), found end of line");
  EXPECT_EQ(error_of("stridelock-ir 2\n"), "test.ir:1:15: error: expected schema version 1, found 2");
}

struct bad_text {
  const char* text;
  const char* expected;  // part of the message
};
class TextErrors : public testing::TestWithParam<bad_text> {};
TEST_P(TextErrors, IsOneError) {
  EXPECT_NE(error_of(GetParam().text).find(GetParam().expected), std::string::npos)
      << error_of(GetParam().text);
}
INSTANTIATE_TEST_SUITE_P(
    Cases, TextErrors,
    testing::Values(
        bad_text{"stridelock-ir 1\nunit a\n", "found end of file: the text is incomplete"},
        bad_text{"function f\nb0:\n", "expected a terminator"},
        bad_text{"function f\nb0:\nb1:\n  return\n", "expected a terminator"},
        bad_text{"function f\nb1:\n  return\n", "expected 'b0:'"},
        bad_text{"function f\nb0:\n  return\n  return\n", "expected a new block after a terminator"},
        bad_text{"function f\n  return\n", "expected instructions inside a block"},
        bad_text{"return\n", "expected instructions inside a block"},
        bad_text{"param x int\n", "expected 'param' between"},
        bad_text{"field x int\n", "expected 'field' below 'record'"},
        bad_text{"what\n", "expected an instruction or one of function"},
        bad_text{"function f\n  local x int\n  local x int\nb0:\n  scope_end $x\n  return\n",
                 "more than one is called 'x'"},
        bad_text{"function f\nb0:\n  scope_end $0\n  return\n", "expected a local variable below 0"},
        bad_text{"function f\nb0:\n  unused %16777216\n  return\n", "expected a number up to 16777215"},
        bad_text{"function f\nb0:\n  unused %99999999999999999999\n  return\n",
                 "expected a number up to 16777215"},
        bad_text{"function f values=1\nb0:\n  unused %1\n  return\n", "expected values below values=1"},
        bad_text{"function f values=4294967295\n", "expected a number up to 16777216"},
        bad_text{"function f\nb0:\n  return 9223372036854775808\n",
                 "expected a number up to 9223372036854775807"},
        bad_text{"function f\nb0:\n  return \"abc\n", "expected '\"' at the end of this string"},
        bad_text{"function f\nb0:\n  return \"\\q\"\n", "found another escape"},
        bad_text{"function f\nb0:\n  return \"\\x1\"\n", "two hexadecimal digits"},
        bad_text{"function f\nb0:\n  return \"\\", "another escape"},
        bad_text{"function \xFF\n", "expected UTF-8"},
        bad_text{"function f\nb0:\n  %0 = store ::x = 1\n  return\n", "which has none"},
        bad_text{"function f\nb0:\n  %0 = return\n", "found a terminator"},
        bad_text{"end\nfunction f\n", "nothing after 'end'"},
        bad_text{"unit a\nunit b\n", "found a second one"},
        bad_text{"function f\nb0:\n  %0 = view narow(%0)\n", "one of narrow, slice"},
        bad_text{"function f frobnicate\n", "one of qualified="}));

TEST(TextError, MutatedTextNeverCrashes) {
  std::mt19937_64 random(1);
  std::size_t refused = 0;
  for (int round = 0; round < 200; ++round) {
    const std::string text = print(random_unit(static_cast<std::uint64_t>(round)));
    for (int mutation = 0; mutation < 100; ++mutation) {
      std::string changed = text;
      for (int n = 1 + static_cast<int>(random() % 3); n > 0 && !changed.empty(); --n) {
        const std::size_t at = random() % changed.size();
        switch (random() % 4) {
          case 0:
            changed[at] = static_cast<char>(random());
            break;
          case 1:
            changed.erase(at, 1 + random() % 8);
            break;
          case 2:
            changed.insert(at, 1, "\"%&$@:;,()[]{}=-> \n0b9x\\"[random() % 24]);
            break;
          default:
            changed.resize(at);
        }
      }
      auto result = parse(changed, "mutated");
      if (const auto* u = std::get_if<unit>(&result)) {
        // What is accepted must be stable, too.
        const std::string again = print(*u);
        auto back = parse(again, "again");
        ASSERT_TRUE(std::holds_alternative<unit>(back)) << std::get<parse_error>(back).str() << "\n"
                                                        << changed;
        ASSERT_EQ(print(std::get<unit>(back)), again);
      } else {
        ++refused;
        ASSERT_FALSE(std::get<parse_error>(result).message.empty());
      }
    }
  }
  EXPECT_GT(refused, 1000u);
}

TEST(TextError, LongAndDeepInputIsLinear) {
  std::string deep = "function f\nb0:\n  %0 = load *%0";
  for (int i = 0; i < 1'000'000; ++i) deep += ".*";
  EXPECT_EQ(error_of(deep + "\n  return\n"), "no error");
  EXPECT_NE(error_of("function f\nb0:\n  return " + std::string(1'000'000, '(')), "no error");
  EXPECT_NE(error_of(std::string(1'000'000, '"')), "no error");
}

}  // namespace
}  // namespace stridelock::ir
