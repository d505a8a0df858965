#include "analyzer/tool/cache.h"

#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "analyzer/tool/failure.h"
#include "analyzer/tool/files.h"
#include "analyzer/tool/output_file.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

namespace stridelock::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_lists = 4;
constexpr std::string_view entry_magic = "stridelock unit 1 ";

// Names in a manifest stand one a line.
std::string escaped(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\\') {
      out += "\\\\";
    } else {
      out += c;
    }
  }
  return out;
}

std::string unescaped(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) {
      ++i;
      out += line[i] == 'n' ? '\n' : line[i];
    } else {
      out += line[i];
    }
  }
  return out;
}

int read_build_id(dl_phdr_info* info, std::size_t, void* out) {
  // The first object is the executable.
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const char* at = reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr);
    const char* end = at + header.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const char* name = at + sizeof note;
      const char* content = name + ((note.n_namesz + 3) & ~3u);
      if (content + note.n_descsz > end) break;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
        *static_cast<std::string*>(out) = llvm::toHex(llvm::StringRef(content, note.n_descsz), true);
        return 1;
      }
      at = content + ((note.n_descsz + 3) & ~3u);
    }
  }
  return 1;
}

}  // namespace

std::string digest_of(std::string_view bytes) {
  llvm::BLAKE3 hasher;
  hasher.update(llvm::StringRef(bytes.data(), bytes.size()));
  const auto hash = hasher.final<16>();
  return llvm::toHex(llvm::ArrayRef<std::uint8_t>(hash.data(), hash.size()), /*LowerCase=*/true);
}

unit_cache::unit_cache(std::string folder, std::string identity)
    : folder_(std::move(folder)), identity_(std::move(identity)) {
  if (folder_.empty()) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) folder_.clear();
}

std::string unit_cache::manifest_path(const std::string& command_key) const {
  const std::string key = digest_of(identity_ + '\0' + command_key);
  return folder_ + "/" + key.substr(0, 2) + "/" + key.substr(2) + ".files";
}

std::string unit_cache::entry_path(const std::string& command_key, const file_list& files) {
  std::string parts = identity_ + '\0' + command_key;
  for (const std::string& file : files) parts += '\0' + file + '\0' + content_digest(file);
  const std::string key = digest_of(parts);
  return folder_ + "/" + key.substr(0, 2) + "/" + key.substr(2) + ".lir";
}

// A file that is gone has the empty digest, which is no content's.
const std::string& unit_cache::content_digest(const std::string& file) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = digests_.find(file);
    if (found != digests_.end()) return found->second;
  }
  const std::optional<std::string> bytes = try_read_file(file);
  std::string digest = bytes ? digest_of(*bytes) : std::string();
  std::lock_guard<std::mutex> lock(mutex_);
  return digests_.emplace(file, std::move(digest)).first->second;  // references into the map stay valid
}

std::vector<unit_cache::file_list> unit_cache::read_manifest(const std::string& command_key) const {
  const std::optional<std::string> bytes = try_read_file(manifest_path(command_key));
  std::vector<file_list> lists;
  if (!bytes) return lists;
  std::string_view rest = *bytes;
  file_list current;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;  // cut off
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (!line.empty()) {
      current.push_back(unescaped(line));
    } else if (!current.empty()) {
      lists.push_back(std::move(current));
      current.clear();
    }
  }
  return lists;
}

std::optional<std::string> unit_cache::find(const std::string& command_key) {
  if (!on()) return std::nullopt;
  for (const file_list& files : read_manifest(command_key)) {
    const std::string path = entry_path(command_key, files);
    const std::optional<std::string> bytes = try_read_file(path);
    if (!bytes) continue;
    std::string_view content = *bytes;
    if (content.substr(0, entry_magic.size()) != entry_magic) continue;
    content.remove_prefix(entry_magic.size());
    const std::size_t line_end = content.find('\n');
    if (line_end == std::string_view::npos) continue;
    const std::string_view digest = content.substr(0, line_end);
    content.remove_prefix(line_end + 1);
    if (digest_of(content) != digest) continue;  // cut off or damaged
    std::error_code error;
    fs::last_write_time(path, fs::file_time_type::clock::now(), error);  // for prune()
    return std::string(content);
  }
  return std::nullopt;
}

void unit_cache::keep(const std::string& command_key, const std::vector<std::string>& dependencies,
                      std::string_view unit_text) {
  if (!on()) return;
  file_list files = dependencies;
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  if (files.empty()) return;  // nothing would ever make the entry old
  try {
    const std::string entry = entry_path(command_key, files);
    const std::string manifest = manifest_path(command_key);
    std::error_code error;
    fs::create_directories(fs::path(entry).parent_path(), error);
    fs::create_directories(fs::path(manifest).parent_path(), error);
    std::string bytes(entry_magic);
    bytes += digest_of(unit_text);
    bytes += '\n';
    bytes += unit_text;
    write_output(entry, bytes);

    std::vector<file_list> lists = read_manifest(command_key);
    std::erase(lists, files);
    lists.insert(lists.begin(), files);
    if (lists.size() > most_lists) lists.resize(most_lists);
    std::string text;
    for (const file_list& list : lists) {
      for (const std::string& file : list) text += escaped(file) + "\n";
      text += "\n";
    }
    write_output(manifest, text);
  } catch (const failure&) {
    // A full disk or a read-only folder costs speed, not the run.
  }
}

void unit_cache::prune(std::uintmax_t limit) {
  if (!on()) return;
  struct file {
    fs::file_time_type used;
    std::uintmax_t size;
    fs::path path;
  };
  std::vector<file> files;
  std::uintmax_t total = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    // Only what this class writes: the folder is the user's to choose.
    const fs::path extension = at->path().extension();
    if (extension != ".lir" && extension != ".files") continue;
    std::error_code ignored;
    const std::uintmax_t size = at->file_size(ignored);
    if (ignored) continue;
    const fs::file_time_type used = at->last_write_time(ignored);
    if (ignored) continue;
    files.push_back({used, size, at->path()});
    total += size;
  }
  if (total <= limit) return;
  std::sort(files.begin(), files.end(), [](const file& a, const file& b) {
    return a.used != b.used ? a.used < b.used : a.path < b.path;
  });
  for (const file& f : files) {
    if (total <= limit) return;
    if (fs::remove(f.path, error)) total -= f.size;
  }
}

std::string build_identity(const std::string& executable) {
  std::string id;
  dl_iterate_phdr(read_build_id, &id);
  if (!id.empty()) return id;
  const std::optional<std::string> bytes = try_read_file(executable);
  return bytes ? digest_of(*bytes) : std::string("unknown");
}

std::string default_cache_folder() {
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  if (xdg != nullptr && xdg[0] == '/') return std::string(xdg) + "/stridelock";
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return std::string(home) + "/.cache/stridelock";
  return {};
}

}  // namespace stridelock::tool
