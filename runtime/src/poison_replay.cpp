#include "stridelock/poison_replay.h"

#include <algorithm>

#include "graph_words.h"

namespace stridelock {
inline namespace v1 {
namespace {

using rows_of_outputs = std::vector<std::vector<std::uint8_t>>;

// Whether rows of this many bytes differ when the sentinels are repeated over them.
bool differ_within(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b,
                   std::uint64_t row_bytes) {
  // Two patterns that agree for the sum of their lengths agree for ever.
  const std::uint64_t enough = std::min<std::uint64_t>(row_bytes, a.size() + b.size());
  for (std::uint64_t i = 0; i < enough; ++i) {
    if (a[i % a.size()] != b[i % b.size()]) return true;
  }
  return false;
}

// Why replaying the plan would test nothing; empty: it tests something.
std::string tests_nothing(const poison_plan& plan) {
  if (plan.first_sentinel.empty() || plan.second_sentinel.empty() ||
      !differ_within(plan.first_sentinel, plan.second_sentinel, ~std::uint64_t{0})) {
    return "the plan needs two sentinels that differ";
  }
  if (plan.poison.empty() || plan.outputs.empty())
    return "the plan has nothing to poison or nothing to watch";
  for (const poison_region& region : plan.poison) {
    const std::string name = "'" + detail::printable(region.name) + "'";
    if (region.rows == 0 || region.row_bytes == 0) return name + " has no bytes to poison";
    if (!differ_within(plan.first_sentinel, plan.second_sentinel, region.row_bytes))
      return "the sentinels do not differ within the rows of " + name;
  }
  for (const watched_output& output : plan.outputs) {
    const std::string name = "'" + detail::printable(output.name) + "'";
    if (output.rows == 0 || output.row_bytes == 0) return name + " has no bytes to watch";
    if (output.rows > ~std::uint64_t{0} / output.row_bytes) return name + " has more bytes than there can be";
  }
  return {};
}

// Empty text: done.
std::string poison_and_replay(const poison_plan& plan, const poison_device& device,
                              const std::vector<std::uint8_t>& sentinel, rows_of_outputs& read) {
  for (const poison_region& region : plan.poison) {
    if (!device.fill(region, sentinel)) return "filling '" + detail::printable(region.name) + "' failed";
  }
  if (!device.replay()) return "the replay failed";
  read.assign(plan.outputs.size(), {});
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const watched_output& output = plan.outputs[i];
    if (!device.read(output, read[i])) return "reading '" + detail::printable(output.name) + "' failed";
    if (read[i].size() != output.rows * output.row_bytes) {
      return "reading '" + detail::printable(output.name) + "' gave " + std::to_string(read[i].size()) +
             " bytes, expected " + std::to_string(output.rows * output.row_bytes);
    }
  }
  return {};
}

}  // namespace

poison_report poison_replay(const poison_plan& plan, const poison_device& device) {
  poison_report report;
  report.failure = tests_nothing(plan);
  if (!report.failure.empty()) return report;
  rows_of_outputs once;
  rows_of_outputs again;
  rows_of_outputs other;
  for (auto [sentinel, read] :
       {std::pair{&plan.first_sentinel, &once}, std::pair{&plan.first_sentinel, &again},
        std::pair{&plan.second_sentinel, &other}}) {
    report.failure = poison_and_replay(plan, device, *sentinel, *read);
    if (!report.failure.empty()) return report;
  }
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const watched_output& output = plan.outputs[i];
    const std::uint64_t live = std::min(output.live_rows, output.rows);
    report.live_rows += live;
    for (std::uint64_t row = 0; row < output.rows; ++row) {
      const auto begin = static_cast<std::ptrdiff_t>(row * output.row_bytes);
      const auto end = begin + static_cast<std::ptrdiff_t>(output.row_bytes);
      const auto differs = [&](const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
        return std::mismatch(a.begin() + begin, a.begin() + end, b.begin() + begin).first -
               (a.begin() + begin);
      };
      const auto between_equal = differs(once[i], again[i]);
      const auto between_sentinels = differs(again[i], other[i]);
      const auto whole = static_cast<std::ptrdiff_t>(output.row_bytes);
      if (between_equal < whole) {
        if (row < live)
          report.unsteady.push_back({output.name, row, static_cast<std::uint64_t>(between_equal)});
      } else if (between_sentinels < whole) {
        if (row < live) {
          report.read_poison.push_back({output.name, row, static_cast<std::uint64_t>(between_sentinels)});
        } else {
          ++report.dead_rows_changed;
        }
      }
    }
  }
  return report;
}

std::string poison_report::text() const {
  using detail::counted;
  if (!failure.empty()) return "poison replay: nothing was judged: " + failure + "\n";
  std::string out;
  constexpr std::size_t shown = 8;
  for (std::size_t i = 0; i < read_poison.size() && i < shown; ++i) {
    out += "poison replay: live row " + std::to_string(read_poison[i].row) + " of '" +
           detail::printable(read_poison[i].output) +
           "' depends on bytes that hold no data of this step (first at byte " +
           std::to_string(read_poison[i].first_byte) + " of the row)\n";
  }
  if (read_poison.size() > shown)
    out += "poison replay: and " + counted(read_poison.size() - shown, "row") + " more\n";
  return out + "poison replay: " + counted(live_rows, "live row") + ": " +
         std::to_string(read_poison.size()) + " read poison, " + std::to_string(unsteady.size()) +
         " unsteady; " + counted(dead_rows_changed, "row") + " beyond the live ones changed\n";
}

}  // namespace v1
}  // namespace stridelock
