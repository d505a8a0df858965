#include "analyzer/extract/compile_database.h"

#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <optional>

namespace stridelock::extract {
namespace {

constexpr std::size_t largest_file = std::size_t{1} << 30;
constexpr int deepest_nesting = 8;  // a database needs 3

struct position {
  std::size_t line = 1;
  std::size_t column = 1;
};

position position_of(std::string_view text, std::size_t offset) {
  position out;
  for (std::size_t i = 0; i < offset && i < text.size(); ++i) {
    ++out.column;
    if (text[i] == '\n') {
      ++out.line;
      out.column = 1;
    }
  }
  return out;
}

std::string at(const std::string& path, position where) {
  return path + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) + ": ";
}

// Where nesting becomes deeper than any database's. The JSON reader recurses, so it must not see such text.
std::optional<std::size_t> too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest_nesting) return i;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return std::nullopt;
}

// Offsets of the elements of the outermost array, to name the line of an entry that is wrong.
std::vector<std::size_t> element_offsets(std::string_view text) {
  std::vector<std::size_t> out;
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '[' || c == '{') {
      if (depth == 1) out.push_back(i);
      ++depth;
    }
    if (c == ']' || c == '}') --depth;
  }
  return out;
}

std::string absolute(std::string_view path, llvm::StringRef base) {
  llvm::SmallString<256> full(llvm::StringRef(path.data(), path.size()));
  if (!llvm::sys::path::is_absolute(full)) {
    full = base;
    llvm::sys::path::append(full, llvm::StringRef(path.data(), path.size()));
  }
  llvm::sys::path::remove_dots(full, true);
  return std::string(full.str());
}

// The entry's fault, or empty.
std::string read_entry(const llvm::json::Value& value, llvm::StringRef folder, compile_command& out) {
  const llvm::json::Object* entry = value.getAsObject();
  if (!entry) return "expected an object with \"file\", \"directory\" and \"command\" or \"arguments\"";
  std::optional<llvm::StringRef> file = entry->getString("file");
  if (!file || file->empty())
    return "the entry has no \"file\": a string with the path of the source file is needed";
  std::optional<llvm::StringRef> directory = entry->getString("directory");
  out.file = file->str();
  out.directory = directory ? absolute(*directory, folder) : folder.str();
  if (const llvm::json::Value* given = entry->get("arguments")) {
    const llvm::json::Array* list = given->getAsArray();
    if (!list) return "\"arguments\" of '" + out.file + "' is no list: expected a list of strings";
    for (const llvm::json::Value& one : *list) {
      std::optional<llvm::StringRef> text = one.getAsString();
      if (!text) return "\"arguments\" of '" + out.file + "' holds something that is no string";
      out.arguments.push_back(text->str());
    }
  } else if (std::optional<llvm::StringRef> line = entry->getString("command")) {
    out.arguments = split_command_line(std::string_view(line->data(), line->size()));
  } else {
    return "the entry of '" + out.file + "' has neither \"command\" nor \"arguments\"";
  }
  if (out.arguments.empty()) return "the command of '" + out.file + "' is empty";
  return {};
}

}  // namespace

std::vector<std::string> split_command_line(std::string_view line) {
  llvm::BumpPtrAllocator memory;
  llvm::StringSaver saver(memory);
  llvm::SmallVector<const char*, 64> parts;
  llvm::cl::TokenizeGNUCommandLine(llvm::StringRef(line.data(), line.size()), saver, parts);
  return {parts.begin(), parts.end()};
}

compile_database parse_compile_database(std::string_view text, const std::string& path) {
  compile_database out;
  out.path = path;
  if (std::optional<std::size_t> offset = too_deep(text)) {
    out.error = at(path, position_of(text, *offset)) + "nested deeper than a compile database can be";
    return out;
  }
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(llvm::StringRef(text.data(), text.size()));
  if (!parsed) {
    position where;
    std::string message;
    llvm::handleAllErrors(parsed.takeError(), [&](const llvm::ErrorInfoBase& error) {
      // "[line:column, byte=n]: what" is the reader's form.
      message = error.message();
      unsigned long long line = 0, column = 0;
      llvm::StringRef rest(message);
      if (rest.consume_front("[") && !rest.consumeInteger(10, line) && rest.consume_front(":") &&
          !rest.consumeInteger(10, column)) {
        where = {std::max<std::size_t>(line, 1), std::max<std::size_t>(column, 1)};
        const std::size_t end = rest.find("]: ");
        if (end != llvm::StringRef::npos) message = rest.substr(end + 3).str();
      }
    });
    out.error = at(path, where) + "not valid JSON: " + message;
    return out;
  }
  const llvm::json::Array* entries = parsed->getAsArray();
  if (!entries) {
    out.error = at(path, {}) + "expected a list of compile commands";
    return out;
  }
  const std::string folder = absolute(llvm::sys::path::parent_path(path).str(), "/");
  std::vector<std::size_t> offsets;
  for (std::size_t i = 0; i < entries->size(); ++i) {
    compile_command command;
    if (std::string fault = read_entry((*entries)[i], folder, command); !fault.empty()) {
      if (offsets.empty()) offsets = element_offsets(text);
      out.error = at(path, i < offsets.size() ? position_of(text, offsets[i]) : position{}) + fault;
      out.commands.clear();
      return out;
    }
    out.commands.push_back(std::move(command));
  }
  return out;
}

compile_database read_compile_database(const std::string& given) {
  llvm::SmallString<256> path(given);
  if (llvm::sys::fs::is_directory(path)) llvm::sys::path::append(path, "compile_commands.json");
  std::error_code fault = llvm::sys::fs::make_absolute(path);
  llvm::sys::path::remove_dots(path, true);
  compile_database out;
  out.path = std::string(path.str());
  if (!fault && !llvm::sys::fs::exists(path)) {
    out.error = out.path +
                ": no compile database here; with CMake, configure with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON";
    return out;
  }
  std::uint64_t size = 0;
  if (!fault) fault = llvm::sys::fs::file_size(path, size);
  if (!fault && size > largest_file) {
    out.error = out.path + ": larger than 1 GiB; this is no compile database";
    return out;
  }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text = fault ? fault : llvm::MemoryBuffer::getFile(path);
  if (!text) {
    out.error = out.path + ": cannot be read: " + text.getError().message();
    return out;
  }
  llvm::StringRef content = (*text)->getBuffer();
  return parse_compile_database(std::string_view(content.data(), content.size()), out.path);
}

}  // namespace stridelock::extract
