#include "analyzer/tool/yaml.h"

#include <optional>

#include "analyzer/tool/failure.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

namespace stridelock::tool {
namespace {

constexpr std::size_t largest_file = 16u << 20;
constexpr int deepest_flow = 64;
constexpr std::size_t deepest_block = 256;

// LLVM's reader recurses for every level, with no limit. A level of block style needs a column of its own, be it of
// indentation or of "- " and "? "; a level of flow style needs a bracket.
void require_shallow(std::string_view bytes, const std::string& file) {
  if (bytes.size() > largest_file) {
    throw failure(file, 0, 0, "expected at most 16 MiB, found " + std::to_string(bytes.size()) + " bytes");
  }
  int flow = 0;
  std::uint32_t line = 1;
  std::size_t line_start = 0;
  bool leading = true;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (c == '\n' || c == '\r') {
      if (c == '\n') ++line;
      line_start = i + 1;
      leading = true;
      continue;
    }
    if (c == '[' || c == '{') ++flow;
    if ((c == ']' || c == '}') && flow > 0) --flow;
    leading = leading && (c == ' ' || c == '\t' || c == '-' || c == '?' || c == ':');
    if (flow > deepest_flow || (leading && i - line_start >= deepest_block)) {
      throw failure(file, line, static_cast<std::uint32_t>(i - line_start + 1),
                    "nested too deeply: expected at most " + std::to_string(deepest_flow) + " levels");
    }
  }
}

struct first_error {
  bool seen = false;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string message;
};

void note_error(const llvm::SMDiagnostic& diagnostic, void* context) {
  auto* error = static_cast<first_error*>(context);
  if (error->seen || diagnostic.getKind() != llvm::SourceMgr::DK_Error) return;
  error->seen = true;
  error->line = static_cast<std::uint32_t>(std::max(diagnostic.getLineNo(), 0));
  error->column = static_cast<std::uint32_t>(std::max(diagnostic.getColumnNo(), -1) + 1);
  error->message = diagnostic.getMessage().str();
}

class reader {
 public:
  reader(std::string_view bytes, const std::string& file)
      : file_(file), stream_(llvm::StringRef(bytes.data(), bytes.size()), sources_) {
    sources_.setDiagHandler(note_error, &error_);
  }

  yaml_node read() {
    llvm::yaml::document_iterator document = stream_.begin();
    check();
    if (document == stream_.end()) return {};
    yaml_node root = convert(document->getRoot());
    document->skip();
    check();
    ++document;
    check();
    if (document != stream_.end()) throw failure(file_, 0, 0, "expected one YAML document, found several");
    return root;
  }

 private:
  void check() {
    if (error_.seen) throw failure(file_, error_.line, error_.column, "malformed YAML: " + error_.message);
    if (stream_.failed()) throw failure(file_, 0, 0, "malformed YAML");
  }

  yaml_node at(const llvm::yaml::Node* node) const {
    yaml_node out;
    const llvm::SMLoc start = node->getSourceRange().Start;
    if (start.isValid()) {
      const auto [line, column] = sources_.getLineAndColumn(start);
      out.line = line;
      out.column = column;
    }
    return out;
  }

  yaml_node convert(llvm::yaml::Node* node) {
    check();
    if (node == nullptr) throw failure(file_, 0, 0, "malformed YAML");
    yaml_node out = at(node);
    if (auto* scalar = llvm::dyn_cast<llvm::yaml::ScalarNode>(node)) {
      llvm::SmallString<64> storage;
      out.what = yaml_node::kind::scalar;
      out.scalar = scalar->getValue(storage).str();
    } else if (auto* block = llvm::dyn_cast<llvm::yaml::BlockScalarNode>(node)) {
      out.what = yaml_node::kind::scalar;
      out.scalar = block->getValue().str();
    } else if (auto* list = llvm::dyn_cast<llvm::yaml::SequenceNode>(node)) {
      out.what = yaml_node::kind::list;
      for (llvm::yaml::Node& item : *list) out.list.push_back(convert(&item));
    } else if (auto* map = llvm::dyn_cast<llvm::yaml::MappingNode>(node)) {
      out.what = yaml_node::kind::map;
      for (llvm::yaml::KeyValueNode& entry : *map) {
        yaml_node key = convert(entry.getKey());
        if (key.what != yaml_node::kind::scalar)
          throw failure(file_, key.line, key.column, "expected a plain key");
        for (const auto& [other, unused] : out.map) {
          if (other.scalar == key.scalar) {
            throw failure(
                file_, key.line, key.column,
                "key '" + key.scalar + "' stands here twice, first in line " + std::to_string(other.line));
          }
        }
        yaml_node value = convert(entry.getValue());
        out.map.emplace_back(std::move(key), std::move(value));
      }
    } else if (!llvm::isa<llvm::yaml::NullNode>(node)) {
      throw failure(file_, out.line, out.column, "expected a value, found an alias");
    }
    check();
    return out;
  }

  const std::string& file_;
  first_error error_;
  llvm::SourceMgr sources_;
  llvm::yaml::Stream stream_;
};

}  // namespace

yaml_node parse_yaml(std::string_view bytes, const std::string& file) {
  require_shallow(bytes, file);
  return reader(bytes, file).read();
}

}  // namespace stridelock::tool
