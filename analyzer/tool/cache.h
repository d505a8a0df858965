// Units kept from earlier runs, addressed by content.
//
// An entry's name is the digest of the command, the tool, and the contents of every file the compiler read; so a file
// that changes back, or a branch that is switched back, finds its old entry. Because the list of files is known only
// after the first parse, a manifest per command keeps the last few lists.
//
// Promises:  a hit is what extract would have written, failed units included; a damaged entry is a miss; several
//            processes may share a folder (entries appear complete, by rename).
// Does not:  notice a header that did not exist and now would be found earlier on the include path. Never fails: a
//            folder that cannot be written to means that nothing is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace stridelock::tool {

// Lower-case hexadecimal BLAKE3, 128 bits.
std::string digest_of(std::string_view bytes);

class unit_cache {
 public:
  // `folder` empty: off. `identity`: all that changes units besides command and files (the tool's build, environment).
  unit_cache(std::string folder, std::string identity);

  bool on() const { return !folder_.empty(); }

  // The unit's text, if an entry fits the files as they are now.
  std::optional<std::string> find(const std::string& command_key);
  // `dependencies` are absolute.
  void keep(const std::string& command_key, const std::vector<std::string>& dependencies,
            std::string_view unit_text);

  // Removes the longest unused entries until at most `limit` bytes are left.
  void prune(std::uintmax_t limit);

 private:
  using file_list = std::vector<std::string>;
  std::string manifest_path(const std::string& command_key) const;
  std::string entry_path(const std::string& command_key, const file_list& files);
  std::vector<file_list> read_manifest(const std::string& command_key) const;
  const std::string& content_digest(const std::string& file);

  std::string folder_;
  std::string identity_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::string> digests_;  // of files, this run
};

// Identifies this build of the tool: the linker's build id, else a digest of the executable.
std::string build_identity(const std::string& executable);

// --cache's default: $XDG_CACHE_HOME/stridelock, else ~/.cache/stridelock, else empty.
std::string default_cache_folder();

}  // namespace stridelock::tool
