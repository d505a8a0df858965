// evidence.h: who vouches for a fact of a contract.
//
// Promises:  every fact carries one of four grades and, where there is one, the line it rests on.
// Does not:  verify that line; `infer` and `diff` of the command line do.
#pragma once

#include <cstdint>
#include <string_view>

namespace stridelock {
inline namespace v1 {

// Who vouches for a fact. A broken fact that nobody tests is worse than one that is refused.
enum class evidence : std::uint8_t {
  declared,   // written down by the kernel's author; our boundary enforces it
  checked,    // the kernel tests it itself
  inferred,   // read off its code
  unchecked,  // the kernel assumes it and nobody looks: breaking it is silent
};

constexpr std::string_view to_string(evidence how) {
  switch (how) {
    case evidence::declared:
      return "declared";
    case evidence::checked:
      return "checked";
    case evidence::inferred:
      return "inferred";
    case evidence::unchecked:
      return "unchecked";
  }
  return {};
}

struct basis {
  evidence how = evidence::declared;
  std::string_view where{};  // file:line of the test or of the code it was inferred from
};
constexpr basis declared(std::string_view where = {}) {
  return {evidence::declared, where};
}
constexpr basis checked_at(std::string_view where) {
  return {evidence::checked, where};
}
constexpr basis inferred_from(std::string_view where) {
  return {evidence::inferred, where};
}
constexpr basis unchecked(std::string_view where = {}) {
  return {evidence::unchecked, where};
}

}  // namespace v1
}  // namespace stridelock
