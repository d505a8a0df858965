#include "contracts/yaml/nearest.h"

#include "llvm/ADT/StringRef.h"

namespace stridelock::yaml {

std::string nearest(const std::vector<std::string>& known, std::string_view word) {
  std::string best;
  unsigned best_distance = static_cast<unsigned>(word.size() / 3 + 2);
  for (const std::string& candidate : known) {
    const unsigned distance = llvm::StringRef(candidate).edit_distance(
        llvm::StringRef(word.data(), word.size()), true, best_distance);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(const std::vector<std::string>& known, std::string_view word) {
  const std::string near = nearest(known, word);
  return near.empty() ? std::string() : "; did you mean '" + near + "'?";
}

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " and " : ", ";
    out += words[i];
  }
  return out;
}

}  // namespace stridelock::yaml
