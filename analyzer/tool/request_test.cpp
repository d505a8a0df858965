#include "analyzer/tool/request.h"

#include <gtest/gtest.h>

#include "analyzer/tool/failure.h"

namespace stridelock::tool {
namespace {

request sample() {
  request r;
  r.command = {
      "/p/build", "../a b.cu", {"nvcc", "-DX=\"a\nb\"", "", "-c", std::string("nul\0byte", 8), "\xff"}};
  r.options.project_root = "/p";
  r.options.roots = {"/p/src", "/p/include"};
  r.options.cuda_path = "/usr/local/cuda";
  r.options.max_instructions = 7;
  return r;
}

TEST(Request, ReadsBackEqual) {
  const request out = parse_request(print_request(sample()), "r");
  EXPECT_EQ(out.command, sample().command);
  EXPECT_EQ(out.options.project_root, "/p");
  EXPECT_EQ(out.options.roots, sample().options.roots);
  EXPECT_EQ(out.options.cuda_path, "/usr/local/cuda");
  EXPECT_EQ(out.options.max_instructions, 7u);
  EXPECT_EQ(out.options.max_diagnostics, sample().options.max_diagnostics);
}

TEST(Request, AnyPrefixIsRefused) {
  const std::string bytes = print_request(sample());
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    EXPECT_THROW(parse_request(std::string_view(bytes).substr(0, cut), "r"), failure) << cut;
  }
  EXPECT_THROW(parse_request(bytes + "x", "r"), failure);
  EXPECT_THROW(parse_request("99999999999999999999 x\n", "r"), failure);
}

}  // namespace
}  // namespace stridelock::tool
