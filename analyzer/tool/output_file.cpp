#include "analyzer/tool/output_file.h"

#include <filesystem>

#include "analyzer/tool/failure.h"
#include "analyzer/tool/files.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace stridelock::tool {
namespace {

namespace fs = std::filesystem;

bool is_special(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return !error && fs::exists(status) && !fs::is_regular_file(status);
}

void write_stream(llvm::raw_fd_ostream& out, const std::string& path, std::string_view bytes) {
  out << llvm::StringRef(bytes.data(), bytes.size());
  out.flush();
  if (!out.has_error()) return;
  const std::string reason = out.error().message();
  out.clear_error();
  throw failure("cannot write '" + path + "': " + reason);
}

// A link keeps being a link: the file it names is replaced. Absolute first: of a bare name that does not exist yet,
// weakly_canonical gives the bare name back, and that has no folder.
std::string resolved(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : real.string();
}

}  // namespace

void write_output(const std::string& path, std::string_view bytes) {
  std::error_code error;
  if (path == "-") {
    llvm::raw_fd_ostream out("-", error);
    if (error) throw failure("cannot write to standard output: " + error.message());
    write_stream(out, "standard output", bytes);
    return;
  }
  if (fs::is_directory(path, error)) throw failure("cannot write '" + path + "': it is a folder");
  if (is_special(path)) {
    llvm::raw_fd_ostream out(path, error);
    if (error) throw failure("cannot write '" + path + "': " + error.message());
    write_stream(out, path, bytes);
    return;
  }
  const std::string target = resolved(path);
  llvm::Expected<llvm::sys::fs::TempFile> file = llvm::sys::fs::TempFile::create(target + ".%%%%%%%%.tmp");
  if (!file) throw failure("cannot write '" + path + "': " + llvm::toString(file.takeError()));
  try {
    llvm::raw_fd_ostream out(file->FD, /*shouldClose=*/false);
    write_stream(out, path, bytes);
  } catch (...) {
    llvm::consumeError(file->discard());
    throw;
  }
  // Readable for others as an ordinary output file is; mkstemp's 0600 is for secrets.
  llvm::sys::fs::setPermissions(file->TmpName,
                                static_cast<llvm::sys::fs::perms>(0666 & ~llvm::sys::fs::getUmask()));
  if (llvm::Error failed = file->keep(target)) {
    const std::string reason = llvm::toString(std::move(failed));
    throw failure("cannot write '" + path + "': " + reason);
  }
}

void require_writable(const std::string& path) {
  if (path == "-" || is_special(path)) {
    std::error_code error;
    if (path != "-" && fs::is_directory(path, error))
      throw failure("cannot write '" + path + "': it is a folder");
    return;
  }
  const fs::path folder = fs::path(resolved(path)).parent_path();
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw failure("cannot write '" + path + "': there is no folder '" + folder.string() + "'");
  }
  if (llvm::sys::fs::access(folder.string(), llvm::sys::fs::AccessMode::Write)) {
    throw failure("cannot write '" + path + "': no permission to write in '" + folder.string() + "'");
  }
}

}  // namespace stridelock::tool
