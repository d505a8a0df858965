// One line on standard error that says how far a long run is. Quiet where standard error is no terminal.
#pragma once

#include <cstddef>
#include <string>

namespace stridelock::tool {

class progress {
 public:
  progress();
  ~progress();  // clears the line
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  void show(const std::string& text);
  void clear();

 private:
  bool terminal_ = false;
  bool shown_ = false;
};

}  // namespace stridelock::tool
