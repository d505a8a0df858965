// text_error.h: what is wrong with a text, and where.
#pragma once

#include <cstdint>
#include <string>

namespace stridelock {
inline namespace v1 {

struct text_error {
  std::string file{};
  std::uint32_t line = 0;    // from 1; 0: the whole file
  std::uint32_t column = 0;  // from 1
  std::string message{};

  // file:line:column: error: message
  std::string str() const {
    std::string text = file;
    if (line != 0) text += ':' + std::to_string(line) + ':' + std::to_string(column);
    return text + ": error: " + message;
  }
};

}  // namespace v1
}  // namespace stridelock
