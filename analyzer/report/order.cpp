#include "analyzer/report/order.h"

#include <algorithm>
#include <tuple>

namespace stridelock::report {
namespace {

auto place_of(const ir::location& where) {
  return std::tuple<std::string_view, std::uint32_t, std::uint32_t>(where.file.view(), where.line,
                                                                    where.column);
}

bool is_one(const finding& a, const finding& b) {
  return a.where == b.where && a.check == b.check && a.fingerprint == b.fingerprint &&
         (!a.fingerprint.empty() || a.message == b.message);
}

}  // namespace

bool before(const finding& a, const finding& b) {
  // The fingerprint stands before the severity, so that findings that are one are neighbours.
  const auto key = [](const finding& f) {
    const std::string_view unnamed = f.fingerprint.empty() ? std::string_view(f.message) : std::string_view();
    return std::tuple(place_of(f.where), std::string_view(f.check), std::string_view(f.fingerprint), unnamed,
                      -static_cast<int>(f.level), f.trace.size(), std::string_view(f.message),
                      std::string_view(f.function));
  };
  const auto key_a = key(a);
  const auto key_b = key(b);
  if (key_a != key_b) return key_a < key_b;
  return std::lexicographical_compare(a.trace.begin(), a.trace.end(), b.trace.begin(), b.trace.end(),
                                      [](const trace_step& x, const trace_step& y) {
                                        return std::tuple(place_of(x.where), std::string_view(x.message)) <
                                               std::tuple(place_of(y.where), std::string_view(y.message));
                                      });
}

std::vector<finding> sorted_and_merged(std::vector<finding> findings) {
  std::sort(findings.begin(), findings.end(), before);
  findings.erase(std::unique(findings.begin(), findings.end(), is_one), findings.end());
  return findings;
}

}  // namespace stridelock::report
