#include "analyzer/report/utf8.h"

#include <algorithm>

#include "llvm/Support/JSON.h"

namespace stridelock::report {

std::string valid_utf8(std::string_view bytes) {
  return llvm::json::fixUTF8(llvm::StringRef(bytes.data(), bytes.size()));
}

std::string printable(std::string_view bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  const std::string text = valid_utf8(bytes);
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_c1 = byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\x";
      out += digits[byte >> 4];
      out += digits[byte & 15];
    } else if (is_c1) {  // U+0080..U+009F: some terminals obey them like escape sequences
      const auto low = static_cast<unsigned char>(text[++i]);
      out += "\\x";
      out += digits[low >> 4];
      out += digits[low & 15];
    } else {
      out += text[i];
    }
  }
  return out;
}

std::uint32_t code_point_column(std::string_view line, std::uint32_t byte_column) {
  if (byte_column == 0) return 0;
  const std::size_t before = std::min<std::size_t>(byte_column - 1, line.size());
  const std::string text = valid_utf8(line.substr(0, before));
  std::uint32_t points = 0;
  for (const char c : text) points += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  // A column behind the end of the line keeps its distance: the file changed since it was analysed.
  return points + 1 + static_cast<std::uint32_t>(byte_column - 1 - before);
}

}  // namespace stridelock::report
