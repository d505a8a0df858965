// Runs the built command: what only shows in whole runs with child processes, caches and files.
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <optional>

#include "analyzer/tool/test_folder.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Program.h"

namespace stridelock::tool {
namespace {

using words = std::vector<std::string>;

struct ended {
  int code = 0;
  std::string out;
  std::string err;
};

class Check : public testing::folder_test {
 protected:
  void SetUp() override {
    folder_test::SetUp();
    write("mini.h",
          "#pragma once\n"
          "namespace mini {\n"
          "struct matrix {\n"
          "  matrix();\n"
          "  matrix narrow(int dim, int start, int length) const;\n"
          "};\n"
          "void consume(const matrix& m);\n"
          "}\n");
    write("models.yaml",
          "schema: 1\n"
          "library: mini\n"
          "types:\n"
          "  - {name: mini::matrix, handle: shared}\n"
          "functions:\n"
          "  - call: mini::matrix::narrow\n"
          "    view: {op: narrow, of: 0, args: [1, 2, 3]}\n");
    write("contracts.yaml",
          "schema: 1\n"
          "contracts:\n"
          "  - {function: mini::consume, requires: [{param: 0, layout: contiguous}]}\n");
  }
  void TearDown() override {
    unsetenv("STRIDELOCK_TEST_CRASH");
    folder_test::TearDown();
  }

  // One finding, at the call of consume.
  void write_source(const std::string& name) {
    write(name, "#include \"mini.h\"\nvoid run_" + name.substr(0, name.find('.')) +
                    "(const mini::matrix& all) {\n  mini::matrix part = all.narrow(1, 0, 8);\n  "
                    "mini::consume(part);\n}\n");
  }

  ended run(words arguments) {
    arguments.insert(arguments.begin(), STRIDELOCK_EXECUTABLE);
    llvm::SmallVector<llvm::StringRef, 16> view(arguments.begin(), arguments.end());
    const std::string out = path("run.out");
    const std::string err = path("run.err");
    const std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), llvm::StringRef(out),
                                                        llvm::StringRef(err)};
    ended result;
    result.code = llvm::sys::ExecuteAndWait(view[0], view, std::nullopt, redirects);
    result.out = read("run.out");
    result.err = read("run.err");
    std::filesystem::remove(out);
    std::filesystem::remove(err);
    return result;
  }
  // `options`, then `files` with the models and contracts of SetUp.
  ended check(words options, const words& files) {
    options.insert(options.begin(), {"check", "--no-config", "--models=" + path("models.yaml"),
                                     "--contracts=" + path("contracts.yaml")});
    for (const std::string& file : files) options.push_back(path(file));
    options.insert(options.end(), {"--", "-std=c++20"});
    return run(options);
  }
  static std::size_t findings(const ended& e) {
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(e.out);
    if (!value) {
      ADD_FAILURE() << llvm::toString(value.takeError()) << "\n" << e.out << e.err;
      return 0;
    }
    return value->getAsObject()->getArray("findings")->size();
  }
  std::size_t cache_entries() {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path("cache"))) {
      count += entry.path().extension() == ".lir";
    }
    return count;
  }
};

TEST_F(Check, FindsWhatTheModelsAndContractsSay) {
  write_source("a.cpp");
  const ended e = check({"--no-cache"}, {"a.cpp"});
  EXPECT_EQ(e.code, 1) << e.out << e.err;
  EXPECT_NE(e.out.find("a.cpp:4:"), std::string::npos) << e.out;
  EXPECT_NE(e.out.find("[stridelock-narrowed-view]"), std::string::npos) << e.out;
  EXPECT_NE(e.out.find("analysed 1 of 1 file"), std::string::npos) << e.out;
}

TEST_F(Check, SameBytesForAnyJobsOrderAndCache) {
  words files;
  for (const char* name : {"a.cpp", "b.cpp", "c.cpp", "d.cpp"}) {
    write_source(name);
    files.push_back(name);
  }
  write("bad.cpp", "#include \"nowhere.h\"\nint x = ;\n");
  files.push_back("bad.cpp");
  for (const char* format :
       {"--format=text", "--format=json", "--format=sarif", "--format=github", "--format=gitlab"}) {
    const ended first = check({format, "-j1", "--no-cache"}, files);
    EXPECT_EQ(first.code, 2);
    words shuffled = files;
    std::reverse(shuffled.begin(), shuffled.end());
    for (const words& options :
         {words{format, "-j2", "--no-cache"}, words{format, "-j2", "--cache=" + path("cache")},
          words{format, "-j1", "--cache=" + path("cache")}}) {
      const ended other = check(options, shuffled);
      EXPECT_EQ(other.out, first.out);
      EXPECT_EQ(other.err, first.err);
      EXPECT_EQ(other.code, first.code);
    }
  }
}

TEST_F(Check, ACrashCostsOneFile) {
  write_source("a.cpp");
  write_source("b.cpp");
  setenv("STRIDELOCK_TEST_CRASH", ("/b.cpp:" + std::to_string(SIGSEGV)).c_str(), 1);
  const ended e = check({"--format=json", "--cache=" + path("cache")}, {"a.cpp", "b.cpp"});
  EXPECT_EQ(e.code, 2);
  EXPECT_EQ(findings(e), 1u);
  EXPECT_NE(e.err.find("b.cpp: error: not analysed: the extractor crashed (Segmentation fault)"),
            std::string::npos)
      << e.err;
  EXPECT_EQ(e.err.find("Stack dump"), std::string::npos) << e.err;
  // A crash is not remembered.
  unsetenv("STRIDELOCK_TEST_CRASH");
  EXPECT_EQ(findings(check({"--format=json", "--cache=" + path("cache")}, {"a.cpp", "b.cpp"})), 2u);
}

TEST_F(Check, AKilledFileIsReported) {
  write_source("a.cpp");
  write_source("b.cpp");
  setenv("STRIDELOCK_TEST_CRASH", ("/b.cpp:" + std::to_string(SIGKILL)).c_str(), 1);
  const ended e = check({"--format=json", "--no-cache"}, {"a.cpp", "b.cpp"});
  EXPECT_EQ(e.code, 2);
  EXPECT_EQ(findings(e), 1u);
  EXPECT_NE(e.err.find("killed twice"), std::string::npos) << e.err;
}

TEST_F(Check, WhenEveryFileCrashesNothingWasAnalysed) {
  write_source("a.cpp");
  setenv("STRIDELOCK_TEST_CRASH", ("a.cpp:" + std::to_string(SIGABRT)).c_str(), 1);
  const ended e = check({"--fail-on=never", "--no-cache"}, {"a.cpp"});
  EXPECT_EQ(e.code, 2);
  EXPECT_NE(e.err.find("nothing was analysed"), std::string::npos) << e.err;
  EXPECT_NE(e.out.find("analysed 0 of 1 file"), std::string::npos) << e.out;
}

TEST_F(Check, ADamagedCacheIsParsedAgain) {
  write_source("a.cpp");
  const words options = {"--format=json", "--cache=" + path("cache")};
  const ended cold = check(options, {"a.cpp"});
  ASSERT_EQ(cache_entries(), 1u);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path("cache"))) {
    if (entry.is_regular_file()) std::filesystem::resize_file(entry.path(), entry.file_size() / 2);
  }
  const ended again = check(options, {"a.cpp"});
  EXPECT_EQ(again.out, cold.out);
  EXPECT_EQ(again.err, cold.err);
}

TEST_F(Check, AChangedHeaderIsNoticed) {
  write_source("a.cpp");
  const words options = {"--format=json", "--cache=" + path("cache")};
  EXPECT_EQ(findings(check(options, {"a.cpp"})), 1u);
  std::string header = read("mini.h");
  const std::size_t at = header.find("void consume");
  write("mini.h", header.replace(at, 12, "void devour(const matrix&); void consume"));
  write("a.cpp",
        "#include \"mini.h\"\nvoid run(const mini::matrix& m) { mini::devour(m.narrow(1, 0, 8)); }\n");
  EXPECT_EQ(findings(check(options, {"a.cpp"})), 0u);
}

TEST_F(Check, AHeaderThatWasMissingIsNoticed) {
  write("a.cpp", "#include \"late.h\"\nint a = late;\n");
  const words options = {"--cache=" + path("cache")};
  EXPECT_EQ(check(options, {"a.cpp"}).code, 2);
  EXPECT_EQ(check(options, {"a.cpp"}).code, 2);
  write("late.h", "inline int late = 0;\n");
  EXPECT_EQ(check(options, {"a.cpp"}).code, 0);
}

TEST_F(Check, AFailedFileIsKept) {
  write("a.cpp", "int a = ;\n");
  const ended cold = check({"--cache=" + path("cache")}, {"a.cpp"});
  EXPECT_EQ(cold.code, 2);
  // A parse would end here, and say so.
  setenv("STRIDELOCK_TEST_CRASH", ("a.cpp:" + std::to_string(SIGSEGV)).c_str(), 1);
  EXPECT_EQ(check({"--cache=" + path("cache")}, {"a.cpp"}).err, cold.err);
}

TEST_F(Check, AChangedModelParsesNothing) {
  write_source("a.cpp");
  check({"--cache=" + path("cache")}, {"a.cpp"});
  write("models.yaml", "schema: 1\nlibrary: mini\nfunctions: []\n");
  // A parse would end here.
  setenv("STRIDELOCK_TEST_CRASH", ("a.cpp:" + std::to_string(SIGSEGV)).c_str(), 1);
  EXPECT_NE(check({"--cache=" + path("cache")}, {"a.cpp"}).code, 2);
}

TEST_F(Check, ARefusedRunLeavesTheOldReport) {
  write_source("a.cpp");
  write("report.json", "old");
  EXPECT_EQ(
      check({"--format=json", "-o", path("report.json"), "--models=" + path("gone.yaml")}, {"a.cpp"}).code,
      2);
  EXPECT_EQ(read("report.json"), "old");
  EXPECT_EQ(check({"--format=json", "-o", path("report.json"), "--no-cache"}, {"a.cpp"}).code, 1);
  EXPECT_NE(read("report.json"), "old");
}

TEST_F(Check, ABaselineLeavesOnlyWhatIsNew) {
  write_source("a.cpp");
  const std::string file = path("known.txt");
  const ended adopted = check({"--no-cache", "--write-baseline=" + file}, {"a.cpp"});
  EXPECT_EQ(adopted.code, 0) << adopted.err;
  EXPECT_NE(adopted.out.find("[stridelock-narrowed-view]"), std::string::npos) << "they are still shown once";
  EXPECT_NE(adopted.err.find("known.txt knows 1 finding\n"), std::string::npos) << adopted.err;

  const ended again = check({"--no-cache", "--baseline=" + file}, {"a.cpp"});
  EXPECT_EQ(again.code, 0) << again.out;
  EXPECT_EQ(again.out.find("[stridelock-"), std::string::npos) << again.out;
  EXPECT_NE(again.out.find("no findings, 1 in the baseline"), std::string::npos) << again.out;

  write("a.cpp", "\n\n// moved, and indented otherwise\n" + read("a.cpp"));
  EXPECT_EQ(check({"--no-cache", "--baseline=" + file}, {"a.cpp"}).code, 0);

  write_source("b.cpp");
  const ended more = check({"--no-cache", "--format=github", "--baseline=" + file}, {"a.cpp", "b.cpp"});
  EXPECT_EQ(more.code, 1);
  EXPECT_EQ(more.out.find("a.cpp"), std::string::npos) << more.out;
  EXPECT_NE(more.out.find("b.cpp,line=4"), std::string::npos) << more.out;

  // A run over a part of the database adds and forgets nothing; one over all of it forgets.
  const auto entry = [&](const std::string& name) {
    return "{\"directory\": \"" + path("") + "\", \"file\": \"" + name +
           "\", \"command\": \"clang++ -std=c++20 -c " + name + "\"}";
  };
  write("compile_commands.json", "[" + entry("a.cpp") + ", " + entry("b.cpp") + "]");
  const words database = {"check",
                          "--no-config",
                          "--no-cache",
                          "--models=" + path("models.yaml"),
                          "--contracts=" + path("contracts.yaml"),
                          "-p",
                          path("compile_commands.json")};
  const auto with = [&](words more) {
    more.insert(more.begin(), database.begin(), database.end());
    return run(more);
  };
  EXPECT_EQ(with({"--write-baseline=" + file, path("b.cpp")}).code, 0);
  EXPECT_EQ(with({"--baseline=" + file}).code, 0);
  write("a.cpp", "");
  const ended cured = with({"--baseline=" + file});
  EXPECT_NE(cured.out.find("1 in the baseline, 1 of the baseline gone"), std::string::npos)
      << cured.out << cured.err;
  EXPECT_EQ(with({"--write-baseline=" + file}).code, 0);
  EXPECT_EQ(read("known.txt").find("run_a"), std::string::npos) << read("known.txt");
}

TEST_F(Check, ABaselineThatCannotBeReadEndsWith2) {
  write_source("a.cpp");
  write("known.txt", "a list of my own\n");
  const ended e = check({"--no-cache", "--baseline=" + path("known.txt")}, {"a.cpp"});
  EXPECT_EQ(e.code, 2);
  EXPECT_NE(e.err.find("known.txt:1:1: error: expected '# stridelock baseline, version 1'"),
            std::string::npos)
      << e.err;
  EXPECT_EQ(check({"--no-cache", "--baseline=" + path("gone.txt")}, {"a.cpp"}).code, 2);
  EXPECT_EQ(check({"--no-cache", "--write-baseline=" + path("known.txt")}, {"a.cpp"}).code, 2)
      << "a file that is no baseline is not replaced";
  EXPECT_EQ(read("known.txt"), "a list of my own\n");
  // Nothing is adopted from a run that could not do its job.
  write("bad.cpp", "int x = ;\n");
  EXPECT_EQ(check({"--no-cache", "--write-baseline=" + path("new.txt")}, {"a.cpp", "bad.cpp"}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(path("new.txt")));
}

TEST_F(Check, SarifBesideTheReport) {
  write_source("a.cpp");
  const ended e = check({"--sarif=" + path("report.sarif"), "--no-cache"}, {"a.cpp"});
  EXPECT_NE(e.out.find("[stridelock-narrowed-view]"), std::string::npos);
  llvm::Expected<llvm::json::Value> sarif = llvm::json::parse(read("report.sarif"));
  ASSERT_TRUE(static_cast<bool>(sarif)) << llvm::toString(sarif.takeError());
  EXPECT_EQ(sarif->getAsObject()->getString("version"), llvm::StringRef("2.1.0"));
}

TEST_F(Check, ExtractAndLinkSayWhatCheckSays) {
  write_source("a.cpp");
  write_source("b.cpp");
  const ended whole = check({"--format=json", "--no-cache"}, {"a.cpp", "b.cpp"});
  EXPECT_EQ(findings(whole), 2u);
  for (const char* name : {"a", "b"}) {
    const std::string stem = path(name);
    const ended e =
        run({"extract", stem + ".cpp", "-o", stem + ".lir", "-MD", stem + ".d", "--", "-std=c++20"});
    EXPECT_EQ(e.code, 0) << e.err;
    EXPECT_NE(read(std::string(name) + ".d").find(path("mini.h")), std::string::npos);
  }
  const ended linked = run({"link", "--no-config", "--format=json", "--models=" + path("models.yaml"),
                            "--contracts=" + path("contracts.yaml"), "--project-root=" + folder_.string(),
                            path("b.lir"), path("a.lir")});
  EXPECT_EQ(linked.out, whole.out);
  EXPECT_EQ(linked.code, whole.code);
}

TEST_F(Check, ADamagedUnitIsRefusedWithItsPlace) {
  write_source("a.cpp");
  run({"extract", path("a.cpp"), "-o", path("a.lir"), "--", "-std=c++20"});
  write("a.lir", read("a.lir") + "garbage here\n");
  const ended e = run({"link", path("a.lir")});
  EXPECT_EQ(e.code, 2);
  EXPECT_NE(e.err.find("a.lir:"), std::string::npos) << e.err;
  EXPECT_EQ(std::count(e.err.begin(), e.err.end(), '\n'), 1) << e.err;
}

TEST_F(Check, AListedFileThatParsesIsReported) {
  write_source("a.cpp");
  write("fine.cpp", "int fine;\n");
  write(".stridelock.yaml",
        "models: [models.yaml]\ncontracts: [contracts.yaml]\n"
        "unparsed:\n  - {file: fine.cpp, reason: it was broken once}\n");
  const ended e =
      run({"check", "--no-cache", "--format=json", "--checks=copy-in-capture", path("fine.cpp"), "--"});
  EXPECT_EQ(e.code, 1) << e.out << e.err;
  EXPECT_NE(e.out.find("needless-unparsed"), std::string::npos) << e.out;
}

TEST_F(Check, TheHelpOfEveryCommand) {
  for (const char* name : {"check", "explain", "extract", "link"}) {
    const ended e = run({name, "--help"});
    EXPECT_EQ(e.code, 0) << name;
    EXPECT_NE(e.out.find("Options:"), std::string::npos) << name;
    EXPECT_EQ(e.out.find("--request"), std::string::npos) << name;
  }
  EXPECT_EQ(run({"--version"}).out.rfind("stridelock ", 0), 0u);
}

}  // namespace
}  // namespace stridelock::tool
