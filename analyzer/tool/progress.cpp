#include "analyzer/tool/progress.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

namespace stridelock::tool {

progress::progress() : terminal_(llvm::sys::Process::StandardErrIsDisplayed()) {}

progress::~progress() {
  clear();
}

void progress::show(const std::string& text) {
  if (!terminal_) return;
  const unsigned columns = llvm::sys::Process::StandardErrColumns();
  std::string line = text;
  if (columns > 1 && line.size() >= columns) line.resize(columns - 1);  // a wrapped line could not be cleared
  llvm::errs() << "\r\x1b[K" << line;
  llvm::errs().flush();
  shown_ = true;
}

void progress::clear() {
  if (!terminal_ || !shown_) return;
  llvm::errs() << "\r\x1b[K";
  llvm::errs().flush();
  shown_ = false;
}

}  // namespace stridelock::tool
