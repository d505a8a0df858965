#include "analyzer/tool/command_line.h"

#include <gtest/gtest.h>

#include "analyzer/tool/failure.h"

namespace stridelock::tool {
namespace {

using words = std::vector<std::string>;

struct parsed {
  words values;
  words positional;
  words rest;
  bool quiet = false;
  bool help = false;
};

command sample(parsed& out) {
  command c("check", "[FILES...]", "Find layout bugs.");
  c.value("--format", "FORMAT", "how to print",
          [&](const std::string& v) { out.values.push_back("format " + v); });
  c.value("-j", "N", "at once", [&](const std::string& v) { out.values.push_back("j " + v); });
  c.flag("--quiet", "no progress", [&] { out.quiet = true; });
  c.hidden_value("--request", [&](const std::string& v) { out.values.push_back("request " + v); });
  c.positional([&](const std::string& v) { out.positional.push_back(v); });
  c.rest([&](words v) { out.rest = std::move(v); });
  return c;
}

parsed parse(const words& arguments) {
  parsed out;
  out.help = !sample(out).parse(arguments);
  return out;
}

std::string refusal(const words& arguments) {
  try {
    parse(arguments);
  } catch (const failure& f) {
    return f.what();
  }
  return "(accepted)";
}

TEST(CommandLine, AllSpellingsOfAValue) {
  const parsed p = parse({"--format=json", "--format", "text", "-j4", "-j", "5", "--request=x"});
  EXPECT_EQ(p.values, (words{"format json", "format text", "j 4", "j 5", "request x"}));
}

TEST(CommandLine, PositionalFlagsAndRest) {
  const parsed p = parse({"a.cpp", "--quiet", "-", "--", "-I", "--help"});
  EXPECT_EQ(p.positional, (words{"a.cpp", "-"}));
  EXPECT_TRUE(p.quiet);
  EXPECT_EQ(p.rest, (words{"-I", "--help"}));
  EXPECT_FALSE(p.help);
}

TEST(CommandLine, AValueMayBeEmptyOrHoldAnEqualsSign) {
  EXPECT_EQ(parse({"--format="}).values, words{"format "});
  EXPECT_EQ(parse({"--format=a=b"}).values, words{"format a=b"});
}

TEST(CommandLine, RefusalsNameTheOptionAndTheNearest) {
  EXPECT_EQ(refusal({"--fromat=json"}),
            "stridelock: error: unknown option '--fromat'; did you mean '--format'? (see `stridelock check "
            "--help`)");
  EXPECT_EQ(refusal({"--zzzzzzzzz"}),
            "stridelock: error: unknown option '--zzzzzzzzz' (see `stridelock check --help`)");
  EXPECT_NE(refusal({"--quiet=1"}).find("takes no value"), std::string::npos);
  EXPECT_NE(refusal({"--format"}).find("needs a value: FORMAT"), std::string::npos);
  EXPECT_EQ(refusal({"--requesd"}).find("--request'?"), std::string::npos);  // hidden stays hidden
}

TEST(CommandLine, HelpListsWhatParsesAndNoMore) {
  parsed ignored;
  const std::string help = sample(ignored).help();
  for (const char* word : {"--format=FORMAT", "-j N", "--quiet", "Find layout bugs."}) {
    EXPECT_NE(help.find(word), std::string::npos) << word;
  }
  EXPECT_EQ(help.find("--request"), std::string::npos);
  EXPECT_TRUE(parse({"--help"}).help);
}

TEST(CommandLine, ACommandWithoutPositionalsRefusesThem) {
  EXPECT_THROW(command("c", "", "").parse({"x"}), failure);
  EXPECT_THROW(command("c", "", "").parse({"--"}), failure);
}

}  // namespace
}  // namespace stridelock::tool
