// Identity, positions, contracts and the header of a unit; bad input.
#include "analyzer/extract/extract.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyzer/extract/test_support.h"
#include "analyzer/ir/text.h"

namespace stridelock::extract {
namespace {

using testing::all;
using testing::body_of;
using testing::extract_cuda;
using testing::extract_sources;
using testing::extract_text;
using testing::function_named;

std::vector<std::string> symbols(const ir::unit& unit) {
  std::vector<std::string> out;
  for (const ir::function& one : unit.functions) out.push_back(one.symbol.str());
  return out;
}

// ---- identity ----------------------------------------------------------------------------------------------------

TEST(identity, statics_of_files_with_the_same_name_are_different) {
  const std::string text = "static int helper(int n) { return n; }\nint USE(int n) { return helper(n); }\n";
  const ir::unit a = extract_sources({{"/project/a/util.cpp", text}}, {"-DUSE=use_a"});
  const ir::unit b = extract_sources({{"/project/b/util.cpp", text}}, {"-DUSE=use_b"});
  EXPECT_EQ(symbols(a), (std::vector<std::string>{"_Z5use_ai", "_ZL6helperi@a/util.cpp"}));
  EXPECT_EQ(symbols(b), (std::vector<std::string>{"_Z5use_bi", "_ZL6helperi@b/util.cpp"}));
  EXPECT_EQ(all<ir::call>(a.functions[0])[0].symbol.view(), "_ZL6helperi@a/util.cpp");
}

TEST(identity, unnamed_namespaces_are_internal_and_unwritten) {
  const ir::unit unit =
      extract_text("namespace engine { inline namespace v2 { namespace { struct s {}; void f(s) {} } } }");
  ASSERT_EQ(unit.functions.size(), 1U);
  EXPECT_TRUE(unit.functions[0].symbol.view().ends_with("@a.cpp"));
  EXPECT_EQ(unit.functions[0].qualified.view(), "engine::f");
  EXPECT_EQ(unit.functions[0].signature.view(), "engine::f(engine::s)");
  EXPECT_FALSE(unit.functions[0].is_exported);
}

TEST(identity, an_internal_function_of_a_header_is_named_by_the_header) {
  const ir::unit unit =
      extract_sources({{"/project/src/a.cpp", "#include \"h.h\"\nint f() { return helper(); }"},
                       {"/project/src/h.h", "static int helper() { return 1; }"}});
  EXPECT_EQ(symbols(unit), (std::vector<std::string>{"_Z1fv", "_ZL6helperv@src/h.h"}));
}

TEST(identity, lambdas_are_counted_within_their_function_and_nest) {
  const ir::unit unit = extract_text(R"(
    template <class F> void run(F f) { f(); }
    void f() {
      run([] { run([] {}); });
      auto generic = [](auto x) { return x; };
      generic(1);
      generic(2.0);
    }
    auto global = [] { return 1; };
  )");
  const std::vector<std::string> found = symbols(unit);
  for (const char* one : {"_Z1fv#0", "_Z1fv#0#0", "_Z1fv#1", "_Z1fv#1~1", "global@a.cpp#0"}) {
    EXPECT_EQ(std::count(found.begin(), found.end(), one), 1) << one << ::testing::PrintToString(found);
  }
  EXPECT_EQ(all<ir::closure>(function_named(unit, "f"))[1].symbol.view(), "_Z1fv#1");
  const std::vector<ir::call> calls = all<ir::call>(function_named(unit, "f"));
  EXPECT_EQ(calls[1].symbol.view(), "_Z1fv#1");
  EXPECT_EQ(calls[2].symbol.view(), "_Z1fv#1~1");
  for (const ir::function& one : unit.functions) {
    if (one.symbol.view() == "_Z1fv#0#0") {
      EXPECT_EQ(one.signature.view(), "f() (lambda)");
    }
  }
}

TEST(identity, a_lambda_is_called_by_its_symbol_even_from_a_template_lowered_earlier) {
  const ir::unit unit = extract_text("template <class F> void run(F f) { f(); }\nvoid g() { run([] {}); }");
  EXPECT_EQ(all<ir::call>(function_named(unit, "run"))[0].symbol.view(), "_Z1gv#0");
}

TEST(identity, c_names_and_kernels) {
  EXPECT_EQ(
      symbols(extract_sources(
          {{"/project/a.c", "static int helper(void) { return 1; } int shared(void) { return helper(); }"}})),
      (std::vector<std::string>{"helper@a.c", "shared"}));
  const ir::unit unit =
      extract_cuda("__global__ void scale(float* x) {}\nvoid f(float* x) { scale<<<1, 1>>>(x); }");
  const ir::function& kernel = function_named(unit, "scale");
  EXPECT_EQ(kernel.symbol.view(), "_Z5scalePf");
  EXPECT_TRUE(kernel.is_kernel);
  EXPECT_EQ(all<ir::call>(function_named(unit, "f")).back().symbol.view(), "_Z5scalePf");
  EXPECT_TRUE(function_named(extract_cuda("__device__ int d() { return 1; }"), "d").is_device);
}

TEST(identity, qualified_names_have_no_template_arguments) {
  const ir::unit unit = extract_text(R"(
    namespace a { template <class T> struct box { template <class U> U get(T) const; box(); ~box(); T operator[](int); operator bool() const; }; }
    void f(a::box<int>& b) { b.get<long>(1); b[2]; bool x = b; a::box<char> c; }
  )");
  std::vector<std::string> callees, records;
  for (const ir::call& one : all<ir::call>(function_named(unit, "f"))) {
    callees.push_back(one.callee.str());
    records.push_back(one.record.str());
  }
  EXPECT_EQ(callees, (std::vector<std::string>{"a::box::get", "a::box::operator[]", "a::box::operator bool",
                                               "a::box::box", "a::box::~box"}));
  EXPECT_EQ(records, (std::vector<std::string>(5, "a::box")));
}

TEST(identity, a_method_is_named_by_its_class_and_keeps_the_static_class_of_the_object) {
  const ir::unit unit = extract_text(
      "struct base { bool dense() const; }; struct tensor : base {}; bool f(const tensor& t) { return "
      "t.dense(); }");
  const ir::call call = all<ir::call>(function_named(unit, "f"))[0];
  EXPECT_EQ(call.callee.view(), "base::dense");
  EXPECT_EQ(call.record.view(), "tensor");
  EXPECT_TRUE(call.is_method);
}

TEST(identity, overrides_and_the_hierarchy) {
  const ir::unit unit = extract_text(R"(
    struct base { virtual void run() {} virtual ~base(); };
    struct derived final : base { void run() override {} int width; base* next; };
    void f() { derived d; new base; }
  )");
  EXPECT_EQ(function_named(unit, "derived::run").overrides, (std::vector<ir::name>{"_ZN4base3runEv"}));
  EXPECT_TRUE(function_named(unit, "derived::run").is_virtual);
  ASSERT_EQ(unit.records.size(), 2U);
  EXPECT_EQ(unit.records[1],
            (ir::record{"derived", {"base"}, {{"width", "int", ""}, {"next", "base *", "base"}}, true}));
  EXPECT_EQ(unit.constructed, (std::vector<ir::name>{"base", "derived"}));
}

// ---- positions -----------------------------------------------------------------------------------------------------

TEST(positions, a_macro_counts_where_it_is_expanded_and_its_arguments_where_they_are_written) {
  const ir::unit unit = extract_text(
      "[[noreturn]] void fail();\nbool dense(int);\n#define CHECK(c) if (!(c)) fail()\n"
      "#define DISPATCH(...) do { __VA_ARGS__(); } while (0)\n"
      "void f(int n) {\n  CHECK(dense(n));\n  DISPATCH([&] {\n    dense(n);\n  });\n}\n");
  std::vector<ir::location> found;
  std::vector<std::string> text;
  for (const char* name : {"f", "f::(lambda)::operator()"}) {
    for (const ir::block& block : function_named(unit, name).blocks) {
      for (const ir::instruction& one : block.body) {
        if (!std::holds_alternative<ir::call>(one.what)) continue;
        found.push_back(one.where);
        text.push_back(one.spelling.str());
      }
    }
  }
  EXPECT_EQ(found,
            (std::vector<ir::location>{{"a.cpp", 6, 9}, {"a.cpp", 6, 3}, {"a.cpp", 7, 12}, {"a.cpp", 8, 5}}));
  EXPECT_EQ(text[0], "dense(n)");
  EXPECT_EQ(text[1], "CHECK(dense(n))");
  EXPECT_EQ(text[3], "dense(n)");
}

TEST(positions, source_text_is_folded_and_cut) {
  const ir::unit unit =
      extract_text("int g(int);\nint f(int a) { return g(a\n      +   1); }\nint h() { return g(1" +
                   std::string(100, ' ') +
                   [] {
                     std::string sum;
                     for (int i = 0; i < 100; ++i) sum += " + 2";
                     return sum;
                   }() +
                   "); }");
  const ir::call call = all<ir::call>(function_named(unit, "f"))[0];
  EXPECT_EQ(call.args[0].spelling.view(), "a + 1");
  EXPECT_EQ(all<ir::call>(function_named(unit, "h"))[0].args[0].spelling.view().size(), 160U);
}

TEST(positions, file_names_are_relative_also_in_string_literals) {
  const ir::unit unit =
      extract_sources({{"/project/sub/a.cpp", "void log(const char*);\nvoid f() { log(__FILE__); }"}});
  EXPECT_EQ(function_named(unit, "f").where.file.view(), "sub/a.cpp");
  EXPECT_EQ(unit.main_file.view(), "sub/a.cpp");
  EXPECT_EQ(all<ir::call>(function_named(unit, "f"))[0].args[0].what, ir::operand(ir::text{"sub/a.cpp"}));
}

TEST(positions, no_text_names_the_checkout) {
  const ir::unit unit = extract_text(
      "auto f = [] {}; struct { int x; } s; template <class T> void g(T) {} void h() { g(f); g(s); }");
  std::string text = ir::print(unit);
  for (std::size_t at; (at = text.find("dependency /project")) != std::string::npos;)
    text.replace(at, 19, "");
  EXPECT_EQ(text.find("/project"), std::string::npos) << text;
}

// ---- contracts ---------------------------------------------------------------------------------------------------

TEST(contracts, annotations_on_any_declaration) {
  const ir::unit unit = extract_text(R"(
    #define REQUIRES(x) [[clang::annotate("stridelock:requires:" x)]]
    struct tensor {};
    void run(REQUIRES("contiguous; int32") const tensor& indices, int n);
    void run(const tensor& i, int n) {}
    template <class T> void generic(REQUIRES("row_pitched") T t) {}
    void f() { generic(tensor{}); }
    void other([[clang::annotate("something")]] tensor t) {}
  )");
  EXPECT_EQ(function_named(unit, "run").params[0].contract.view(), "contiguous; int32");
  EXPECT_EQ(function_named(unit, "run").params[1].contract.view(), "");
  EXPECT_EQ(function_named(unit, "generic").params[0].contract.view(), "row_pitched");
  EXPECT_EQ(function_named(unit, "other").params[0].contract.view(), "");
}

TEST(contracts, declarations_outside_the_project_count_if_they_carry_one) {
  const ir::unit unit =
      extract_sources({{"/project/a.cpp", "#include </sdk/lib.h>\nvoid f(float* p) { run(p); plain(p); }"},
                       {"/sdk/lib.h",
                        "void run([[clang::annotate(\"stridelock:requires:aligned(16)\")]] float* p);\nvoid "
                        "plain(float*);"}});
  EXPECT_EQ(symbols(unit), (std::vector<std::string>{"_Z1fPf", "_Z3runPf"}));
  EXPECT_TRUE(function_named(unit, "run").blocks.empty());
  EXPECT_EQ(function_named(unit, "run").params[0].contract.view(), "aligned(16)");
}

TEST(contracts, typed_views_promise_their_layout) {
  const ir::unit unit = extract_text(R"(
    namespace stridelock {
      struct strided {}; struct inner_contiguous {}; struct row_pitched {}; struct contiguous {};
      template <class T, int R, class L = contiguous, class I = long> struct view { T* data; };
    }
    void f(stridelock::view<int, 2> a, const stridelock::view<int, 2, stridelock::row_pitched>& b,
           stridelock::view<int, 1, stridelock::inner_contiguous, int> c, stridelock::view<int, 1, stridelock::strided> d) {}
  )");
  std::vector<std::string> found;
  for (const ir::parameter& one : function_named(unit, "f").params) found.push_back(one.contract.str());
  EXPECT_EQ(found, (std::vector<std::string>{"contiguous", "row_pitched", "inner_contiguous", ""}));
}

TEST(parameters, say_how_they_are_passed) {
  const ir::unit unit = extract_text(
      "namespace n { template <class T> struct box {}; }\n"
      "void f(n::box<int> a, n::box<int>& b, const n::box<int>& c, n::box<int>&& d, const float* e, float** "
      "g, int h) {}");
  using ir::passing;
  struct expected {
    passing how;
    bool is_pointer, to_const;
    const char* record;
    const char* type;
  };
  const expected rows[] = {{passing::value, false, false, "n::box", "n::box<int>"},
                           {passing::reference, false, false, "n::box", "n::box<int> &"},
                           {passing::const_reference, false, true, "n::box", "const n::box<int> &"},
                           {passing::rvalue_reference, false, false, "n::box", "n::box<int> &&"},
                           {passing::value, true, true, "", "const float *"},
                           {passing::value, true, false, "", "float **"},
                           {passing::value, false, false, "", "int"}};
  const ir::function& f = function_named(unit, "f");
  ASSERT_EQ(f.params.size(), std::size(rows));
  for (std::size_t i = 0; i < f.params.size(); ++i) {
    EXPECT_EQ(f.params[i].how, rows[i].how) << i;
    EXPECT_EQ(f.params[i].is_pointer, rows[i].is_pointer) << i;
    EXPECT_EQ(f.params[i].to_const, rows[i].to_const) << i;
    EXPECT_EQ(f.params[i].record.view(), rows[i].record) << i;
    EXPECT_EQ(f.params[i].type.view(), rows[i].type) << i;
  }
}

// ---- the unit ----------------------------------------------------------------------------------------------------

TEST(unit, only_the_project_has_bodies) {
  const ir::unit unit = extract_sources(
      {{"/project/a.cpp",
        "#include \"inc.h\"\n#include </sdk/lib.h>\nint f() { return lib() + ours() + twice(2); }\nvoid "
        "declared();"},
       {"/project/inc.h", "inline int ours() { return 1; }"},
       {"/sdk/lib.h",
        "inline int lib() { return broken_if_parsed; }\ntemplate <class T> T twice(T t) { return t + t; }"}});
  EXPECT_EQ(unit.state, ir::unit_state::clean) << "a skipped body is not even parsed";
  EXPECT_EQ(symbols(unit), (std::vector<std::string>{"_Z1fv", "_Z4oursv", "_Z8declaredv"}));
  EXPECT_TRUE(function_named(unit, "declared").blocks.empty());
}

TEST(unit, roots_can_be_narrower_than_the_project) {
  extract_options options;
  options.roots = {"/project/src"};
  const ir::unit unit =
      extract_sources({{"/project/src/a.cpp", "#include \"../third/b.h\"\nint f() { return g(); }"},
                       {"/project/third/b.h", "inline int g() { return 1; }"}},
                      {}, options);
  EXPECT_EQ(symbols(unit), std::vector<std::string>{"_Z1fv"});
}

TEST(unit, header_says_what_the_flags_mean) {
  EXPECT_FALSE(extract_text("").asserts_disabled);
  EXPECT_TRUE(extract_text("", {"-DNDEBUG"}).asserts_disabled);
  EXPECT_FALSE(extract_text("").per_thread_default_stream);
  EXPECT_TRUE(extract_text("", {"-DCUDA_API_PER_THREAD_DEFAULT_STREAM"}).per_thread_default_stream);
}

TEST(unit, depends_on_every_file_read_and_on_nothing_supplied) {
  const ir::unit unit = extract_sources(
      {{"/project/a.cpp", "#include \"b.h\"\n#include </sdk/c.h>"}, {"/project/b.h", ""}, {"/sdk/c.h", ""}},
      {"-isystem", "/sdk"});
  EXPECT_EQ(unit.dependencies, (std::vector<ir::name>{"/project/a.cpp", "/project/b.h", "/sdk/c.h"}));
}

TEST(unit, counts_templates_nobody_instantiates) {
  EXPECT_EQ(extract_text("template <class T> void a(T) {}\ntemplate <class T> void b(T) {}\ntemplate <class "
                         "T> struct c { void m() {} };\n"
                         "void f() { a(1); }")
                .templates_without_instance,
            2U);
}

TEST(unit, counts_regions_of_the_device_pass) {
  const ir::unit unit = extract_cuda(R"(
    #if __CUDA_ARCH__ >= 900
    #elif defined(__CUDA_ARCH__)
    #else
    #endif
    #ifdef __CUDA_ARCH__
    #endif
    #ifndef __CUDA_ARCH__
    #else
    #endif
    #ifndef __CUDA_ARCH__
    #endif
    #if OTHER
    #endif
  )");
  EXPECT_EQ(unit.hidden_by_cuda_arch, 4U);
}

TEST(unit, collects_suppressions_of_the_project) {
  const ir::unit unit =
      extract_sources({{"/project/a.cpp",
                        "#include </sdk/b.h>\n#include \"c.h\"\n#include \"c.h\"\nint x; // "
                        "NOLINT(stridelock-narrowed-view): padded\n"
                        "void f() {\n  // NOLINTNEXTLINE(stridelock-copy-in-capture): once\n  x = 1;\n}\n"
                        "#define M x /* NOLINT(stridelock-a): in a macro */\n#if 0\n// NOLINT(stridelock-b): "
                        "never seen\n#endif\n"},
                       {"/project/c.h", "// NOLINT(stridelock-c): twice included"},
                       {"/sdk/b.h", "// NOLINT(stridelock-d): not ours"}});
  std::vector<ir::suppression> expected = {{"a.cpp", 4, 4, "narrowed-view", "padded"},
                                           {"a.cpp", 7, 6, "copy-in-capture", "once"},
                                           {"c.h", 1, 1, "c", "twice included"}};
  std::vector<ir::suppression> found = unit.suppressions;
  std::erase_if(found, [](const ir::suppression& one) { return one.check.view() == "a"; });
  EXPECT_EQ(found, expected);
}

TEST(unit, the_same_input_gives_the_same_bytes) {
  const std::string text = R"(
    namespace { struct s { int x; ~s(); }; }
    template <class T> T pick(bool b, T x, T y) { return b ? x : y; }
    void f(bool b) { auto l = [&](auto v) { return pick(b, v, v); }; l(1); l(2.0); l(s{}); }
  )";
  EXPECT_EQ(ir::print(extract_text(text)), ir::print(extract_text(text)));
}

TEST(unit, its_text_reads_back) {
  const ir::unit unit = extract_text(R"(
    struct t { t(); ~t(); int n; virtual bool v(const char* s = "a\"\n\\"); };
    enum class e { none };
    bool f(t* p, e x) { if (auto l = [p, &x](int i) { return p[i].v() && x == e::none; }; l(2)) return true; throw t(); }
  )");
  const auto parsed = ir::parse(ir::print(unit), "unit");
  ASSERT_TRUE(std::holds_alternative<ir::unit>(parsed)) << std::get<ir::parse_error>(parsed).str();
  EXPECT_EQ(std::get<ir::unit>(parsed), unit);
}

TEST(unit, digests_differ_by_flags_and_not_by_run) {
  const extract_options options;
  const compile_command a{"/", "/project/a.cpp", {"clang", "-DX", "/project/a.cpp"}};
  const compile_command b{"/", "/project/a.cpp", {"clang", "-DY", "/project/a.cpp"}};
  EXPECT_EQ(command_digest(a, options), command_digest(a, options));
  EXPECT_NE(command_digest(a, options), command_digest(b, options));
  EXPECT_EQ(command_digest(a, options), extract(a, options).command_digest.str());
}

TEST(unit, deduction_guides_are_no_functions) {
  const ir::unit unit = extract_text(
      "template <class T> struct box { box(T); };\ntemplate <class T> box(T*) -> box<T>;\nbox(long) -> "
      "box<int>;\n"
      "void f(int* p) { box b(p); box c(2L); }");
  EXPECT_EQ(unit.error_count, 1U) << "int* does not convert to int";
  EXPECT_EQ(symbols(unit), std::vector<std::string>{"_Z1fPi"});
}

TEST(unit, openmp_regions_are_lowered_in_place) {
  const ir::unit unit = extract_text(
      "#include <omp.h>\nvoid g(int); template <class F> void run(F f) { f(); }\n"
      "void f(int n) {\n#pragma omp parallel for\nfor (int i = 0; i < n; ++i) { g(omp_get_thread_num()); "
      "run([i] { g(i); }); }\n}",
      {"-fopenmp"});
  EXPECT_EQ(unit.error_count, 0U);
  const ir::function& f = function_named(unit, "f");
  EXPECT_EQ(all<ir::unknown>(f).size(), 0U) << body_of(f);
  EXPECT_EQ(all<ir::call>(f).size(), 3U) << body_of(f);
  EXPECT_EQ(all<ir::closure>(f)[0].symbol.view(), "_Z1fi#0");
}

// ---- bad input ---------------------------------------------------------------------------------------------------

TEST(bad_input, a_missing_file_is_a_failed_unit) {
  const ir::unit unit = extract({"/", "/nonexistent/a.cpp", {"clang", "/nonexistent/a.cpp"}}, {});
  EXPECT_EQ(unit.state, ir::unit_state::failed);
  ASSERT_EQ(unit.diagnostics.size(), 1U);
  EXPECT_EQ(unit.diagnostics[0].message.view(), "the file '/nonexistent/a.cpp' does not exist");
}

TEST(bad_input, a_missing_folder_is_a_failed_unit) {
  const ir::unit unit = extract({"/nonexistent", "a.cpp", {"clang", "a.cpp"}}, {});
  EXPECT_EQ(unit.state, ir::unit_state::failed);
  EXPECT_EQ(unit.diagnostics[0].message.view(),
            "the folder '/nonexistent' of the compile command does not exist");
}

TEST(bad_input, an_empty_command_is_a_failed_unit) {
  EXPECT_EQ(extract({}, {}).state, ir::unit_state::failed);
}

TEST(bad_input, an_unknown_option_is_reported_and_the_rest_analysed) {
  const ir::unit unit = extract_text("int f() { return 1; }", {"--no-such-option"});
  EXPECT_EQ(unit.state, ir::unit_state::degraded);
  EXPECT_EQ(unit.diagnostics[0].message.view(), "unknown argument: '--no-such-option'");
  EXPECT_EQ(symbols(unit), std::vector<std::string>{"_Z1fv"});
}

TEST(bad_input, errors_degrade_the_unit_and_cost_only_their_function) {
  const ir::unit unit = extract_text(
      "int good(int n) { return n; }\nint bad(int n) { return undeclared(n) + n; }\nint also() { return "
      "good(1); }");
  EXPECT_EQ(unit.state, ir::unit_state::degraded);
  EXPECT_EQ(unit.error_count, 1U);
  ASSERT_EQ(unit.diagnostics.size(), 1U);
  EXPECT_EQ(unit.diagnostics[0].where, (ir::location{"a.cpp", 2, 25}));
  EXPECT_EQ(unit.diagnostics[0].message.view(), "use of undeclared identifier 'undeclared'");
  EXPECT_EQ(body_of(unit, "bad"), "b0:\n  %0 = unknown \"the function contains errors\"\n  return\n");
  EXPECT_EQ(all<ir::call>(function_named(unit, "also")).size(), 1U);
}

TEST(bad_input, a_missing_header_does_not_hide_what_follows) {
  const ir::unit unit = extract_text("#include <missing.h>\nint f() { return 1; }");
  EXPECT_EQ(unit.state, ir::unit_state::degraded);
  EXPECT_EQ(unit.diagnostics[0].message.view(), "'missing.h' file not found");
  EXPECT_EQ(symbols(unit), std::vector<std::string>{"_Z1fv"});
}

TEST(bad_input, all_errors_are_counted_and_the_first_kept) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "undeclared" + std::to_string(i) + " x" + std::to_string(i) + ";\n";
  const ir::unit unit = extract_text(text);
  EXPECT_EQ(unit.error_count, 50U);
  EXPECT_EQ(unit.diagnostics.size(), 20U);
}

TEST(bad_input, broken_code_does_not_crash) {
  for (const char* text :
       {"struct a { a(b); ~a() { c", "template <class T> void f(T t) { t.x( } void g() { f(1); }",
        "auto f = [x](auto y { return", "int f(int n) { switch (n) { case x: return 1; } }",
        "struct s : missing { s() : missing(1), y(2) {} int m = z; }; s x; void f() { s t = x; t.m; }",
        "namespace { void f() { for (auto& x : undefined) x(); auto [a, b] = 3; } }",
        "template <class T> struct t { T v[sizeof(T::n)]; }; void f() { t<int> x; x.v; }",
        "void f() { try { } catch (nothing& n) { throw n; } new missing; delete p; }",
        "struct incomplete; void f(incomplete x, incomplete& y) { incomplete z; g(x, y = x); }",
        "\xff\xfe\x01 void f() { \"", "/* never closed", "#if 1\nvoid f() {", "}}}}))))",
        "int f() { goto nowhere; }",
        "void f(int n) { auto l = [&]<class T>(T t) requires missing<T> { return n; }; l(1); }"}) {
    const ir::unit unit = extract_text(text);
    EXPECT_EQ(unit.state, ir::unit_state::degraded) << text;
    EXPECT_GT(unit.error_count, 0U) << text;
  }
}

TEST(bad_input, long_sums_do_not_overflow_the_stack) {
  std::string sum = "n";
  for (int i = 0; i < 5000; ++i) sum += " + n";
  const ir::unit unit = extract_text("int f(int n) { return " + sum + "; }\nint g(int n = 1, int m = 2);");
  EXPECT_EQ(unit.state, ir::unit_state::clean);
  EXPECT_EQ(all<ir::expr>(function_named(unit, "f")).size(), 5000U);
}

TEST(bad_input, a_function_with_too_many_instructions_is_one_unknown) {
  extract_options options;
  options.max_instructions = 100;
  std::string body;
  for (int i = 0; i < 101; ++i) body += "g();";
  const ir::unit unit = extract_sources(
      {{"/project/a.cpp", "void g(); void f() {" + body + "} void h() { g(); }"}}, {}, options);
  EXPECT_EQ(body_of(unit, "f"), "b0:\n  %0 = unknown \"limit: instructions of a function\"\n  return\n");
  EXPECT_EQ(all<ir::call>(function_named(unit, "h")).size(), 1U);
}

}  // namespace
}  // namespace stridelock::extract
