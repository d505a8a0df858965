// `stridelock preflight`: the example's plan against what is written beside it, and what bad plans get.
#include <gtest/gtest.h>

#include <filesystem>

#include "analyzer/tool/commands.h"
#include "analyzer/tool/failure.h"
#include "analyzer/tool/files.h"
#include "analyzer/tool/output_file.h"
#include "analyzer/tool/plan_file.h"
#include "analyzer/tool/test_folder.h"

namespace stridelock::tool {
namespace {

const std::string example = std::string(PROJECT_ROOT) + "/examples/sparse_mla_engine/preflight/";

struct outcome {
  int exit_code = 2;
  std::string output;
  std::string error;
};

class PreflightCommand : public testing::folder_test {
 protected:
  outcome preflight_of(std::vector<std::string> arguments) const;
};

outcome PreflightCommand::preflight_of(std::vector<std::string> arguments) const {
  const std::string file = path("out");
  arguments.insert(arguments.end(), {"-o", file});
  outcome out;
  try {
    out.exit_code = preflight_command({"stridelock", std::move(arguments)});
  } catch (const failure& f) {
    out.error = f.what();
  }
  if (std::filesystem::exists(file)) out.output = read_file(file);
  return out;
}

TEST_F(PreflightCommand, TheSeedsPlan) {
  const outcome r = preflight_of({example + "plan.yaml"});
  EXPECT_EQ(r.error, "");
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_EQ(r.output, read_file(example + "expected.fb28d72.txt"));
}

TEST_F(PreflightCommand, ATunedParameter) {
  const outcome r = preflight_of({example + "plan.yaml", "--parameter=decode_max_tokens=8,24,64"});
  EXPECT_EQ(r.exit_code, 1) << r.error;
  EXPECT_EQ(r.output, read_file(example + "expected.tuned.txt"));
}

TEST_F(PreflightCommand, KernelsThatTakeThePitch) {
  const outcome r = preflight_of({example + "plan.yaml", "--contracts",
                                  example + "flashinfer-after-4802.yaml", "--library-version=after-4802"});
  EXPECT_EQ(r.exit_code, 0) << r.error;
  EXPECT_EQ(r.output, read_file(example + "expected.after-4802.txt"));
}

TEST_F(PreflightCommand, ContractsOfAnotherVersionAreRefused) {
  const outcome r =
      preflight_of({example + "plan.yaml", "--contracts", example + "flashinfer-after-4802.yaml"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_EQ(r.error,
            example +
                "plan.yaml:3:38: error: the plan runs flashinfer fb28d72, the contracts are of version "
                "'after-4802': infer or write them for fb28d72");
  EXPECT_EQ(r.output, "");
}

TEST_F(PreflightCommand, Json) {
  const outcome r = preflight_of({example + "plan.yaml", "--format=json"});
  EXPECT_EQ(r.exit_code, 1) << r.error;
  EXPECT_EQ(r.output.substr(0, 40), "{\n  \"version\": 1,\n  \"library\": {\n    \"na");
  EXPECT_NE(r.output.find("\"first\": 6,\n          \"last\": 60,\n          \"sizes\": 10,\n          "
                          "\"verdict\": \"silent\""),
            std::string::npos)
      << r.output;
}

TEST_F(PreflightCommand, UsageErrors) {
  EXPECT_EQ(preflight_of({}).error,
            "stridelock: error: preflight: expected a plan (see `stridelock preflight --help`)");
  EXPECT_EQ(preflight_of({"a", "b"}).error,
            "stridelock: error: preflight: expected one plan, found 'a' and 'b'");
  EXPECT_EQ(preflight_of({"a", "--parameter=x"}).error,
            "stridelock: error: preflight: --parameter: expected NAME=VALUE,VALUE, found 'x'");
  EXPECT_EQ(preflight_of({"a", "--format=xml"}).error,
            "stridelock: error: preflight: --format: expected text or json, found 'xml'");
}

std::string refusal(const std::string& bytes) {
  try {
    const plan_file f = parse_plan(bytes, "p.yaml");
    if (const plan_fault fault = check_plan(f.plan, {}); !fault.error.empty()) f.refuse(fault);
  } catch (const failure& f) {
    return f.what();
  }
  return "(accepted)";
}

TEST(PlanFile, RefusalsSayWhereAndWhatWasExpected) {
  const std::string head = "schema: 1\ncontracts: c.yaml\n";
  const std::string tail = "variables: {T: 1}\nbuffers: {b: {type: int32, extents: [T]}}\ncalls: []\n";
  for (const auto& [bytes, expected] : std::vector<std::pair<std::string, std::string>>{
           {"", "p.yaml:1:1: error: expected a plan: schema"},
           {"schema: 3\n", "p.yaml:1:9: error: expected schema: 1"},
           {"schema: 1\n", "expected the key `contracts`"},
           {head + "variable: {}\n", "p.yaml:3:1: error: unknown key 'variable'; did you mean 'variables'?"},
           {head + "variables: [T]\n", "p.yaml:3:12: error: expected a map of names to values, found a list"},
           {head + "capabilities: 12\n" + tail, "expected a compute capability, such as 12.0, found '12'"},
           {head + "tables: {t: [1..]}\n" + tail,
            "p.yaml:3:14: error: expected a number or FIRST..LAST, found '1..'"},
           {head + "tables: {t: [0..9223372036854775807]}\n" + tail, "expected at most 1000000 numbers"},
           {head + "variables: {'a b': 1}\n", "p.yaml:3:13: error: expected a name of letters"},
           {head + "variables: {T: 1}\nbuffers: {b: {type: int33, extents: [1]}}\n",
            "p.yaml:4:21: error: expected a type"},
           {head + "variables: {T: 1}\nbuffers: {b: {type: int32, extents: [1], device: gpu}}\n",
            "expected a device, such as cpu or cuda:0"},
           {head + "variables: {T: 1}\nbuffers: {b: {type: int32, extents: [U]}}\ncalls: []\n",
            "p.yaml:4:38: error: unknown variable 'U'. Known here: capability, T"},
           {head + "variables: {T: 1}\nbuffers: {b: {type: int32, extents: ['1 +']}}\ncalls: []\n",
            "p.yaml:4:38: error: expected a number, a variable or a function at ''"},
           {head + tail, "p.yaml: error: expected at least one call"},
           {head + "variables: {T: 1}\nbuffers: {b: {type: int32, extents: [T]}}\ncalls: [{dispatch: d, "
                   "over: T, arguments: {}}]\n",
            "p.yaml:5:20: error: unknown dispatch 'd'. The contracts have: none"},
           {head + "variables: {T: 1}\nbuffers: {}\nviews: {v: 'b.rows(0, T)'}\ncalls: []\n",
            "p.yaml:5:12: error: unknown buffer or view 'b'. Known: "},
           {head + "parameters: {p: [1]}\n" + tail, "expected at least one call"},
       })
    EXPECT_NE(refusal(bytes).find(expected), std::string::npos) << bytes << "\n" << refusal(bytes);
}

// What a plan could do to the machine: each is one line of refusal, soon.
TEST(PlanFile, HostilePlansAreRefused) {
  const std::string head = "schema: 1\ncontracts: c.yaml\n";
  const std::string tail = "buffers: {b: {type: int32, extents: [T]}}\ncalls: []\n";
  std::string many_views = "views:\n";
  for (int i = 0; i < 40; ++i)
    many_views +=
        "  v" + std::to_string(i) + ": " + (i == 0 ? "b" : "v" + std::to_string(i - 1)) + ".rows(0, 1)\n";
  std::string many_variables = "variables:\n";
  for (int i = 0; i < 100000; ++i) many_variables += "  v" + std::to_string(i) + ": 1\n";
  for (const auto& [bytes, expected] : std::vector<std::pair<std::string, std::string>>{
           {head + "tables: {t: [9223372036854775808]}\nvariables: {T: 1}\n" + tail,
            "p.yaml:3:14: error: expected a number or FIRST..LAST, found '9223372036854775808'"},
           {head + "variables: {T: 99999999999999999999}\n" + tail,
            "p.yaml:3:16: error: expected a number of 64 bits at '99999999999999999999'"},
           {head + "tables: {t: [1..600000], u: [1..600000]}\nvariables: {T: 1}\n" + tail,
            "p.yaml:3:30: error: expected at most 1000000 numbers"},
           {head + many_variables + tail, "p.yaml: error: expected at most 63 variables"},
           {head + "variables: {T: 1}\nbuffers: {b: {type: int32, extents: [T]}}\n" + many_views +
                "calls: []\n",
            "error: expected at most 32 steps in a view"},
           {head + "variables: {T: '" + std::string(5000, '1') + "'}\n" + tail,
            "expected a number of 64 bits"},
           {head + "variables: {T: " + std::string(300, '-') + "1}\n" + tail, "error: expected a number"},
           {std::string("schema: 1\0", 10), "found a zero byte"},
           {head + "variables: &a {T: *a}\n", "expected plain YAML, found an"},
       })
    EXPECT_NE(refusal(bytes).find(expected), std::string::npos) << bytes.substr(0, 300) << "\n"
                                                                << refusal(bytes);
}

// Of the shape that `count` cells have; judged in full, through the command.
TEST_F(PreflightCommand, HostileSizesAreRefused) {
  const auto error_of = [&](const std::string& variables, const std::string& contracts) {
    write("plan.yaml", "schema: 1\nlibrary: {name: flashinfer, version: fb28d72}\ncontracts: " + contracts +
                           "\n" + variables +
                           "\nbuffers: {b: {type: int32, extents: [rows]}}\n"
                           "calls: [{dispatch: sparse_mla, over: rows, arguments: {q: b}}]\n");
    return preflight_of({path("plan.yaml")}).error;
  };
  const std::string contracts = example + "flashinfer-fb28d72.yaml";
  EXPECT_NE(error_of("variables: {rows: 1..1000000000000 by 7}", contracts)
                .find("more than 1000000 values of 'rows'"),
            std::string::npos);
  EXPECT_NE(error_of("variables: {rows: 1..1000000, a: 1..1000000, b: 1..1000000}", contracts)
                .find("expected at most 5000000 cells"),
            std::string::npos);
  EXPECT_NE(error_of("variables: {rows: 1}", "nowhere.yaml").find("nowhere.yaml"), std::string::npos);
  EXPECT_NE(error_of("variables: {rows: 1}", example + "flashinfer-after-4802.yaml")
                .find("the contracts are of version 'after-4802'"),
            std::string::npos);
}

TEST(PlanFile, DeepNestingIsAnErrorNotAStackOverflow) {
  EXPECT_NE(refusal("schema: 1\nvariables: " + std::string(50000, '[')).find("error: "), std::string::npos);
  EXPECT_NE(refusal("schema: 1\ncontracts: c\nvariables: {T: '" + std::string(50000, '(') +
                    "'}\nbuffers: {}\ncalls: []\n")
                .find("expected at most 16 levels of brackets"),
            std::string::npos);
}

}  // namespace
}  // namespace stridelock::tool
