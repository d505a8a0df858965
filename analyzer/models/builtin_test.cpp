// Every built-in row, tried on a call that it describes. What each becomes stands in testdata/rows.expected, to be read
// in review; STRIDELOCK_UPDATE_EXPECTED=1 writes it anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "analyzer/ir/text.h"
#include "analyzer/models/model_set.h"
#include "analyzer/models/rewrite.h"
#include "analyzer/models/schema.h"

namespace stridelock::models {
namespace {

bool is_glob(const std::string& call) {
  return call.ends_with('*') && !call.ends_with("operator*");
}

std::uint32_t highest_position(const operand_source& s) {
  std::uint32_t highest = s.position;
  for (const operand_source& item : s.items) highest = std::max(highest, highest_position(item));
  return highest;
}
struct positions {
  std::uint32_t highest = 0;
  void see(const operand_source& s) { highest = std::max(highest, highest_position(s)); }
  void see(std::uint32_t p) { highest = std::max(highest, p); }
  void operator()(const no_action&) {}
  void operator()(const ignore_action&) {}
  void operator()(const view_action& a) {
    see(a.of);
    for (const operand_source& s : a.args) see(s);
  }
  void operator()(const copy_action& a) { see(a.of); }
  void operator()(const alloc_action& a) {
    see(a.like);
    see(a.shape);
    if (a.out) see(*a.out);
  }
  void operator()(const query_action& a) {
    see(a.of);
    see(a.dim);
  }
  void operator()(const test_action& a) {
    for (const operand_source& s : a.of) see(s);
    if (a.out) see(*a.out);
  }
  void operator()(const assert_action& a) {
    for (const operand_source& s : a.of) see(s);
  }
  void operator()(const pointer_action& a) { see(a.of); }
  void operator()(const same_action& a) { see(a.of); }
  void operator()(const value_of_action& a) { see(a.of); }
  void operator()(const element_action& a) {
    see(a.of);
    see(a.index);
  }
  void operator()(const store_action& a) {
    see(a.to);
    see(a.what);
  }
  void operator()(const store_elements_action& a) { see(a.first); }
  void operator()(const list_action& a) { see(a.first); }
  void operator()(const expr_action& a) {
    for (const operand_source& s : a.of) see(s);
  }
  void operator()(const capture_action& a) {
    see(a.object);
    if (a.mode_argument) see(*a.mode_argument);
  }
  void operator()(const invoke_action& a) { see(a.callable); }
};

// A call that the row describes: enough arguments, and `more`; conditions met. Argument k is the lvalue $k.
ir::call call_for(const function_row& row, const std::string& name, std::uint32_t more) {
  positions used;
  std::visit(used, row.what);
  for (const condition& c : row.conditions) used.see(c.argument);
  std::uint32_t count = std::max(row.min_args, used.highest + 1) + more;
  count = std::min(count, row.max_args);
  ir::call call;
  call.result = 0;
  call.callee = is_glob(name) ? name.substr(0, name.size() - 1) + "something" : name;
  call.symbol = call.callee;
  call.is_method = true;
  for (std::uint32_t i = 0; i < count; ++i) {
    ir::argument a;
    a.what = ir::address_of{ir::place{ir::root_kind::local, i, {}, {}}};
    call.args.push_back(a);
  }
  for (const condition& c : row.conditions) {
    ir::argument& a = call.args.at(c.argument);
    if (!c.enumerators.empty())
      a.what = ir::integer{0, c.enumerators[0]};
    else if (!c.values.empty())
      a.what = ir::integer{c.values[0], {}};
    else
      a.type = c.types.at(0);
  }
  return call;
}

ir::unit unit_with(ir::call call) {
  ir::function f;
  f.symbol = f.qualified = f.signature = "test";
  for (int i = 0; i < 16; ++i) f.locals.push_back({"", "T", "T", {}, false});
  f.value_count = 1;
  ir::block b;
  b.body.push_back({std::move(call), {}, {}});
  b.end = ir::ret{};
  f.blocks.push_back(std::move(b));
  ir::unit u;
  u.functions.push_back(std::move(f));
  return u;
}

// Calls the function API, so that all names of a row read the same.
void name_api(ir::unit& u, ir::name callee) {
  for (ir::block& b : u.functions[0].blocks)
    for (ir::instruction& i : b.body)
      std::visit(
          [&](auto& x) {
            if constexpr (requires { x.label; }) {
              if (x.label == callee) x.label = "API";
            }
            if constexpr (std::is_same_v<std::decay_t<decltype(x)>, ir::call>) {
              x.callee = x.symbol = "API";
              x.is_method = false;
            }
          },
          i.what);
}

// The blocks of the only function, a line an instruction.
std::string blocks_of(const ir::unit& u) {
  const std::string text = ir::print(u);
  std::string out;
  std::istringstream lines(text);
  bool in_block = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("b0:")) in_block = true;
    if (line == "end" || !in_block || line.starts_with("b0:") || line == "  return") continue;
    out += "  " + line + "\n";
  }
  return out;
}

TEST(Builtin, EveryFileLoads) {
  ASSERT_GE(builtin_files().size(), 7u);
  for (const builtin_file& file : builtin_files()) {
    auto read = read_model_file(file.text, file.name);
    if (const auto* error = std::get_if<model_error>(&read)) ADD_FAILURE() << error->str();
  }
}

TEST(Builtin, NoCallIsDescribedInTwoFiles) {
  std::map<std::string, std::string> owner;
  const model_set models = model_set::builtin();
  for (const auto& file : models.files())
    for (const function_row& row : file->functions)
      for (const std::string& call : row.calls) {
        const auto [at, is_new] = owner.emplace(call, file->library);
        EXPECT_EQ(at->second, file->library) << call;
      }
  EXPECT_GT(owner.size(), 700u);
}

TEST(Builtin, EveryRowDoesWhatIsExpected) {
  const model_set models = model_set::builtin();
  std::string actual =
      "# Generated from the built-in rows by builtin_test.cpp: a call that each row describes, and what it "
      "becomes.\n"
      "# Argument k of the call is the variable $k. Calls of one row that become the same are named "
      "together.\n";
  std::size_t rows = 0;
  for (const auto& file : models.files()) {
    actual += "\n==== " + file->library + "\n";
    for (const function_row& row : file->functions) {
      ++rows;
      std::string names, shape;
      for (const std::string& name : row.calls) {
        // A row for the rest comes after special ones, which may take the shortest call.
        ir::call call = call_for(row, name, 0);
        for (std::uint32_t more = 1; more < 5 && models.match(call) != &row; ++more)
          call = call_for(row, name, more);
        if (models.match(call) != &row) {
          ADD_FAILURE() << file->library << ".yaml, line " << row.line << ": another row wins for " << name;
          continue;
        }
        const ir::name callee = call.callee;
        ir::unit unit = unit_with(std::move(call));
        const rewrite_statistics statistics = rewrite(unit, models);
        EXPECT_EQ(statistics.modelled, 1u) << name << ": the row does not fit the call it describes";
        name_api(unit, callee);
        std::string became = blocks_of(unit);
        if (became.empty()) became = "    (nothing)\n";
        if (shape.empty()) shape = became;
        EXPECT_EQ(became, shape) << name;
        names += (names.empty() ? "" : " ") + name;
      }
      actual += names + "\n" + shape;
    }
  }
  EXPECT_GT(rows, 200u);

  if (std::getenv("STRIDELOCK_UPDATE_EXPECTED") != nullptr) {
    std::ofstream(EXPECTED_ROWS) << actual;
    GTEST_SKIP() << "wrote " << EXPECTED_ROWS;
  }
  std::ifstream in(EXPECTED_ROWS);
  std::stringstream expected;
  expected << in.rdbuf();
  EXPECT_EQ(actual, expected.str())
      << "if the change is meant, run this test with STRIDELOCK_UPDATE_EXPECTED=1";
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// What a reader copies from the manual must load.
TEST(Documentation, ExamplesLoad) {
  const std::string page = text_of(PROJECT_ROOT "/docs/models.md");
  std::size_t examples = 0;
  for (std::size_t at = 0; (at = page.find("```yaml\n", at)) != std::string::npos;) {
    at += 8;
    std::string text = page.substr(at, page.find("```", at) - at);
    if (!text.starts_with("schema:"))
      text = "schema: 1\nlibrary: x\n" + (text.starts_with("  - call") ? "functions:\n" + text : text);
    auto read = read_model_file(text, "models.md");
    if (const auto* error = std::get_if<model_error>(&read)) ADD_FAILURE() << error->str() << "\n" << text;
    ++examples;
  }
  EXPECT_GE(examples, 5u);

  const std::string engine = text_of(PROJECT_ROOT "/examples/sparse_mla_engine/stridelock-models.yaml");
  auto read = read_model_file(engine, "stridelock-models.yaml");
  if (const auto* error = std::get_if<model_error>(&read)) ADD_FAILURE() << error->str();
}

}  // namespace
}  // namespace stridelock::models
