#include "analyzer/models/schema.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "analyzer/models/model_set.h"

namespace stridelock::models {
namespace {

std::string error_of(std::string_view text) {
  auto result = read_model_file(text, "m.yaml");
  const auto* e = std::get_if<model_error>(&result);
  return e == nullptr ? "no error" : e->str();
}
const std::string head = "schema: 1\nlibrary: x\n";
std::string row_error(const std::string& row) {
  return error_of(head + "functions:\n  - " + row + "\n");
}

TEST(Schema, ReadsEveryKindOfRow) {
  auto result = read_model_file(head + R"(provenance: measured
types:
  - {name: a::tensor, bases: [a::base], handle: pointer}
fields:
  - {record: r, field: nb, query: stride_bytes, from_last: true}
  - {record: r, field: data, pointer: {includes_offset: false}}
  - {record: p, field: first, element: 0}
functions:
  - call: [a::narrow, "a::operator*", "a::f*"]
    min_args: 2
    max_args: 5
    when_args: {1: {enumerator: [e1, e2], value: [3], type: t}}
    view: {op: narrow, of: 0, args: [1, {const: -2}, none, {rest: 3}, {from_last: 2}, [1, 2]], in_place: true}
    effects: [{op: grows, stream: 1}]
    requires: [{param: 1, layout: "contiguous; int32"}]
    noreturn: true
)",
                                "m.yaml");
  ASSERT_TRUE(std::holds_alternative<model_file>(result)) << std::get<model_error>(result).str();
  const auto& file = std::get<model_file>(result);
  EXPECT_EQ(file.provenance, "measured");
  EXPECT_EQ(file.types.at(0).handle, handle_kind::pointer);
  EXPECT_EQ(std::get<query_action>(file.fields.at(0).what).op, ir::query_op::stride_bytes);
  EXPECT_FALSE(std::get<pointer_action>(file.fields.at(1).what).includes_offset);
  EXPECT_EQ(std::get<std::uint32_t>(file.fields.at(2).what), 0u);
  const function_row& row = file.functions.at(0);
  EXPECT_EQ(row.calls.size(), 3u);
  EXPECT_EQ(row.max_args, 5u);
  EXPECT_EQ(row.conditions.at(0).enumerators.size(), 2u);
  const auto& view = std::get<view_action>(row.what);
  EXPECT_TRUE(view.in_place);
  ASSERT_EQ(view.args.size(), 6u);
  EXPECT_EQ(view.args[1].number, -2);
  EXPECT_EQ(view.args[2].what, operand_source::kind::none);
  EXPECT_EQ(view.args[3].what, operand_source::kind::rest);
  EXPECT_EQ(view.args[4].what, operand_source::kind::from_last);
  EXPECT_EQ(view.args[5].items.size(), 2u);
  EXPECT_EQ(row.effects.at(0).op, ir::effect_op::grows);
  EXPECT_EQ(row.requirements.at(0).text, "contiguous; int32");
  EXPECT_TRUE(row.noreturn);
  EXPECT_EQ(row.line, 11u);
}

TEST(SchemaError, NamesThePlaceAndWhatWasExpected) {
  EXPECT_EQ(row_error("{call: f, veiw: {op: narrow, of: 0}}"),
            "m.yaml:4:15: error: unknown key in a function: expected one of call, args, min_args, max_args, "
            "when_args, "
            "view, copy, alloc, query, test, assert, pointer, same, value_of, element, store, store_element, "
            "store_elements, list, expr, capture, calls, defers, ignore, effects, requires, noreturn, found "
            "'veiw' (did "
            "you mean 'view'?)");
  EXPECT_EQ(row_error("{call: f, copy: {op: contigous, of: 0}}"),
            "m.yaml:4:26: error: expected one of contiguous, to, reshape, clone, copy, found 'contigous' "
            "(did you mean "
            "'contiguous'?)");
  EXPECT_EQ(row_error("{call: f, copy: {of: 0}}"),
            "m.yaml:4:21: error: expected the key 'op' in copy, found none");
  EXPECT_EQ(row_error("{call: f, copy: [1]}"), "m.yaml:4:21: error: expected copy (a map), found a list");
  EXPECT_EQ(row_error("{call: f}"),
            "m.yaml:4:5: error: expected what the function does: one of view, copy, alloc, query, test, "
            "assert, pointer, "
            "same, value_of, element, store, store_element, store_elements, list, expr, capture, calls, "
            "defers, ignore, "
            "effects, requires, noreturn, found none");
}

struct bad_row {
  const char* text;
  const char* expected;
};
class SchemaErrors : public testing::TestWithParam<bad_row> {};
TEST_P(SchemaErrors, IsOneError) {
  EXPECT_NE(error_of(GetParam().text).find(GetParam().expected), std::string::npos)
      << error_of(GetParam().text);
}
INSTANTIATE_TEST_SUITE_P(
    Cases, SchemaErrors,
    testing::Values(
        bad_row{"", "m.yaml:1:1: error: expected a model file (a map), found nothing"},
        bad_row{"library: x\n", "expected the key 'schema'"},
        bad_row{"schema: 2\nlibrary: x\n", "expected schema 1, found 2"},
        bad_row{"schema: 1\n", "expected the key 'library'"},
        bad_row{"schema: one\nlibrary: x\n", "expected an integer, found 'one'"},
        bad_row{"schema: 1\nlibrary: x\nprovenance: guessed\n", "one of manual, generated, measured"},
        bad_row{"schema: 1\nlibrary: x\nfunctions: {}\n", "expected a list, found a map"},
        bad_row{"schema: 1\nlibrary: x\ntypes: [{handle: value}]\n", "expected the key 'name' in a type"},
        bad_row{"schema: 1\nlibrary: x\nfields: [{record: a, field: b}]\n",
                "exactly one of query, pointer, element"},
        bad_row{"schema: 1\nlibrary: x\nfunctions: [{call: 'a*b', ignore: true}]\n", "'*' only at the end"},
        bad_row{"schema: 1\nlibrary: x\nfunctions: [{call: [], ignore: true}]\n", "at least one"},
        bad_row{"schema: 1\nlibrary: x\nfunctions: [{call: f, ignore: false}]\n", "ignore: true"},
        bad_row{"schema: 1\nlibrary: x\nfunctions: [{call: f, ignore: true, noreturn: maybe}]\n",
                "true or false"},
        bad_row{"schema: 1\nlibrary: x\nfunctions: [{call: f, ignore: true, copy: {op: to, of: 0}}]\n",
                "one action a row"},
        bad_row{"schema: 1\nlibrary: x\nfunctions: [{call: f, pointer: {of: -1}}]\n", "expected an operand"},
        bad_row{"schema: 1\nlibrary: x\nfunctions: [{call: f, pointer: {of: 256}}]\n",
                "position of an argument"},
        bad_row{"schema: 1\nlibrary: x\nfunctions: [{call: f, pointer: {of: {const: 0, rest: 1}}}]\n",
                "one of const, rest"},
        bad_row{"schema: 1\nlibrary: x\nfunctions: [{call: f, args: 1, min_args: 1, ignore: true}]\n",
                "found both"},
        bad_row{"schema: 1\nlibrary: x\nfunctions: [{call: f, min_args: 3, max_args: 1, ignore: true}]\n",
                "found more"},
        bad_row{"schema: 1\nlibrary: x\nfunctions: [{call: f, when_args: {1: {}}, ignore: true}]\n",
                "at least one of enumerator"},
        bad_row{"schema: 1\nlibrary: x\nfunctions: [{call: f, when_args: {x: {value: 1}}, ignore: true}]\n",
                "position of an argument"},
        bad_row{"schema: 1\nlibrary: x\nfunctions: [{call: f, capture: {op: begin, mode_of: {a: global}}}]\n",
                "mode_of only beside"},
        bad_row{"schema: 1\nlibrary: x\nfunctions: [{call: f, requires: [{param: 0}]}]\n",
                "the key 'layout'"},
        bad_row{"schema: 1\nlibrary: x\nfunctions:\n  - {call: f, ignore: true}\n  - {call: [g, f], args: 2, "
                "ignore: true}\n",
                "m.yaml:5:5: error: expected a call once, or rows told apart by args or when_args; 'f' is "
                "already described in line 4"}));

TEST(SchemaError, MutatedFilesNeverCrash) {
  std::mt19937_64 random(3);
  for (const builtin_file& file : builtin_files()) {
    for (int round = 0; round < 40; ++round) {
      std::string changed(file.text);
      for (int n = 0; n < 3; ++n) {
        const std::size_t at = random() % changed.size();
        if (random() % 2 == 0)
          changed[at] = static_cast<char>(random());
        else
          changed.erase(at, 1 + random() % 5);
      }
      auto result = read_model_file(changed, "mutated");
      if (const auto* e = std::get_if<model_error>(&result)) {
        ASSERT_FALSE(e->str().empty());
      }
    }
  }
}

}  // namespace
}  // namespace stridelock::models
