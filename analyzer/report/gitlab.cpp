#include "analyzer/report/gitlab.h"

#include "analyzer/report/utf8.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

namespace stridelock::report {
namespace {

const char* severity_word(severity level) {
  switch (level) {
    case severity::note:
      return "info";
    case severity::warning:
      return "major";
    case severity::error:
      return "critical";
  }
  return "critical";
}

std::string digest(const std::string& fingerprint) {
  const auto hash = llvm::SHA256::hash(
      llvm::ArrayRef(reinterpret_cast<const std::uint8_t*>(fingerprint.data()), fingerprint.size()));
  return llvm::toHex(hash, /*LowerCase=*/true);
}

}  // namespace

std::string to_gitlab(const report_data& data) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::json::OStream json(stream, 2);
  json.array([&] {
    for (const finding& f : data.findings) {
      json.object([&] {
        json.attribute("description", valid_utf8(f.message));
        json.attribute("check_name", valid_utf8("stridelock-" + f.check));
        json.attribute("fingerprint", digest(f.fingerprint));
        json.attribute("severity", severity_word(f.level));
        json.attributeObject("location", [&] {
          json.attribute("path", valid_utf8(f.where.file.view()));
          json.attributeObject("lines",
                               [&] { json.attribute("begin", f.where.line == 0 ? 1u : f.where.line); });
        });
      });
    }
  });
  json.flush();
  stream << '\n';
  return bytes;
}

}  // namespace stridelock::report
