#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/findings.h"
#include "tests/support/process.h"
#include "tests/support/scratch.h"

namespace stridelock::test {
namespace {

class end_to_end : public ::testing::Test {
 protected:
  end_to_end() { setenv("XDG_CACHE_HOME", (folder_.path() / "default_cache").c_str(), 1); }

  outcome check(const std::vector<std::string>& options, const std::vector<std::string>& files) const {
    std::vector<std::string> command = {STRIDELOCK_TOOL, "check"};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(), files.begin(), files.end());
    command.insert(command.end(),
                   {"--", "-std=c++20", "-isystem", STRIDELOCK_HEADERS, "-isystem", STRIDELOCK_MOCKS});
    return run(command, folder_.path());
  }
  report findings(const outcome& ended) const {
    std::string error;
    auto found = read_findings(ended.out, error);
    EXPECT_TRUE(found) << error << "\n" << ended.out << ended.err;
    return found.value_or(report{});
  }

  // One finding, on line 5; `comment` stands behind it, `before` is the line above.
  std::string source(const std::string& name, const std::string& comment = "",
                     const std::string& before = "") const {
    folder_.write(name, "#include <ATen/ATen.h>\n#include <launch.h>\nvoid run_" +
                            name.substr(0, name.find('.')) + "(const at::Tensor& x, float* out) {" + before +
                            "\n" + "  auto y = x.narrow(1, 0, 128);\n" +
                            "  launch_norm(y.data_ptr<float>(), out, y.numel());" + comment + "\n}\n");
    return name;
  }

  scratch folder_;
};

// ---- equal input, equal bytes

class determinism : public end_to_end {
 protected:
  std::vector<std::string> files() const {
    std::vector<std::string> all;
    for (const char* name : {"a.cpp", "b.cpp", "c.cpp", "d.cpp", "e.cpp", "f.cpp"})
      all.push_back(source(name));
    folder_.write("shared.h",
                  "#pragma once\n#include <ATen/ATen.h>\n"
                  "inline void shared(const at::Tensor& x) {\n"
                  "  auto y = x.t();\n"
                  "  TORCH_CHECK(y.is_contiguous());\n"
                  "}\n");
    for (const char* name : {"g.cpp", "h.cpp"})
      all.push_back(folder_.write(name, "#include \"shared.h\"\n").filename());
    return all;
  }
};

TEST_F(determinism, any_number_of_jobs_gives_the_same_bytes) {
  const auto all = files();
  for (const char* format : {"--format=text", "--format=json", "--format=sarif"}) {
    const outcome one = check({format, "-j1", "--fail-on=never"}, all);
    const outcome two = check({format, "-j2", "--fail-on=never"}, all);
    EXPECT_EQ(one.exit_code, 0) << one.err;
    EXPECT_FALSE(one.out.empty());
    EXPECT_EQ(one.out, two.out) << format;
  }
}

TEST_F(determinism, any_order_of_files_gives_the_same_bytes) {
  auto all = files();
  const outcome first = check({"--format=json", "--fail-on=never"}, all);
  std::reverse(all.begin(), all.end());
  std::rotate(all.begin(), all.begin() + 3, all.end());
  const outcome second = check({"--format=json", "--fail-on=never"}, all);
  EXPECT_EQ(findings(first).findings.size(), 7U) << first.out;
  EXPECT_EQ(first.out, second.out);
}

TEST_F(determinism, a_file_named_twice_is_analysed_once) {
  const std::string a = source("a.cpp");
  const outcome once = check({"--format=json", "--fail-on=never"}, {a});
  const outcome twice = check({"--format=json", "--fail-on=never"}, {a, "./" + a, a});
  EXPECT_EQ(once.out, twice.out);
}

TEST_F(determinism, a_warm_cache_gives_the_same_bytes) {
  const auto all = files();
  const outcome cold = check({"--format=json", "--fail-on=never", "--cache=cache"}, all);
  const outcome warm = check({"--format=json", "--fail-on=never", "--cache=cache"}, all);
  EXPECT_EQ(cold.exit_code, 0) << cold.err;
  EXPECT_EQ(cold.out, warm.out);
}

TEST_F(determinism, a_changed_file_is_not_taken_from_the_cache) {
  source("a.cpp");
  EXPECT_EQ(findings(check({"--format=json", "--fail-on=never", "--cache=cache"}, {"a.cpp"})).findings.size(),
            1U);
  folder_.write("a.cpp", "#include <ATen/ATen.h>\n");
  EXPECT_EQ(findings(check({"--format=json", "--fail-on=never", "--cache=cache"}, {"a.cpp"})).findings.size(),
            0U);
}

TEST_F(determinism, a_failed_unit_gives_the_same_bytes_from_the_cache) {
  source("a.cpp");
  folder_.write("broken.cpp", "#include \"no_such_header.h\"\n");
  const outcome cold = check({"--format=json", "--cache=cache"}, {"a.cpp", "broken.cpp"});
  const outcome warm = check({"--format=json", "--cache=cache"}, {"a.cpp", "broken.cpp"});
  EXPECT_EQ(cold.exit_code, 2);
  EXPECT_EQ(cold.exit_code, warm.exit_code);
  EXPECT_EQ(cold.out, warm.out);
  EXPECT_EQ(cold.err, warm.err);
}

// ---- suppressions

class suppression : public end_to_end {};

TEST_F(suppression, with_a_reason_silences) {
  source("a.cpp", "  // NOLINT(stridelock-narrowed-view): rows are padded by the loader");
  const outcome ended = check({"--format=json"}, {"a.cpp"});
  EXPECT_EQ(ended.exit_code, 0) << ended.out;
  EXPECT_TRUE(findings(ended).findings.empty()) << ended.out;
}

TEST_F(suppression, on_the_line_above_with_a_reason_silences) {
  folder_.write("a.cpp",
                "#include <ATen/ATen.h>\n#include <launch.h>\n"
                "void run(const at::Tensor& x, float* out) {\n"
                "  auto y = x.narrow(1, 0, 128);\n"
                "  // NOLINTNEXTLINE(stridelock-narrowed-view): rows are padded by the loader\n"
                "  launch_norm(y.data_ptr<float>(), out, y.numel());\n}\n");
  const outcome ended = check({"--format=json"}, {"a.cpp"});
  EXPECT_EQ(ended.exit_code, 0) << ended.out;
}

TEST_F(suppression, without_a_reason_does_not_silence) {
  for (const char* comment :
       {"  // NOLINT(stridelock-narrowed-view)",
        "  // NOLINT(stridelock-narrowed-view):", "  // NOLINT(stridelock-narrowed-view):   "}) {
    source("a.cpp", comment);
    const outcome ended = check({"--format=json"}, {"a.cpp"});
    EXPECT_EQ(ended.exit_code, 1) << comment;
    const auto all = findings(ended).findings;
    EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                            [](const finding& f) { return f.check == "narrowed-view" && f.line == 5; }))
        << comment << ended.out;
  }
}

TEST_F(suppression, bare_and_wildcard_comments_do_not_count) {
  for (const char* comment :
       {"  // NOLINT", "  // NOLINT: anything", "  // NOLINT(*): anything",
        "  // NOLINT(stridelock-*): anything", "  // NOLINT(narrowed-view): anything"}) {
    source("a.cpp", comment);
    const auto all = findings(check({"--format=json"}, {"a.cpp"})).findings;
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const finding& f) {
      return f.check == "narrowed-view" && f.line == 5;
    })) << comment;
  }
}

TEST_F(suppression, of_another_check_does_not_silence) {
  source("a.cpp", "  // NOLINT(stridelock-copy-in-capture): not about this");
  EXPECT_EQ(check({"--format=json"}, {"a.cpp"}).exit_code, 1);
}

TEST_F(suppression, that_silences_nothing_is_reported) {
  folder_.write("a.cpp", "int x = 0;  // NOLINT(stridelock-narrowed-view): there was one once\n");
  const auto all = findings(check({"--format=json", "--fail-on=never"}, {"a.cpp"})).findings;
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].line, 1U);
}

TEST_F(suppression, suppressed_findings_stay_in_sarif) {
  source("a.cpp", "  // NOLINT(stridelock-narrowed-view): rows are padded by the loader");
  const outcome ended = check({"--format=sarif"}, {"a.cpp"});
  EXPECT_NE(ended.out.find("rows are padded by the loader"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("suppressions"), std::string::npos);
}

// ---- exit codes and what is always printed

TEST_F(end_to_end, exit_codes_follow_the_threshold) {
  source("a.cpp");
  EXPECT_EQ(check({}, {"a.cpp"}).exit_code, 1);
  EXPECT_EQ(check({"--fail-on=never"}, {"a.cpp"}).exit_code, 0);
  folder_.write("clean.cpp", "int x = 0;\n");
  EXPECT_EQ(check({}, {"clean.cpp"}).exit_code, 0);
}

TEST_F(end_to_end, a_clean_run_says_what_it_analysed) {
  folder_.write("clean.cpp", "int f() { return 0; }\n");
  const outcome ended = check({}, {"clean.cpp"});
  EXPECT_NE((ended.out + ended.err).find("1 of 1"), std::string::npos) << ended.out << ended.err;
}

TEST_F(end_to_end, text_looks_like_the_compiler) {
  source("a.cpp");
  const outcome ended = check({}, {"a.cpp"});
  EXPECT_NE(ended.out.find("a.cpp:5:"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("[stridelock-narrowed-view]"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("a.cpp:4:"), std::string::npos) << "no note at the producer:\n" << ended.out;
}

TEST_F(end_to_end, output_goes_to_the_file_that_was_named) {
  source("a.cpp");
  const outcome direct = check({"--format=json", "--fail-on=never"}, {"a.cpp"});
  const outcome file = check({"--format=json", "--fail-on=never", "-o", "out.json"}, {"a.cpp"});
  EXPECT_EQ(file.exit_code, 0) << file.err;
  EXPECT_EQ(folder_.read("out.json"), direct.out);
}

TEST_F(end_to_end, explain_prints_the_page_of_a_check) {
  for (const char* check : {"narrowed-view", "copy-in-capture", "stridelock-narrowed-view"}) {
    const outcome ended = run({STRIDELOCK_TOOL, "explain", check}, folder_.path());
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_NE(ended.out.find("## Bad"), std::string::npos) << check;
    EXPECT_NE(ended.out.find("## How to silence"), std::string::npos) << check;
  }
}

TEST_F(end_to_end, a_fingerprint_survives_lines_above_it) {
  source("a.cpp");
  const auto before = findings(check({"--format=json", "--fail-on=never"}, {"a.cpp"})).findings;
  folder_.write("a.cpp", "// a comment\n\n" + folder_.read("a.cpp"));
  const auto after = findings(check({"--format=json", "--fail-on=never"}, {"a.cpp"})).findings;
  ASSERT_EQ(before.size(), 1U);
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(before[0].fingerprint, after[0].fingerprint);
  EXPECT_NE(before[0].line, after[0].line);
}

TEST_F(end_to_end, no_absolute_path_appears) {
  source("a.cpp");
  for (const char* format : {"--format=text", "--format=json", "--format=sarif"}) {
    const outcome ended = check({format, "--fail-on=never"}, {"a.cpp"});
    EXPECT_EQ(ended.out.find(folder_.path().string()), std::string::npos) << format << "\n" << ended.out;
  }
}

}  // namespace
}  // namespace stridelock::test
