#include "stridelock/contract_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>

#include "contracts/yaml/same.h"
#include "stridelock/evaluate.h"
#include "stridelock/message.h"

namespace stridelock {
namespace {

constexpr index_t heads_and_widths[][2] = {{64, 512}, {128, 512}};

constexpr index_t one_and_two[][1] = {{1}, {2}};

constexpr descriptor_rule boxed = [] {
  descriptor_rule r;
  r.swizzled = swizzle::bytes_128;
  r.has_box = true;
  r.box[0] = r.box[1] = 64;
  r.element_strides[0] = r.element_strides[1] = 1;
  return r;
}();

constexpr auto decode = make_contract("decode",
                                      arg("q")
                                          .type(types::bfloat16, checked_at("a.cu:1"))
                                          .or_type(types::float16)
                                          .shape(sym("T"), sym("H"), 512),
                                      arg("indices")
                                          .type(types::int32.meaning(tag::index))
                                          .shape(sym("T"), sym("W"))
                                          .strides(sym("P"), 1)
                                          .extent_by(1, unchecked())
                                          .stride_by(0, checked_at("a.cu:8"))
                                          .or_shape(sym("T"), 1, rounded_up(2 * sym("W") + 1, 8))
                                          .shape_by(inferred_from("a.cu:7"))
                                          .layout(notion::dense, unchecked("decode: kernel.cuh, line 3"))
                                          .aligned(16)
                                          .bounded("lengths", "scratch", checked_at("a.cu:9")),
                                      arg("lengths")
                                          .rank_in({1, 2})
                                          .optional()
                                          .on(device_kind::cpu, checked_at("a.cu:4"))
                                          .collapsible(0, 1)
                                          .suffix_dense(1),
                                      arg("out")
                                          .shape(sym("T"), any, sym("H") - 1)
                                          .output(checked_at("b:1"))
                                          .index_bits(32)
                                          .stable()
                                          .descriptor_legal(boxed, inferred_from("a.cu:5"))
                                          .disjoint_from("q", unchecked())
                                          .same_view_or_disjoint("indices")
                                          .same_memory_as("lengths", checked_at("c:1"))
                                          .required_by(checked_at("a.cu:6"))
                                          .up_to_tile(64, stale_policy::must_be_cleared, unchecked()))
                            .when(sym("T") <= parameter("decode_max_tokens"))
                            .when(one_of({sym("H"), sym("W")}, heads_and_widths))
                            .when(because(capability_between({12, 0}, {12, 1}), checked_at("x:1")))
                            .when(is_absent("lengths"))
                            .needs(divisible(sym("W"), 128), unchecked());
constexpr auto paged = make_contract("paged", arg("q"), arg("indices").shape(sym("T"), sym("W")),
                                     arg("lengths").optional(), arg("out"))
                           .when(sym("T") > parameter("decode_max_tokens"))
                           .when(none_of({sym("W")}, one_and_two));
constexpr auto attention =
    make_dispatch("attention", decode, paged)
        .with(library_parameter("decode_max_tokens", {8, 24, 64}, "flashinfer", "0.6.18", "a.py:74"))
        .otherwise_refused("no kernel: by design");

contract_file from_code() {
  contract_file f;
  f.library = {"flashinfer", "0.6.18", "sha256:00ff"};
  f.functions = {
      {"lib::run", 3, "contiguous", 0}, {"lib::run", 0, "row_pitched; int32", 0}, {"lib::*", 1, "dense", 0}};
  f.add(attention.view());
  f.add(paged.view());
  return f;
}

std::string golden() {
  std::ifstream in(GOLDEN_CONTRACTS);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(ContractFile, WritesWhatItReads) {
  const contract_text first = write_contract_file(from_code());
  ASSERT_TRUE(first.ok) << first.error;
  EXPECT_EQ(first.yaml, golden());
  const contract_file_result read = read_contract_file(first.yaml, "f.yaml");
  ASSERT_TRUE(read.ok) << read.error.str();
  ASSERT_EQ(read.file.size(), 2);
  EXPECT_EQ(yaml::difference(*read.file.find("attention"), attention.view()), "");
  EXPECT_EQ(read.file.library, from_code().library);
  EXPECT_TRUE(read.file.is_single(1));
  const contract_text second = write_contract_file(read.file);
  ASSERT_TRUE(second.ok) << second.error;
  EXPECT_EQ(second.yaml, first.yaml);
}

TEST(ContractFile, AFunctionThatAsksNothingIsKept) {
  const std::string text = "schema: 1\ncontracts:\n  - function: lib::run\n    requires: []\n";
  const contract_file_result read = read_contract_file(text, "f.yaml");
  ASSERT_TRUE(read.ok) << read.error.str();
  EXPECT_EQ(read.file.functions_that_ask_nothing, std::vector<std::string>{"lib::run"});
  const contract_text again = write_contract_file(read.file);
  ASSERT_TRUE(again.ok) << again.error;
  EXPECT_EQ(again.yaml, text);
}

TEST(ContractFile, EvaluatesAsTheContractItWasWrittenFrom) {
  const contract_text text = write_contract_file(from_code());
  ASSERT_TRUE(text.ok) << text.error;
  contract_file_result read = read_contract_file(text.yaml, "f.yaml");
  ASSERT_TRUE(read.ok);
  const contract_file file = std::move(read.file);  // views stay good
  const dispatch_view& from_yaml = *file.find("attention");

  std::mt19937_64 random(1);
  const auto pick = [&](std::initializer_list<index_t> from) { return from.begin()[random() % from.size()]; };
  alignas(256) static char memory[256];
  int verdicts[4] = {};
  for (int i = 0; i < 4000; ++i) {
    const index_t T = pick({0, 1, 2, 8, 9, 24, 25, 64, 65}), H = pick({64, 128, 96}), W = pick({512, 256, 1});
    const device gpu{device_kind::cuda, 0};
    const tensor_desc q =
        tensor_desc::dense("q", random() % 8 == 0 ? types::int8 : types::bfloat16, {T, H, 512}, gpu, memory);
    const tensor_desc indices =
        tensor_desc::strided("i", types::int32, {pick({T, T, T, 3}), W}, {pick({W, W, 1024}), 1}, gpu,
                             memory + pick({0, 0, 0, 4}));
    const tensor_desc lengths = tensor_desc::dense("l", types::int32, {T}, {device_kind::cpu, 0}, memory);
    const tensor_desc out = tensor_desc::strided("o", types::float32, {T, 3, H - 1},
                                                 {pick({3 * (H - 1), 0}), H - 1, 1}, gpu, memory);
    const argument_value arguments[] = {argument_value(q.ref()), argument_value(indices.ref()),
                                        random() % 3 == 0 ? argument_value(lengths.ref()) : argument_value(),
                                        argument_value(out.ref())};
    evaluation_context context;
    context.device_capability = {static_cast<std::int32_t>(pick({10, 12})), 0};
    const report a = evaluate(attention.view(), arguments, 4, context);
    const report b = evaluate(from_yaml, arguments, 4, context);
    ASSERT_EQ(a.result(), b.result());
    ASSERT_EQ(stridelock::text(a), stridelock::text(b));
    ++verdicts[static_cast<int>(a.result())];
  }
  for (int count : verdicts) EXPECT_GT(count, 20);
}

TEST(ContractFile, WhatYamlCannotSayIsAnErrorNotLost) {
  static constexpr auto odd_symbol = make_contract("f", arg("x").shape(sym("number of rows")));
  contract_file symbol_file;
  symbol_file.add(odd_symbol.view());
  EXPECT_EQ(write_contract_file(symbol_file).error,
            "'f': an expression of 'number of rows' has no text: a name is letters, digits, '_' "
            "and '.'");

  static constexpr auto odd_kernel =
      make_contract("line\x01two \"q\" \\ {a: b} # c", arg("x: y").shape(sym("T")));
  contract_file kernel_file;
  kernel_file.add(odd_kernel.view());
  const contract_text quoted = write_contract_file(kernel_file);
  EXPECT_TRUE(quoted.ok) << quoted.error;

  static constexpr auto nameless = make_contract("", arg("x"));
  contract_file nameless_file;
  nameless_file.add(nameless.view());
  EXPECT_EQ(write_contract_file(nameless_file).error, "it would not read back: expected a name, found ''");

  argument any_rank = arg("x").shape(sym("T"));
  any_rank.ranks = 0;  // no builder does this
  symbol s{"T", true};
  contract_view hand_made;
  hand_made.kernel = "g";
  hand_made.arguments = &any_rank;
  hand_made.argument_count = 1;
  hand_made.symbols = &s;
  hand_made.symbol_count = 0;  // T is not numbered
  contract_file hand_made_file;
  hand_made_file.add(hand_made);
  EXPECT_EQ(write_contract_file(hand_made_file).error,
            "'g': this would be lost: branch 'g': the number of symbols");

  static constexpr auto undeclared = make_dispatch("d", paged);
  contract_file undeclared_file;
  undeclared_file.add(undeclared.view());
  EXPECT_EQ(write_contract_file(undeclared_file).error,
            "it would not read back: unknown parameter 'decode_max_tokens' The dispatch has none");
}

TEST(ContractFile, ArgumentsThatAllBranchesShare) {
  const contract_file_result r = read_contract_file(R"(schema: 1
contracts:
  - dispatch: d
    arguments:
      - {name: x, shape: [T, W], requires: [dense]}
      - {name: y, type: int32}
    branches:
      - {kernel: a, when: [T <= 8]}
      - kernel: b
        when: [T > 8]
        arguments:
          - {name: x, shape: [T, W]}
)",
                                                    "f.yaml");
  ASSERT_TRUE(r.ok) << r.error.str();
  const dispatch_view& d = *r.file.find("d");
  ASSERT_EQ(d.branch_count, 2);
  EXPECT_EQ(d.branches[0].arguments[0].requirement_count, 1);
  EXPECT_EQ(d.branches[1].arguments[0].requirement_count, 0);
  EXPECT_EQ(d.branches[1].arguments[1].type_count, 1);
}

std::string refusal(const std::string& yaml) {
  const contract_file_result r = read_contract_file(yaml, "k.yaml");
  return r.ok ? "(accepted)" : r.error.str();
}

TEST(ContractFile, RefusalsSayWhereAndWhatWasExpected) {
  const std::string head = "schema: 1\ncontracts:\n  - ";
  for (const auto& [yaml, expected] : std::vector<std::pair<std::string, std::string>>{
           {"", "k.yaml:1:1: error: expected the keys schema and contracts, found nothing"},
           {"schema: 2\ncontracts: []\n", "k.yaml:1:9: error: expected schema: 1"},
           {"schema: 1\ncontract: []\n",
            "k.yaml:2:1: error: unknown key 'contract'; did you mean 'contracts'? Known: schema, "
            "library and contracts"},
           {"schema: 1\nlibrary: {nam: x}\ncontracts: []\n",
            "k.yaml:2:11: error: unknown key 'nam'; did you mean 'name'?"},
           {head + "{kernel: f, argument: []}\n",
            "k.yaml:3:17: error: unknown key 'argument'; did you mean 'arguments'? Known: kernel, refused,"},
           {head + "{kernel: f, branches: []}\n", "unknown key 'branches' Known: kernel, refused"},
           {head + "{dispatch: f}\n", "expected the key `branches`"},
           {head + "{dispatch: f, branches: []}\n", "expected 1 to 100 branches"},
           {head + "{kernel: f, arguments: [{name: x, type: int33}]}\n",
            "k.yaml:3:45: error: expected a type, such as int32"},
           {head + "{kernel: f, arguments: [{name: x, shape: [T, 'U +']}]}\n",
            "expression 'U +': expected a number at ''"},
           {head + "{kernel: f, arguments: [{name: x, shape: [T, U, T, T, T, T, T, T, T]}]}\n",
            "expected at most 8 dimensions"},
           {head + "{kernel: f, arguments: [{name: x, requires: [dens]}]}\n",
            "'dens' is no fact. Known: dense"},
           {head + "{kernel: f, arguments: [{name: x, requires: [{is: dense, evidence: "
                   "guessed}]}]}\n",
            "expected declared, checked, inferred or unchecked, found 'guessed'"},
           {head + "{kernel: f, when: [T <= 3], arguments: [{name: x}]}\n",
            "'f': symbol 'T' is bound by no extent or stride; write $T for a library parameter"},
           {head + "{kernel: f, when: [{present: y}], arguments: [{name: x}]}\n",
            "'f': there is no argument 'y'"},
           {head + "{kernel: f, arguments: [{name: x}, {name: x}]}\n", "a second 'x'"},
           {head + "{kernel: f}\n  - {kernel: f}\n",
            "k.yaml:4:14: error: expected each contract once, found a second 'f'"},
           {head + "{kernel: f, when: [{one_of: [T, U], rows: [[1]]}], arguments: [{name: x, "
                   "shape: [T, U]}]}\n",
            "expected 2 numbers in a row"},
           {head + "{kernel: f, when: [{capability: 12}]}\n",
            "expected a compute capability, such as 12.0, found '12'"},
           {head + "{kernel: f, when: [{capability: [12.1, 12.0]}]}\n",
            "expected the lower capability first"},
           {head + "{dispatch: d, parameters: [{name: limit, values: [1]}], branches: [{kernel: "
                   "f, when: [T <= $limt], arguments: [{name: x, shape: [T]}]}]}\n",
            "unknown parameter 'limt'; did you mean 'limit'?"},
           {head + "{dispatch: d, branches: [{kernel: f, arguments: [{name: x}]}, {kernel: g, "
                   "arguments: [{name: y}]}]}\n",
            "expected the arguments of 'f' in the same order"},
           {head + "{dispatch: d, branches: [{kernel: f}, {otherwise: g, when: []}]}\n",
            "expected no further key"},
           {head + "{dispatch: d, parameters: [{name: p, values: []}], branches: [{kernel: f}]}\n",
            "expected 1 to 8 values, found 0"},
           {head + "{}\n", "expected the key `function`, `dispatch` or `kernel`"},
           {head + "a\n", "expected {function: …, requires: […]}, {dispatch: …} or {kernel: …}, found 'a'"},
       })
    EXPECT_NE(refusal(yaml).find(expected), std::string::npos) << yaml << "\n" << refusal(yaml);
}

TEST(ContractFile, LengthsThatAreNoArgument) {
  const auto read = [](const std::string& reads) {
    return read_contract_file(
        "schema: 1\ncontracts:\n  - kernel: k\n    arguments:\n      - {name: x, reads: " + reads +
            "}\n      - {name: lengths, optional: true}\n",
        "k.yaml");
  };
  EXPECT_TRUE(read("{bounded_by: lengths}").ok);
  EXPECT_NE(read("{bounded_by: lenghts}").error.str().find("bounded_by 'lenghts', which is no argument"),
            std::string::npos);
  EXPECT_FALSE(read("{bounded_by: lengths, bounded_outside: more}").ok);
  const contract_file_result outside = read("{bounded_outside: lenghts}");
  ASSERT_TRUE(outside.ok) << outside.error.str();
  const contract_text text = write_contract_file(outside.file);
  ASSERT_TRUE(text.ok) << text.error;
  EXPECT_NE(text.yaml.find("bounded_outside: lenghts"), std::string::npos) << text.yaml;
}

TEST(ContractFile, DeepNestingIsAnErrorNotAStackOverflow) {
  for (const char* open : {"[", "- ", "{a: ", "? "}) {
    std::string deep = "schema: 1\ncontracts: ";
    if (open[0] == '-' || open[0] == '?') deep += "\n  ";
    for (int i = 0; i < 50000; ++i) deep += open;
    EXPECT_NE(refusal(deep).find("error: "), std::string::npos) << open;
  }
}

TEST(ContractFile, TooManySymbols) {
  std::string shapes;
  for (int i = 0; i < 17; ++i)
    shapes += (i > 0 ? ", " : "") + std::string("{name: a") + std::to_string(i) + ", shape: [S" +
              std::to_string(i) + "]}";
  EXPECT_NE(refusal("schema: 1\ncontracts:\n  - {kernel: f, arguments: [" + shapes + "]}\n")
                .find("at most 16 symbols in a branch, found 17"),
            std::string::npos);
}

}  // namespace
}  // namespace stridelock
