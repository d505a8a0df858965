#include "tests/support/findings.h"

#include <llvm/Support/JSON.h>

namespace stridelock::test {
// Found by argument-dependent look-up from LLVM's containers.
static bool fromJSON(const llvm::json::Value& value, step& out, llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path);
  return map && map.map("file", out.file) && map.map("line", out.line) && map.map("message", out.message);
}

static bool fromJSON(const llvm::json::Value& value, finding& out, llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path);
  return map && map.map("check", out.check) && map.map("severity", out.severity) &&
         map.map("file", out.file) && map.map("line", out.line) && map.map("column", out.column) &&
         map.map("function", out.function) && map.map("message", out.message) &&
         map.map("fingerprint", out.fingerprint) && map.map("trace", out.trace);
}

std::optional<report> read_findings(const std::string& json, std::string& error) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(json);
  if (!parsed) {
    error = "not JSON: " + llvm::toString(parsed.takeError());
    return std::nullopt;
  }
  const llvm::json::Object* top = parsed->getAsObject();
  if (top == nullptr || top->getInteger("version") != 1) {
    error = "expected an object with \"version\": 1";
    return std::nullopt;
  }
  const llvm::json::Value* findings = top->get("findings");
  const llvm::json::Object* coverage = top->getObject("coverage");
  if (findings == nullptr || coverage == nullptr) {
    error = "expected \"findings\" and \"coverage\"";
    return std::nullopt;
  }
  report result;
  llvm::json::Path::Root root("findings");
  if (!llvm::json::fromJSON(*findings, result.findings, root)) {
    error = llvm::toString(root.getError());
    return std::nullopt;
  }
  const auto count = [&](llvm::StringRef key) {
    return static_cast<std::uint64_t>(coverage->getInteger(key).value_or(0));
  };
  result.units_asked = count("units_asked");
  result.units_analysed = count("units_analysed");
  result.functions = count("functions");
  return result;
}

}  // namespace stridelock::test
