#include "contracts/yaml/document.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Casting.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/YAMLParser.h>

#include <set>

namespace stridelock::yaml {
namespace {

namespace ly = llvm::yaml;

class reader {
 public:
  reader(std::string_view text, std::string_view file)
      : text_(text),
        file_(file),
        stream_(llvm::StringRef(text.data(), text.size()), sources_, /*ShowColors=*/false) {
    sources_.setDiagHandler(on_diagnostic, this);
  }

  node run() {
    ly::document_iterator document = stream_.begin();
    check();
    if (document == stream_.end()) return {};
    node root = convert(document->getRoot(), 0);
    check();
    ++document;  // everything was visited: skipping the rest of the document does not recurse
    check();
    if (document != stream_.end()) throw error_at(0, 0, "expected one YAML document, found more than one");
    return root;
  }

 private:
  static void on_diagnostic(const llvm::SMDiagnostic& diagnostic, void* context) {
    auto* self = static_cast<reader*>(context);
    if (self->has_error_) return;  // the first is the cause
    self->has_error_ = true;
    self->line_ = diagnostic.getLineNo() > 0 ? static_cast<std::uint32_t>(diagnostic.getLineNo()) : 0;
    self->column_ = static_cast<std::uint32_t>(diagnostic.getColumnNo() + 1);
    self->message_ = diagnostic.getMessage().str();
  }

  text_error error_at(std::uint32_t line, std::uint32_t column, std::string message) const {
    return {file_, line, column, std::move(message)};
  }
  void check() const {
    if (has_error_) throw error_at(line_, column_, "malformed YAML: " + message_);
    if (stream_failed()) throw error_at(0, 0, "malformed YAML");
  }
  bool stream_failed() const { return const_cast<ly::Stream&>(stream_).failed(); }

  // Position of a byte of the text; bytes are visited in order, so lines are counted once.
  void locate(node& n, llvm::SMLoc where) {
    const char* begin = text_.data();
    const char* at = where.getPointer();
    if (at == nullptr || at < begin || at > begin + text_.size()) return;
    const auto offset = static_cast<std::size_t>(at - begin);
    if (offset < seen_) seen_ = line_begin_ = 0, lines_ = 1;
    for (; seen_ < offset; ++seen_)
      if (text_[seen_] == '\n') {
        ++lines_;
        line_begin_ = seen_ + 1;
      }
    n.line = lines_;
    n.column = static_cast<std::uint32_t>(offset - line_begin_ + 1);
  }

  node convert(ly::Node* from, unsigned depth) {
    check();
    node n;
    if (from == nullptr) return n;
    llvm::SMLoc start = from->getSourceRange().Start;
    // LLVM's range of a flow collection begins behind its bracket.
    const char* at = start.getPointer();
    const bool is_collection = llvm::isa<ly::MappingNode>(from) || llvm::isa<ly::SequenceNode>(from);
    if (is_collection && at > text_.data() && at <= text_.data() + text_.size() &&
        (at[-1] == '{' || at[-1] == '['))
      start = llvm::SMLoc::getFromPointer(at - 1);
    locate(n, start);
    if (depth > max_depth)
      throw error_at(n.line, n.column,
                     "expected at most " + std::to_string(max_depth) + " levels of nesting, found more");
    if (!from->getAnchor().empty()) throw error_at(n.line, n.column, "expected plain YAML, found an anchor");
    if (!from->getRawTag().empty()) throw error_at(n.line, n.column, "expected plain YAML, found a tag");
    if (auto* scalar = llvm::dyn_cast<ly::ScalarNode>(from)) {
      llvm::SmallString<64> storage;
      n.what = node::kind::scalar;
      n.text = scalar->getValue(storage).str();
    } else if (auto* block = llvm::dyn_cast<ly::BlockScalarNode>(from)) {
      n.what = node::kind::scalar;
      n.text = block->getValue().str();
    } else if (auto* list = llvm::dyn_cast<ly::SequenceNode>(from)) {
      n.what = node::kind::list;
      for (ly::Node& item : *list) n.items.push_back(convert(&item, depth + 1));
    } else if (auto* map = llvm::dyn_cast<ly::MappingNode>(from)) {
      n.what = node::kind::map;
      std::set<std::string> keys;
      for (ly::KeyValueNode& entry : *map) {
        node key = convert(entry.getKey(), depth + 1);
        if (key.what != node::kind::scalar)
          throw error_at(key.line, key.column, "expected a key (a plain word), found " + kind_name(key));
        if (!keys.insert(key.text).second)
          throw error_at(key.line, key.column, "expected each key once, found a second '" + key.text + "'");
        node value = convert(entry.getValue(), depth + 1);
        n.entries.push_back({std::move(key), std::move(value)});
      }
    } else if (!llvm::isa<ly::NullNode>(from)) {
      throw error_at(n.line, n.column, "expected plain YAML, found an alias");
    }
    check();
    return n;
  }

  static std::string kind_name(const node& n) {
    return n.what == node::kind::list ? "a list" : n.what == node::kind::map ? "a map" : "nothing";
  }

  std::string_view text_;
  std::string file_;
  llvm::SourceMgr sources_;
  ly::Stream stream_;
  bool has_error_ = false;
  std::uint32_t line_ = 0;
  std::uint32_t column_ = 0;
  std::string message_;
  std::size_t seen_ = 0;
  std::size_t line_begin_ = 0;
  std::uint32_t lines_ = 1;
};

}  // namespace

std::variant<node, text_error> read(std::string_view text, std::string_view file) {
  if (text.size() > max_bytes)
    return text_error{
        std::string(file), 0, 0,
        "expected at most " + std::to_string(max_bytes) + " bytes, found " + std::to_string(text.size())};
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    return text_error{std::string(file), 0, 0,
                      "expected text, found a zero byte at offset " + std::to_string(zero)};
  const std::string copy(text);  // LLVM's scanner relies on a terminating zero
  try {
    return reader(copy, file).run();
  } catch (text_error& e) {
    return std::move(e);
  }
}

}  // namespace stridelock::yaml
