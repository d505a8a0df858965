#include "analyzer/extract/test_support.h"

#include <gtest/gtest.h>

#include <regex>

#include "analyzer/ir/text.h"

namespace stridelock::extract::testing {

ir::unit extract_sources(const std::vector<source>& sources, const std::vector<std::string>& arguments,
                         extract_options options) {
  options.project_root = "/project";
  for (const source& one : sources) options.overlay.emplace_back(one.path, one.text);
  compile_command command;
  command.directory = "/";
  command.file = sources.front().path;
  command.arguments = {"clang"};
  if (command.file.ends_with(".cpp")) command.arguments.emplace_back("-std=c++20");
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.arguments.push_back(command.file);
  return extract(command, options);
}

ir::unit extract_text(const std::string& text, const std::vector<std::string>& arguments) {
  return extract_sources({{"/project/a.cpp", text}}, arguments);
}

ir::unit extract_cuda(const std::string& text) {
  static const std::string toolkit = R"(
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
struct dim3 { unsigned x, y, z; __host__ __device__ constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {} };
typedef struct stream_tag* cudaStream_t;
extern "C" int cudaConfigureCall(dim3, dim3, unsigned long = 0, cudaStream_t = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, unsigned long = 0, cudaStream_t = 0);
extern "C" int cudaLaunchKernel(const void*, dim3, dim3, void**, unsigned long, cudaStream_t);
)";
  return extract_sources(
      {{"/project/a.cu", "#include \"/toolkit/cuda.h\"\n" + text}, {"/toolkit/cuda.h", toolkit}},
      {"-nocudainc", "-std=c++17"});
}

const ir::function& function_named(const ir::unit& unit, const std::string& qualified, std::size_t number) {
  for (const ir::function& one : unit.functions) {
    if (one.qualified.view() == qualified && number-- == 0) return one;
  }
  ADD_FAILURE() << "no function " << qualified << " in\n" << ir::print(unit);
  static const ir::function none;
  return none;
}

std::string body_of(const ir::function& function) {
  ir::unit only;
  only.functions.push_back(function);
  std::string text = ir::print(only);
  static const std::regex noise(
      R"re( ; ([^ "]*:)?\d+:\d+( "(\\.|[^"\\])*")?(?=\n)| as "(\\.|[^"\\])*"| at [^ ,)]+| symbol=("(\\.|[^"\\])*"|\S+))re");
  text = std::regex_replace(text, noise, "");
  std::string out;
  bool is_inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end == std::string::npos ? text.size() : end + 1;
    if (line.starts_with("function ")) {
      is_inside = true;
    } else if (is_inside && (line.empty() || line == "end")) {
      is_inside = false;
    } else if (is_inside && !line.starts_with("  param ")) {
      out += line + '\n';
    }
  }
  return out;
}

std::string body_of(const ir::unit& unit, const std::string& qualified, std::size_t number) {
  return body_of(function_named(unit, qualified, number));
}

}  // namespace stridelock::extract::testing
