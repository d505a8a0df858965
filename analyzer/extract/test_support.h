// Compiles snippets from memory and shows what became of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analyzer/extract/extract.h"

namespace stridelock::extract::testing {

struct source {
  std::string path;  // below /project
  std::string text;
};

// The first source is the main file; `arguments` follow the compiler's name.
ir::unit extract_sources(const std::vector<source>& sources, const std::vector<std::string>& arguments = {},
                         extract_options options = {});
ir::unit extract_text(const std::string& text, const std::vector<std::string>& arguments = {});
// As the host pass of a CUDA file, with a toolkit of three declarations.
ir::unit extract_cuda(const std::string& text);

// The function with this qualified name; fails the test and returns an empty one if there is none.
const ir::function& function_named(const ir::unit& unit, const std::string& qualified,
                                   std::size_t number = 0);
// Its locals and blocks in the text form, without positions, source texts and symbols.
// `number`: which of several of that name, in the order of their symbols.
std::string body_of(const ir::unit& unit, const std::string& qualified, std::size_t number = 0);
std::string body_of(const ir::function& function);

template <class T>
std::vector<T> all(const ir::function& function) {
  std::vector<T> out;
  for (const ir::block& block : function.blocks) {
    for (const ir::instruction& one : block.body) {
      if (const T* found = std::get_if<T>(&one.what)) out.push_back(*found);
    }
  }
  return out;
}

}  // namespace stridelock::extract::testing
