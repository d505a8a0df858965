#include "analyzer/extract/project_files.h"

#include <clang/Lex/Lexer.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

namespace stridelock::extract {
namespace {

constexpr std::size_t spelling_limit = 160;

std::string as_folder(std::string_view path) {
  llvm::SmallString<256> real;
  if (llvm::sys::fs::real_path(llvm::StringRef(path.data(), path.size()), real)) {
    real = llvm::StringRef(path.data(), path.size());
    llvm::sys::path::remove_dots(real, true);
  }
  std::string folder(real.str());
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder;
}

bool lies_in(std::string_view path, std::string_view folder) {
  if (folder.empty()) return false;
  if (folder == "/") return path.starts_with('/');
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

}  // namespace

std::string fold_white_space(std::string_view text, std::size_t limit) {
  std::string out;
  bool blank = false;
  for (char c : text) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f') {
      blank = !out.empty();
      continue;
    }
    if (blank) out += ' ';
    blank = false;
    out += c;
    if (out.size() > limit) break;
  }
  if (out.size() > limit) {
    std::size_t cut = limit;
    while (cut > 0 && (static_cast<unsigned char>(out[cut]) & 0xC0) == 0x80) --cut;
    out.resize(cut);
  }
  return out;
}

project_files::project_files(const extract_options& options, const clang::SourceManager& sources,
                             const clang::LangOptions& language)
    : root_(as_folder(options.project_root)), sources_(sources), language_(language) {
  for (const std::string& root : options.roots) roots_.push_back(as_folder(root));
  if (roots_.empty()) roots_.push_back(root_);
}

std::string project_files::shown(std::string_view path) const {
  if (!lies_in(path, root_)) return std::string(path);
  return std::string(path.substr(root_ == "/" ? 1 : root_.size() + 1));
}

const project_files::entry& project_files::entry_of(clang::FileID file) const {
  auto [at, is_new] = entries_.try_emplace(file);
  if (!is_new) return at->second;
  entry& made = at->second;
  if (clang::OptionalFileEntryRef reference = sources_.getFileEntryRefForID(file)) {
    llvm::StringRef real = reference->getFileEntry().tryGetRealPathName();
    llvm::SmallString<256> path(real.empty() ? reference->getName() : real);
    llvm::sys::path::remove_dots(path, true);
    // Links are followed once, so that two spellings of one header are one file.
    llvm::SmallString<256> resolved;
    if (!llvm::sys::fs::real_path(path, resolved)) path = resolved;
    made.name = shown(std::string_view(path.data(), path.size()));
    for (const std::string& root : roots_) {
      made.in_roots = made.in_roots || lies_in(std::string_view(path.data(), path.size()), root);
    }
  }
  return made;
}

ir::location project_files::where(clang::SourceLocation position) const {
  if (position.isInvalid()) return {};
  if (auto known = positions_.find(position); known != positions_.end()) return known->second;
  return positions_[position] = find(position);
}

ir::location project_files::find(clang::SourceLocation position) const {
  clang::SourceLocation at = sources_.getFileLoc(position);
  auto [file, offset] = sources_.getDecomposedLoc(at);
  ir::location out;
  out.file = entry_of(file).name;
  if (out.file.empty()) return {};
  bool invalid = false;
  out.line = sources_.getLineNumber(file, offset, &invalid);
  if (invalid) return {};
  out.column = sources_.getColumnNumber(file, offset, &invalid);
  return out;
}

ir::name project_files::file(clang::SourceLocation position) const {
  if (position.isInvalid()) return {};
  return entry_of(sources_.getFileID(sources_.getFileLoc(position))).name;
}

bool project_files::in_roots(clang::SourceLocation position) const {
  if (position.isInvalid()) return false;
  return entry_of(sources_.getFileID(sources_.getFileLoc(position))).in_roots;
}

ir::name project_files::spelling(clang::SourceRange range) const {
  if (range.isInvalid()) return {};
  const std::pair key(range.getBegin(), range.getEnd());
  if (auto known = spellings_.find(key); known != spellings_.end()) return known->second;
  return spellings_[key] = read(range);
}

ir::name project_files::read(clang::SourceRange range) const {
  clang::CharSourceRange tokens = clang::CharSourceRange::getTokenRange(range);
  clang::CharSourceRange text = clang::Lexer::makeFileCharRange(tokens, sources_, language_);
  if (text.isInvalid()) {
    text = clang::Lexer::getAsCharRange(sources_.getExpansionRange(tokens), sources_, language_);
  }
  if (text.isInvalid()) return {};
  bool invalid = false;
  llvm::StringRef source = clang::Lexer::getSourceText(text, sources_, language_, &invalid);
  if (invalid) return {};
  return fold_white_space(std::string_view(source.data(), source.size()), spelling_limit);
}

}  // namespace stridelock::extract
