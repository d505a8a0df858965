// "did you mean": the known word that a mistyped one is closest to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stridelock::yaml {

// Empty if nothing is close enough to be a typing mistake.
std::string nearest(const std::vector<std::string>& known, std::string_view word);

// "; did you mean 'x'?", or "" if nothing is close.
std::string did_you_mean(const std::vector<std::string>& known, std::string_view word);

// "a, b and c"
std::string listed(const std::vector<std::string>& words);

}  // namespace stridelock::yaml
