#include "analyzer/report/source_text.h"

#include <filesystem>
#include <fstream>

namespace stridelock::report {
namespace {

constexpr std::uintmax_t largest_file = 64u << 20;

std::string read_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || error) return {};
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size > largest_file) return {};
  std::string bytes(static_cast<std::size_t>(size), '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return bytes;
}

}  // namespace

const source_text::content& source_text::load(ir::name file) {
  const auto found = files_.find(file);
  if (found != files_.end()) return found->second;
  content& fresh = files_[file];
  fresh.bytes = read_file(std::filesystem::path(root_) / file.str());
  if (fresh.bytes.empty()) return fresh;
  fresh.starts.push_back(0);
  for (std::size_t i = 0; i < fresh.bytes.size(); ++i) {
    if (fresh.bytes[i] == '\n') fresh.starts.push_back(i + 1);
  }
  return fresh;
}

std::optional<std::string> source_text::line(ir::name file, std::uint32_t number) {
  if (file.empty() || number == 0) return std::nullopt;
  const content& text = load(file);
  if (number > text.starts.size()) return std::nullopt;
  const std::size_t begin = text.starts[number - 1];
  std::size_t end = number < text.starts.size() ? text.starts[number] - 1 : text.bytes.size();
  if (end > begin && text.bytes[end - 1] == '\r') --end;
  return text.bytes.substr(begin, end - begin);
}

}  // namespace stridelock::report
