#include "analyzer/tool/request.h"

#include <charconv>

#include "analyzer/tool/failure.h"

namespace stridelock::tool {
namespace {

// Every string is its length, a blank, its bytes, a line end: no quoting, so arguments may hold any byte.
void put(std::string& out, std::string_view text) {
  out += std::to_string(text.size());
  out += ' ';
  out += text;
  out += '\n';
}

class reader {
 public:
  reader(std::string_view bytes, const std::string& file) : rest_(bytes), file_(file) {}

  std::string text() {
    const std::size_t blank = rest_.find(' ');
    if (blank == std::string_view::npos) refuse();
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + blank, size);
    if (error != std::errc() || end != rest_.data() + blank) refuse();
    rest_.remove_prefix(blank + 1);
    if (size >= rest_.size() || rest_[size] != '\n') refuse();
    std::string out(rest_.substr(0, size));
    rest_.remove_prefix(size + 1);
    return out;
  }
  std::uint32_t number() {
    const std::string word = text();
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) refuse();
    return value;
  }
  std::vector<std::string> list() {
    std::vector<std::string> out;
    for (std::uint32_t left = number(); left > 0; --left) out.push_back(text());
    return out;
  }
  void end() const {
    if (!rest_.empty()) refuse();
  }

 private:
  [[noreturn]] void refuse() const { throw failure(file_, 0, 0, "expected a request of `stridelock check`"); }

  std::string_view rest_;
  const std::string& file_;
};

void put(std::string& out, const std::vector<std::string>& list) {
  put(out, std::to_string(list.size()));
  for (const std::string& item : list) put(out, item);
}

}  // namespace

std::string print_request(const request& what) {
  std::string out;
  put(out, what.command.directory);
  put(out, what.command.file);
  put(out, what.command.arguments);
  put(out, what.options.project_root);
  put(out, what.options.roots);
  put(out, what.options.resource_dir);
  put(out, what.options.cuda_path);
  put(out, std::to_string(what.options.max_instructions));
  put(out, std::to_string(what.options.max_diagnostics));
  return out;
}

request parse_request(std::string_view bytes, const std::string& file) {
  reader in(bytes, file);
  request out;
  out.command.directory = in.text();
  out.command.file = in.text();
  out.command.arguments = in.list();
  out.options.project_root = in.text();
  out.options.roots = in.list();
  out.options.resource_dir = in.text();
  out.options.cuda_path = in.text();
  out.options.max_instructions = in.number();
  out.options.max_diagnostics = in.number();
  in.end();
  return out;
}

}  // namespace stridelock::tool
