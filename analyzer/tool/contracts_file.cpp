#include "analyzer/tool/contracts_file.h"

#include <charconv>

#include "analyzer/models/yaml.h"
#include "analyzer/tool/failure.h"
#include "analyzer/tool/nearest.h"

namespace stridelock::tool {
namespace {

using models::yaml::node;

constexpr std::uint32_t last_position = 255;

class reader {
 public:
  explicit reader(const std::string& file) : file_(file) {}

  std::vector<solve::requirement_row> read(const node& root) {
    expect(root, node::kind::map, "the keys schema and contracts");
    const node* schema = nullptr;
    const node* contracts = nullptr;
    for (const auto& [key, value] : root.entries) {
      if (key.text == "schema") {
        schema = &value;
      } else if (key.text == "contracts") {
        contracts = &value;
      } else {
        unknown(key, {"schema", "contracts"});
      }
    }
    if (schema == nullptr || schema->text != "1")
      refuse(schema != nullptr ? *schema : root, "expected schema: 1");
    if (contracts == nullptr) refuse(root, "expected a list `contracts`");
    expect(*contracts, node::kind::list, "a list of {function: …, requires: […]}");
    for (const node& item : contracts->items) function(item);
    return std::move(rows_);
  }

 private:
  [[noreturn]] void refuse(const node& at, const std::string& message) const {
    throw failure(file_, at.line, at.column, message);
  }
  void expect(const node& value, node::kind what, const char* expected) const {
    if (value.what != what || (what == node::kind::scalar && value.text.empty())) {
      refuse(value, std::string("expected ") + expected);
    }
  }
  [[noreturn]] void unknown(const node& key, const std::vector<std::string>& known) const {
    refuse(key,
           "unknown key '" + key.text + "'" + did_you_mean(known, key.text) + " Known: " + listed(known));
  }

  void function(const node& item) {
    expect(item, node::kind::map, "{function: …, requires: […]}");
    std::string name;
    const node* asked = nullptr;
    for (const auto& [key, value] : item.entries) {
      if (key.text == "function") {
        expect(value, node::kind::scalar, "the qualified name of a function");
        name = value.text;
        const std::size_t star = name.find('*');
        if (star != std::string::npos && star + 1 != name.size() && !name.ends_with("operator*")) {
          refuse(value, "expected '*' only at the end of a name, found '" + name + "'");
        }
      } else if (key.text == "requires") {
        asked = &value;
      } else {
        unknown(key, {"function", "requires"});
      }
    }
    if (name.empty()) refuse(item, "expected the key `function`");
    if (asked == nullptr) refuse(item, "'" + name + "' needs the key `requires`");
    expect(*asked, node::kind::list, "a list of {param: …, layout: …}");
    for (const node& row : asked->items) requirement(name, row);
  }

  void requirement(const std::string& name, const node& item) {
    expect(item, node::kind::map, "{param: …, layout: …}");
    solve::requirement_row row;
    row.callee = name;
    row.source = file_ + ":" + std::to_string(item.line);
    bool has_param = false;
    for (const auto& [key, value] : item.entries) {
      if (key.text == "param") {
        const char* expected = "the position of an argument, 0 to 255; 0 is the object of a method";
        expect(value, node::kind::scalar, expected);
        const char* end = value.text.data() + value.text.size();
        const auto [stop, error] = std::from_chars(value.text.data(), end, row.argument);
        if (error != std::errc() || stop != end || row.argument > last_position) {
          refuse(value, std::string("expected ") + expected + ", found '" + value.text + "'");
        }
        has_param = true;
      } else if (key.text == "layout") {
        expect(value, node::kind::scalar, "a layout, as in STRIDELOCK_REQUIRES");
        row.text = value.text;
        if (const std::string error = solve::contract_error(row.text); !error.empty()) refuse(value, error);
      } else {
        unknown(key, {"param", "layout"});
      }
    }
    if (!has_param) refuse(item, "expected the key `param`");
    if (row.text.empty()) refuse(item, "expected the key `layout`");
    rows_.push_back(std::move(row));
  }

  const std::string& file_;
  std::vector<solve::requirement_row> rows_;
};

}  // namespace

std::vector<solve::requirement_row> parse_contracts(std::string_view bytes, const std::string& file) {
  const std::variant<node, models::model_error> root = models::yaml::read(bytes, file);
  if (const auto* error = std::get_if<models::model_error>(&root)) throw failure::of_line(error->str());
  return reader(file).read(std::get<node>(root));
}

}  // namespace stridelock::tool
