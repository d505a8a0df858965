#include "analyzer/report/suppression.h"

#include <algorithm>
#include <tuple>

#include "analyzer/report/fingerprint.h"
#include "analyzer/report/rule.h"
#include "llvm/ADT/StringRef.h"

namespace stridelock::report {
namespace {

auto order_of(const ir::suppression& s) {
  return std::tuple(s.file.view(), s.comment_line, s.line, s.check.view(), s.reason.view(), s.extent,
                    s.last_line);
}

std::string nearest(const std::vector<std::string>& known, const std::string& name) {
  std::string best;
  unsigned best_distance = static_cast<unsigned>(name.size() / 3 + 1);
  for (const std::string& candidate : known) {
    const unsigned distance =
        llvm::StringRef(candidate).edit_distance(name, /*AllowReplacements=*/true, best_distance);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool applies_to(const ir::suppression& comment, const ir::location& where) {
  if (comment.file != where.file) return false;
  if (comment.extent == ir::suppression_extent::line) return comment.line == where.line;
  return comment.extent == ir::suppression_extent::region && comment.line <= where.line &&
         where.line <= comment.last_line;
}

finding about(const ir::suppression& comment, const char* check, severity level, std::string message) {
  finding f;
  f.check = check;
  f.level = level;
  f.where = {comment.file, comment.comment_line, 0};
  f.message = std::move(message);
  // The file stands where a finding has its function: a comment may stand outside of any.
  f.fingerprint =
      fingerprint({.check = check, .function = comment.file.view(), .callee = comment.check.view()});
  return f;
}

}  // namespace

suppression_outcome apply_suppressions(std::vector<finding> findings, const suppression_context& context) {
  std::vector<ir::suppression> comments = context.comments;
  std::sort(comments.begin(), comments.end(),
            [](const auto& a, const auto& b) { return order_of(a) < order_of(b); });
  comments.erase(std::unique(comments.begin(), comments.end()), comments.end());

  suppression_outcome outcome;
  std::vector<bool> used(comments.size(), false);
  for (finding& f : findings) {
    const ir::suppression* by = nullptr;
    for (std::size_t i = 0; i < comments.size(); ++i) {
      const ir::suppression& c = comments[i];
      if (c.check.view() != f.check || !applies_to(c, f.where)) continue;
      used[i] = true;
      if (by == nullptr && !c.reason.empty()) by = &c;
    }
    if (by != nullptr) {
      outcome.suppressed.push_back({std::move(f), by->reason.str(), {by->file, by->comment_line, 0}});
    } else {
      outcome.shown.push_back(std::move(f));
    }
  }

  for (std::size_t i = 0; i < comments.size(); ++i) {
    const ir::suppression& c = comments[i];
    const std::string full = "stridelock-" + c.check.str();
    if (!contains(context.known_checks, c.check.view())) {
      const bool wildcard = c.check.view().find('*') != std::string_view::npos;
      const std::string near = wildcard ? std::string() : nearest(context.known_checks, c.check.str());
      std::string message = wildcard
                                ? "'" + full + "' silences nothing: name one check, wildcards do not count"
                                : "'" + full + "' is not a check, so this comment silences nothing";
      if (!near.empty()) message += "; did you mean 'stridelock-" + near + "'?";
      outcome.shown.push_back(about(c, unknown_suppression, severity::warning, std::move(message)));
    } else if (c.extent == ir::suppression_extent::unclosed) {
      outcome.shown.push_back(about(
          c, unmatched_suppression, severity::error,
          "NOLINTBEGIN(" + full + ") silences nothing: no NOLINTEND(" + full + ") follows in this file"));
    } else if (c.extent == ir::suppression_extent::unopened) {
      outcome.shown.push_back(about(
          c, unmatched_suppression, severity::error,
          "NOLINTEND(" + full + ") ends nothing: no NOLINTBEGIN(" + full + ") stands above it in this file"));
    } else if (c.reason.empty()) {
      outcome.shown.push_back(
          about(c, unreasoned_suppression, severity::error,
                "this comment does not silence '" + full + "': it gives no reason; write NOLINT" +
                    (c.extent == ir::suppression_extent::region ? "BEGIN(" : "(") + full + "): why"));
    } else if (!used[i] && contains(context.checks_run, c.check.view()) && context.fully_analysed &&
               context.fully_analysed(c.file)) {
      outcome.shown.push_back(about(c, unused_suppression, severity::warning,
                                    "this comment silences no '" + full + "' finding; remove it"));
    }
  }
  return outcome;
}

}  // namespace stridelock::report
