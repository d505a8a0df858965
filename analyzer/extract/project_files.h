// Where things are written: files of a translation unit by project-relative name, positions, source text.
//
// A position inside a macro argument is where the argument is written; any other position in a macro is where the
// macro is expanded. So the statements of a lambda that is an argument of DISPATCH(...) keep their own lines.
#pragma once

#include <clang/Basic/LangOptions.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/DenseMap.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/extract/extract.h"
#include "analyzer/ir/ir.h"

namespace stridelock::extract {

class project_files {
 public:
  project_files(const extract_options& options, const clang::SourceManager& sources,
                const clang::LangOptions& language);

  ir::location where(clang::SourceLocation position) const;
  ir::name file(clang::SourceLocation position) const;
  bool in_roots(clang::SourceLocation position) const;
  // Source text with white space folded, at most 160 bytes, never cutting a UTF-8 character.
  ir::name spelling(clang::SourceRange range) const;
  // A path as the IR shows it: relative to the project root where it lies inside, else unchanged.
  std::string shown(std::string_view path) const;

 private:
  struct entry {
    ir::name name;
    bool in_roots = false;
  };
  const entry& entry_of(clang::FileID file) const;
  ir::location find(clang::SourceLocation position) const;
  ir::name read(clang::SourceRange range) const;

  std::string root_;
  std::vector<std::string> roots_;
  const clang::SourceManager& sources_;
  const clang::LangOptions& language_;
  mutable llvm::DenseMap<clang::FileID, entry> entries_;
  // The instantiations of a template ask for the same positions again and again.
  mutable llvm::DenseMap<clang::SourceLocation, ir::location> positions_;
  mutable llvm::DenseMap<std::pair<clang::SourceLocation, clang::SourceLocation>, ir::name> spellings_;
};

// `text` with runs of white space folded to one blank, cut to `limit` bytes at a character boundary.
std::string fold_white_space(std::string_view text, std::size_t limit);

}  // namespace stridelock::extract
