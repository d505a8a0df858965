// scratch: a folder of its own for one test, gone when the test ends.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace stridelock::test {

class scratch {
 public:
  scratch();
  ~scratch();
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Writes a file, and the folders above it. Gives back its path.
  std::filesystem::path write(const std::string& name, std::string_view text) const;
  std::string read(const std::string& name) const;

 private:
  std::filesystem::path path_;
};

}  // namespace stridelock::test
