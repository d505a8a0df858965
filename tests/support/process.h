// run(): starts a program, waits, and gives back what it wrote and how it ended.
//
// Promises:  both streams are read to the end while the program runs, so it never blocks on a full pipe.
// Does not:  pass standard input (it is empty), use a shell, or limit the time: ctest does.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stridelock::test {

struct outcome {
  int exit_code = -1;  // meaningful if signal is 0
  int signal = 0;      // that ended the program; 0 if it ended by itself
  std::string out;
  std::string err;
};

// Throws std::system_error if the program cannot be started.
outcome run(const std::vector<std::string>& command, const std::filesystem::path& directory);

}  // namespace stridelock::test
