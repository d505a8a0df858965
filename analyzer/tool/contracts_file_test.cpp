#include "analyzer/tool/contracts_file.h"

#include <gtest/gtest.h>

#include "analyzer/tool/failure.h"

namespace stridelock::tool {
namespace {

std::string refusal(const std::string& bytes) {
  try {
    parse_contracts(bytes, "k.yaml");
  } catch (const failure& f) {
    return f.what();
  }
  return "(accepted)";
}

TEST(ContractsFile, ReadsRows) {
  const auto rows = parse_contracts(
      "schema: 1\n"
      "contracts:\n"
      "  - function: sparse_mla::run\n"
      "    requires:\n"
      "      - {param: 3, layout: contiguous}\n"
      "      - {param: 0, layout: 'row_pitched; int32'}\n"
      "  - {function: 'lib::*', requires: [{param: 1, layout: contiguous}]}\n",
      "k.yaml");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].callee, "sparse_mla::run");
  EXPECT_EQ(rows[0].argument, 3u);
  EXPECT_EQ(rows[0].text, "contiguous");
  EXPECT_EQ(rows[0].source, "k.yaml:5");
  EXPECT_EQ(rows[1].text, "row_pitched; int32");
  EXPECT_EQ(rows[2].callee, "lib::*");
}

TEST(ContractsFile, RefusalsSayWhereAndWhatWasExpected) {
  const std::string head = "schema: 1\ncontracts:\n  - ";
  for (const auto& [bytes, expected] : std::vector<std::pair<std::string, std::string>>{
           {"", "expected the keys schema and contracts"},
           {"schema: 2\ncontracts: []\n", "expected schema: 1"},
           {"contracts: []\n", "expected schema: 1"},
           {"schema: 1\n", "expected a list `contracts`"},
           {"schema: 1\ncontract: []\n", "did you mean 'contracts'?"},
           {head + "a\n", "expected {function"},
           {head + "{function: f}\n", "'f' needs the key `requires`"},
           {head + "{requires: []}\n", "expected the key `function`"},
           {head + "{function: 'a*b', requires: []}\n", "only at the end"},
           {head + "{function: f, requires: [{param: 1}]}\n", "expected the key `layout`"},
           {head + "{function: f, requires: [{param: 0, layout: contigous}]}\n",
            "\"contigous\": 'contigous' is neither"},
           {head + "{function: f, requires: [{layout: contiguous}]}\n", "expected the key `param`"},
           {head + "{function: f, requires: [{param: -1, layout: contiguous}]}\n", "found '-1'"},
           {head + "{function: f, requires: [{param: 256, layout: contiguous}]}\n", "found '256'"},
           {head + "{function: f, requires: [{parm: 1, layout: contiguous}]}\n", "did you mean 'param'?"},
           {"schema: [", "k.yaml:1"}}) {
    const std::string message = refusal(bytes);
    EXPECT_NE(message.find(expected), std::string::npos) << bytes << "\n" << message;
    EXPECT_EQ(message.rfind("k.yaml", 0), 0u) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace stridelock::tool
