// What becomes of a compiler's options, as data.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace stridelock::extract {

enum class shape : std::uint8_t {
  flag,       // -v
  separate,   // --threads 4, --threads=4
  joined,     // -Dx
  either,     // -Dx, -D x, -D=x
  joined_eq,  // --flag=x only
};
enum class fate : std::uint8_t {
  drop,
  rename,        // replacement, value as before
  keep,          // as it is
  unpack,        // the value is a comma-separated list of the host compiler's options
  options_file,  // the value names files with more options
  define,        // replacement is a macro to define
  stream,        // default stream: per-thread is a macro
  compiler,      // of a launcher or of the host compiler: nothing to parse with
  forced,        // a header included first; a precompiled form of it beside it is not used
  inside,        // an option of Clang's own front end; kept if it is about the language
};

struct option_rule {
  std::string_view name;
  shape form;
  fate what;
  std::string_view replacement;
  std::string_view reason;
};

std::span<const option_rule> nvcc_rules();
std::span<const option_rule> host_rules();  // GCC's and Clang's

}  // namespace stridelock::extract
