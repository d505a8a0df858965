#include "analyzer/extract/translate_command.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace stridelock::extract {
namespace {

using words = std::vector<std::string>;

class translate_command : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("stridelock_translate_") +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_ / "cuda" / "include");
    std::ofstream(folder_ / "cuda" / "include" / "cuda_runtime.h") << "\n";
    options_.cuda_path = (folder_ / "cuda").string();
    options_.resource_dir = "/clang";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  translated_command run(words arguments, const std::string& file = "a.cpp") {
    return translate({folder_.string(), file, std::move(arguments)}, options_);
  }
  // What is left of the arguments, without what is always there.
  static words kept(const translated_command& command) {
    words out = command.arguments;
    if (!out.empty()) out.erase(out.begin());
    for (const words& fixed :
         {words{"--driver-mode=g++"}, words{"-fsyntax-only", "-w", "-resource-dir", "/clang"},
          words{"-idirafter", "/stridelock-supplied/generated"}, words{"--", command.main_file}}) {
      auto at = std::search(out.begin(), out.end(), fixed.begin(), fixed.end());
      if (at != out.end()) out.erase(at, at + static_cast<std::ptrdiff_t>(fixed.size()));
    }
    return out;
  }
  // Of a CUDA file also without what the host pass adds.
  words cuda_kept(words arguments) {
    arguments.insert(arguments.begin(), "nvcc");
    arguments.emplace_back("a.cu");
    const translated_command made = run(arguments, "a.cu");
    EXPECT_EQ(made.error, "");
    words out = kept(made);
    for (const words& fixed : {words{"--cuda-host-only", "-nocudalib", "--no-cuda-version-check"},
                               words{"--cuda-path=" + options_.cuda_path},
                               words{"-include", "/stridelock-supplied/prelude/cuda.h"},
                               words{"-D_CG_CLUSTER_INTRINSICS_AVAILABLE"},
                               words{"-isystem", "/stridelock-supplied/cuda"}, words{"-x", "cuda"}}) {
      auto at = std::search(out.begin(), out.end(), fixed.begin(), fixed.end());
      if (at == out.end()) {
        ADD_FAILURE() << fixed.back() << " is missing";
      } else {
        out.erase(at, at + static_cast<std::ptrdiff_t>(fixed.size()));
      }
    }
    return out;
  }
  static const option_change* change(const translated_command& command, const std::string& option) {
    for (const option_change& one : command.changes) {
      if (one.option == option) return &one;
    }
    return nullptr;
  }

  std::filesystem::path folder_;
  translate_options options_;
};

TEST_F(translate_command, keeps_what_means_something_and_drops_outputs) {
  const translated_command made =
      run({"g++",      "-DX=1", "-D",          "Y",     "-UZ",      "-Iinc", "-I",         "inc2",
           "-isystem", "sys",   "-iquote",     "q",     "-include", "pre.h", "-std=c++20", "-O2",
           "-g",       "-Wall", "-Werror=foo", "-fPIC", "-pthread", "-MD",   "-MT",        "a.o",
           "-MF",      "a.d",   "-o",          "a.o",   "-c",       "a.cpp"});
  EXPECT_EQ(made.error, "");
  EXPECT_EQ(kept(made), (words{"-DX=1", "-D", "Y", "-UZ", "-Iinc", "-I", "inc2", "-isystem", "sys", "-iquote",
                               "q", "-include", "pre.h", "-std=c++20", "-O2", "-fPIC", "-pthread"}));
  EXPECT_EQ(made.main_file, (folder_ / "a.cpp").string());
  EXPECT_EQ(made.arguments.back(), made.main_file);
  EXPECT_FALSE(made.is_cuda);
}

TEST_F(translate_command, a_cxx_compiler_reads_c_files_as_cxx) {
  EXPECT_EQ(run({"/usr/bin/g++-12", "-c", "a.c"}, "a.c").arguments[1], "--driver-mode=g++");
  EXPECT_NE(run({"gcc", "-c", "a.c"}, "a.c").arguments[1], "--driver-mode=g++");
}

TEST_F(translate_command, launchers_are_no_compilers) {
  EXPECT_EQ(kept(run({"/usr/bin/ccache", "sccache", "g++", "-DA", "-c", "a.cpp"})), words{"-DA"});
}

TEST_F(translate_command, every_change_says_why) {
  const translated_command made = run({"g++", "-c", "a.cpp", "-o", "a.o", "-Wall", "b.o"});
  EXPECT_EQ(*change(made, "-o a.o"),
            (option_change{"-o a.o", "dropped", "names an output; nothing is written"}));
  EXPECT_EQ(*change(made, "b.o"), (option_change{"b.o", "dropped", "another input; a unit is one file"}));
  EXPECT_NE(change(made, "-Wall"), nullptr);
  for (const option_change& one : made.changes) EXPECT_NE(one.reason, "") << one.option;
}

TEST_F(translate_command, options_of_gcc_that_clang_does_not_know) {
  const translated_command made =
      run({"g++", "-fconserve-stack", "-mno-such-thing", "-fno-canonical-system-headers", "a.cpp"});
  EXPECT_TRUE(kept(made).empty()) << ::testing::PrintToString(kept(made));
  EXPECT_EQ(change(made, "-fconserve-stack")->outcome, "dropped");
}

TEST_F(translate_command, an_unknown_option_is_kept_and_listed) {
  const translated_command made = run({"g++", "--no-such-option", "a.cpp"});
  EXPECT_EQ(kept(made), words{"--no-such-option"});
  EXPECT_EQ(change(made, "--no-such-option")->outcome, "kept");
}

TEST_F(translate_command, preprocessor_options_pass_but_dependencies_do_not) {
  EXPECT_EQ(kept(run({"gcc", "-Wp,-DX", "-Wp,-MD,a.d", "-Wl,-z", "-Wa,-x", "a.c"}, "a.c")), words{"-Wp,-DX"});
}

TEST_F(translate_command, response_files_are_read) {
  std::ofstream(folder_ / "a.rsp") << "-DA=\"1 2\" @b.rsp\n-Iinc";
  std::ofstream(folder_ / "b.rsp") << "-DB";
  const translated_command made = run({"g++", "@a.rsp", "-c", "a.cpp"});
  EXPECT_EQ(kept(made), (words{"-DA=1 2", "-DB", "-Iinc"}));
  EXPECT_EQ(change(made, "@a.rsp")->outcome, "read");
}

TEST_F(translate_command, a_missing_or_endless_response_file_is_an_error) {
  EXPECT_TRUE(
      run({"g++", "@missing.rsp", "a.cpp"})
          .error.starts_with("the response file '" + folder_.string() + "/missing.rsp' cannot be read: "));
  std::ofstream(folder_ / "loop.rsp") << "@loop.rsp";
  EXPECT_EQ(run({"g++", "@loop.rsp", "a.cpp"}).error, "response files name each other without end");
  std::ofstream(folder_ / "loop.opt") << "--options-file loop.opt";
  EXPECT_EQ(run({"nvcc", "--options-file", "loop.opt", "a.cu"}, "a.cu").error,
            "options files name each other without end");
}

TEST_F(translate_command, an_empty_command_is_an_error) {
  EXPECT_NE(run({}).error, "");
  EXPECT_NE(run({"ccache"}).error, "");
  EXPECT_NE(run({"g++"}, "").error, "");
}

TEST_F(translate_command, a_cuda_file_is_read_in_its_host_pass) {
  EXPECT_EQ(cuda_kept({}), words{});
  EXPECT_TRUE(run({"nvcc", "a.cu"}, "a.cu").is_cuda);
  EXPECT_TRUE(run({"nvcc", "-x", "cu", "a.cpp"}).is_cuda);
  EXPECT_TRUE(run({"clang++", "-x", "cuda", "a.cpp"}).is_cuda);
  EXPECT_FALSE(run({"nvcc", "a.cpp"}).is_cuda);
  EXPECT_FALSE(run({"g++", "-x", "c++", "a.cu"}, "a.cu").is_cuda);
}

TEST_F(translate_command, long_and_short_spellings_of_nvcc) {
  EXPECT_EQ(cuda_kept({"--define-macro", "A", "--define-macro=B=1", "-DC", "-D", "D", "-D=E"}),
            (words{"-DA", "-DB=1", "-DC", "-DD", "-DE"}));
  EXPECT_EQ(cuda_kept({"--include-path=a", "-I", "b", "-Ic", "--system-include", "d", "-isystem=e"}),
            (words{"-Ia", "-Ib", "-Ic", "-isystem", "d", "-isystem", "e"}));
  EXPECT_EQ(cuda_kept({"--std=c++17"}), words{"-std=c++17"});
  EXPECT_EQ(cuda_kept({"-std", "c++20"}), words{"-std=c++20"});
  EXPECT_EQ(cuda_kept({"--pre-include", "p.h", "--undefine-macro=U"}), (words{"-include", "p.h", "-UU"}));
}

TEST_F(translate_command, options_of_nvcc_that_concern_device_code_or_driving) {
  EXPECT_EQ(cuda_kept({"-gencode",
                       "arch=compute_90,code=sm_90",
                       "-gencode=arch=compute_80,code=sm_80",
                       "--generate-code=arch=compute_75,code=[compute_75,sm_75]",
                       "-arch=sm_90",
                       "-arch",
                       "native",
                       "--gpu-architecture=all",
                       "-code=sm_80",
                       "-rdc=true",
                       "--relocatable-device-code",
                       "true",
                       "--maxrregcount=64",
                       "-maxrregcount",
                       "32",
                       "--use_fast_math",
                       "-use_fast_math",
                       "--ftz=true",
                       "-prec-div=false",
                       "--fmad",
                       "true",
                       "-Xptxas",
                       "-v",
                       "-Xptxas=-O3,-v",
                       "--ptxas-options=-v",
                       "-Xcudafe",
                       "--diag_suppress=177",
                       "-Xcudafe=--display_error_number",
                       "-Xfatbin=-compress-all",
                       "-Xfatbin",
                       "-compress-all",
                       "-static-global-template-stub=false",
                       "--threads=4",
                       "--threads",
                       "8",
                       "-t=2",
                       "-t4",
                       "-t",
                       "0",
                       "-ccbin",
                       "/usr/bin/g++-12",
                       "-ccbin=clang++",
                       "--compiler-bindir",
                       "g++",
                       "--allow-unsupported-compiler",
                       "-forward-unknown-to-host-compiler",
                       "--forward-unknown-to-host-linker",
                       "-lineinfo",
                       "-G",
                       "--source-in-ptx",
                       "--restrict",
                       "-dc",
                       "--device-c",
                       "-dlto",
                       "--split-compile=0",
                       "-compress-mode=size",
                       "--keep",
                       "--keep-dir",
                       "k",
                       "-Werror",
                       "all-warnings",
                       "-Werror=reorder",
                       "-diag-suppress",
                       "20012",
                       "--diag-warn=1",
                       "-MD",
                       "-MF",
                       "a.d",
                       "-MT",
                       "a.o",
                       "-o",
                       "a.o",
                       "-odir",
                       "out",
                       "-c",
                       "-cudart",
                       "static",
                       "-L/lib",
                       "-lfoo",
                       "-Xlinker",
                       "-z",
                       "-v",
                       "--time=t.csv",
                       "-m64",
                       "-res-usage"}),
            words{});
}

TEST_F(translate_command, experimental_options_become_their_macros) {
  EXPECT_EQ(cuda_kept({"--expt-relaxed-constexpr", "-expt-relaxed-constexpr"}),
            (words{"-D__CUDACC_RELAXED_CONSTEXPR__=1", "-D__CUDACC_RELAXED_CONSTEXPR__=1"}));
  EXPECT_EQ(cuda_kept({"--extended-lambda"}), words{"-D__CUDACC_EXTENDED_LAMBDA__=1"});
  EXPECT_EQ(cuda_kept({"--expt-extended-lambda"}), words{"-D__CUDACC_EXTENDED_LAMBDA__=1"});
}

TEST_F(translate_command, the_default_stream_is_part_of_the_meaning) {
  EXPECT_EQ(cuda_kept({"--default-stream", "per-thread"}), words{"-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"});
  EXPECT_EQ(cuda_kept({"-default-stream=per-thread"}), words{"-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"});
  EXPECT_EQ(cuda_kept({"-default-stream=legacy"}), words{});
}

TEST_F(translate_command, options_for_the_host_compiler_are_unpacked) {
  EXPECT_EQ(cuda_kept({"-Xcompiler", "-fPIC,-Wall", "-Xcompiler=-DX=1", "--compiler-options=-fopenmp",
                       "-Xcompiler=-fno-strict-aliasing,\"-DY=a b\"", "-Xcompiler",
                       "-Wall -Wextra -fno-rtti -DZ", "-Xcompiler=-mno-such,-fconserve-stack"}),
            (words{"-fPIC", "-DX=1", "-fopenmp", "-fno-strict-aliasing", "-DY=a b", "-fno-rtti", "-DZ",
                   "-idirafter", "/stridelock-supplied/openmp"}));
  // In the host's part, an option is the host compiler's: -e is no entry point there.
  EXPECT_EQ(cuda_kept({"-Xcompiler=-march=x86-64-v3"}), words{"-march=x86-64-v3"});
}

TEST_F(translate_command, host_options_without_wrapping_pass_as_well) {
  EXPECT_EQ(cuda_kept({"-O3", "-fPIC", "-Wno-deprecated-gpu-targets", "-w"}), (words{"-O3", "-fPIC"}));
}

TEST_F(translate_command, options_files_are_read) {
  std::ofstream(folder_ / "inc.rsp") << "-Ia -I \"b c\"\n-isystem d --threads 4";
  EXPECT_EQ(cuda_kept({"--options-file", "inc.rsp"}), (words{"-Ia", "-Ib c", "-isystem", "d"}));
  EXPECT_EQ(cuda_kept({"-optf=inc.rsp", "-DX"}), (words{"-Ia", "-Ib c", "-isystem", "d", "-DX"}));
  EXPECT_NE(run({"nvcc", "--options-file", "none.rsp", "a.cu"}, "a.cu").error, "");
}

TEST_F(translate_command, without_a_toolkit_a_cuda_file_is_an_error) {
  options_.cuda_path = "/nonexistent/cuda";
  EXPECT_EQ(run({"nvcc", "a.cu"}, "a.cu").error,
            "a CUDA file needs the CUDA toolkit's headers, and none were found (looked in "
            "/nonexistent/cuda): give the "
            "toolkit's folder with --cuda-path");
  EXPECT_EQ(run({"nvcc", "a.cpp"}).error, "") << "a host file does not";
  EXPECT_EQ(run({"clang++", "-nocudainc", "a.cu"}, "a.cu").error, "");
}

TEST_F(translate_command, the_toolkit_is_that_of_the_compiler_in_the_command) {
  std::filesystem::create_directories(folder_ / "cuda" / "bin");
  options_.cuda_path.clear();
  const translated_command made = run({(folder_ / "cuda" / "bin" / "nvcc").string(), "a.cu"}, "a.cu");
  EXPECT_NE(
      std::find(made.arguments.begin(), made.arguments.end(), "--cuda-path=" + (folder_ / "cuda").string()),
      made.arguments.end());
}

TEST_F(translate_command, a_toolkit_with_a_cccl_folder_has_it_searched) {
  std::filesystem::create_directories(folder_ / "cuda" / "include" / "cccl");
  const translated_command made = run({"nvcc", "-Imine", "a.cu"}, "a.cu");
  const auto mine = std::find(made.arguments.begin(), made.arguments.end(), "-Imine");
  const auto cccl =
      std::find(made.arguments.begin(), made.arguments.end(), options_.cuda_path + "/include/cccl");
  ASSERT_NE(cccl, made.arguments.end());
  EXPECT_LT(mine, cccl) << "a project's own comes first";
}

TEST_F(translate_command, clang_as_cuda_compiler) {
  EXPECT_EQ(kept(run({"clang++", "-x", "cuda", "--cuda-gpu-arch=sm_90", "--offload-arch=sm_80", "-fgpu-rdc",
                      "-nocudainc", "--cuda-device-only", "-DX", "a.cpp"})),
            (words{"--cuda-host-only", "-nocudalib", "--no-cuda-version-check", "-nocudainc", "-DX", "-x",
                   "cuda"}));
}

TEST_F(translate_command, precompiled_headers_are_read_as_text) {
  std::ofstream(folder_ / "pre.h") << "\n";
  EXPECT_EQ(kept(run({"g++", "-include", "pre.h", "a.cpp"})), (words{"-include", "pre.h"}));
  std::ofstream(folder_ / "pre.h.gch") << "\n";
  EXPECT_EQ(kept(run({"g++", "-Winvalid-pch", "-include", "pre.h", "a.cpp"})),
            (words{"-Xclang", "-include", "-Xclang", "pre.h"}));
  EXPECT_EQ(kept(run({"clang++", "-Xclang", "-include-pch", "-Xclang", "other.h.pch", "-Xclang", "-include",
                      "-Xclang", "other.h", "a.cpp"})),
            (words{"-include", "other.h"}));
}

TEST_F(translate_command, options_that_would_print_load_or_build_are_dropped) {
  EXPECT_EQ(kept(run({"clang++", "-v", "-###", "-H", "-Xclang", "-ast-dump", "-Xclang", "-load", "-Xclang",
                      "x.so", "-Xclang", "-fno-pch-timestamp", "-fmodules", "-fmodules-cache-path=/tmp/x",
                      "-fplugin=y.so", "a.cpp"})),
            (words{"-Xclang", "-fno-pch-timestamp"}));
}

TEST_F(translate_command, the_explanation_can_be_pasted_into_a_shell) {
  const std::string text = explain(run({"g++", "-DX=a 'b'", "-c", "a.cpp"}));
  EXPECT_NE(text.find("  -c: dropped (chooses a compilation stage; only parsing is done)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"('-DX=a '\''b'\''')"), std::string::npos) << text;
}

}  // namespace
}  // namespace stridelock::extract
