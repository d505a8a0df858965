// Runs a fuzz target without a fuzzer: over the files of a folder, and over a fixed sequence of made-up inputs.
//
// usage: TARGET FOLDER COUNT
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "bytes.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    const std::vector<char> input{std::istreambuf_iterator<char>(stream), {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  }
  std::mt19937_64 random(1);  // the same sequence on every machine
  const int count = std::atoi(argv[2]);
  for (int i = 0; i < count; ++i) {
    std::vector<std::uint8_t> input(random() % 160);
    for (std::uint8_t& byte : input) byte = static_cast<std::uint8_t>(random() >> 56);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%zu files and %d made-up inputs\n", files.size(), count);
  return files.empty() ? 1 : 0;
}
